// What this thread's innermost AccountScope says; null and nullopt outside every scope.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>

namespace weft::gpu {

class Account;
const std::shared_ptr<Account>& current_account() noexcept;
std::optional<cudaStream_t> current_stream() noexcept;

}  // namespace weft::gpu
