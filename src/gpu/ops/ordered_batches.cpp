#include "gpu/ops/ordered_batches.hpp"

namespace weft::gpu {

uint64_t OrderedBatches::rows_of_finished_prefix(uint32_t first_pipeline) const {
  uint64_t rows = 0;
  uint64_t expected = 0;
  for (const auto& [key, slot] : slots_) {
    if (key.first != first_pipeline || key.second != expected || !slot.finished) break;
    for (const Batch& batch : slot.batches) rows += static_cast<uint64_t>(batch.rows);
    ++expected;
  }
  return rows;
}

std::vector<Batch> OrderedBatches::take() {
  std::vector<Batch> out;
  for (auto& [key, slot] : slots_) {
    for (Batch& batch : slot.batches) out.push_back(std::move(batch));
  }
  slots_.clear();
  rows_ = 0;
  bytes_ = 0;
  return out;
}

}  // namespace weft::gpu
