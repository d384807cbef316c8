// Functions that both kernels and the CPU's tests of them run.
#pragma once

#ifdef __CUDACC__
#define WEFT_HOST_DEVICE __host__ __device__
#else
#define WEFT_HOST_DEVICE
#endif
