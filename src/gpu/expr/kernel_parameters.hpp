// The parameter block P of a generated kernel as 8-byte words (kernels/prelude_core.cpp: Head, In, Out).
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/expr/generator.hpp"

namespace weft::gpu {

struct KernelInput {
  const void* data = nullptr;   // text: offsets
  const void* valid = nullptr;  // bitmask of 32-bit words; null: no NULLs
  const void* chars = nullptr;
  bool wide_offsets = false;
};

struct KernelOutput {
  void* data = nullptr;   // text: pairs (pointer, 32-bit length, padding) of 16 bytes
  void* valid = nullptr;  // null where the output has no NULLs
};

struct KernelParameters {
  int64_t rows = 0;
  uint64_t* failure = nullptr;     // preset to kNoFailure
  uint64_t* counts = nullptr;      // one per output, preset to 0
  uint64_t* arena_used = nullptr;  // preset to 0
  char* arena = nullptr;
  uint64_t arena_bytes = 0;
  std::vector<KernelInput> inputs;
  std::vector<KernelOutput> outputs;
};

inline constexpr uint64_t kNoFailure = ~uint64_t{0};
inline constexpr unsigned kFailureSlotBits = 16;

std::vector<uint64_t> pack(const GeneratedKernel& kernel, const KernelParameters& parameters);

}  // namespace weft::gpu
