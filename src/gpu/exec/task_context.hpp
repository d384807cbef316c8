// What a task hands to every operator that it runs.
#pragma once

#include <cstdint>
#include <memory>

#include <cuda/stream_ref>
#include <rmm/resource_ref.hpp>

#include "base/cancellation.hpp"
#include "gpu/memory/account.hpp"

namespace weft::gpu {

struct TaskContext {
  cuda::stream_ref stream;                // the task's; lives as long as the backend
  rmm::device_async_resource_ref mr;      // the accounting resource
  const CancellationToken& cancellation;  // operators call check() between two libcudf calls
  Account& account;
  uint64_t batch_bytes;  // the target size of a batch: split what would be much larger
};

}  // namespace weft::gpu
