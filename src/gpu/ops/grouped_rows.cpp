#include "gpu/ops/grouped_rows.hpp"

#include <algorithm>

#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

constexpr uint64_t kMergeBytes = uint64_t{256} << 20;
// A merge that leaves more than this share of the rows was not worth it.
constexpr double kUselessShare = 0.75;

}  // namespace

GroupedRows::GroupedRows(const OperatorServices& services, Merge merge)
    : services_(services), merge_(std::move(merge)) {}

void GroupedRows::add(const TaskContext& context, Batch rows) {
  if (rows.rows == 0) return;
  bool merge = false;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    stored_.add(std::move(rows));
    if (services_.force_spill) stored_.spill(context, services_.pinned, ~uint64_t{0});
    merge = worth_merging_locked();
    merging_ = merging_ || merge;
  }
  if (merge) merge_some(context);
}

bool GroupedRows::worth_merging_locked() const {
  if (merging_ || !keys_repeat_ || stored_.size() < 2) return false;
  const uint64_t cap = services_.account.cap_bytes();
  if (parts_needed(stored_.bytes(), stored_.rows(), cap) > 1) return false;  // the end cuts it into parts instead
  // The rows at least double between two merges, so that all merges together cost about twice the last.
  const uint64_t fresh = stored_.bytes() - std::min(stored_.bytes(), merged_bytes_);
  return fresh > std::max(std::min(kMergeBytes, cap / 32), merged_bytes_);
}

void GroupedRows::merge_some(const TaskContext& context) {
  std::vector<StoredBatch> taken;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (stored_.rows() > kMaxRows) {  // others have added since
      merging_ = false;
      return;
    }
    taken = stored_.take();
  }
  uint64_t before = 0;
  for (const StoredBatch& batch : taken) before += static_cast<uint64_t>(batch.rows());
  Batch merged;
  std::exception_ptr failure;
  bool done = false;
  try {
    std::vector<Batch> batches;
    for (const StoredBatch& batch : taken) batches.push_back(batch.load(context));
    merged = merge_(context, concatenate_rows(context, batches));
    synchronize(context);
    done = true;
  } catch (...) {
    if (!is_memory_shortage()) failure = std::current_exception();
  }
  const std::lock_guard<std::mutex> guard(mutex_);
  merging_ = false;
  if (done) {
    merged_bytes_ = merged.device_bytes();
    keys_repeat_ = static_cast<double>(merged.rows) <= kUselessShare * static_cast<double>(before);
    stored_.add(std::move(merged));
    return;
  }
  for (StoredBatch& batch : taken) stored_.add(std::move(batch));
  if (failure) std::rethrow_exception(failure);
}

uint64_t GroupedRows::device_bytes() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.device_bytes();
}

uint64_t GroupedRows::spill(const TaskContext& context, uint64_t bytes) {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.spill(context, services_.pinned, bytes);
}

bool GroupedRows::empty() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.empty();
}

uint64_t GroupedRows::bytes() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.bytes();
}

uint64_t GroupedRows::rows() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.rows();
}

std::vector<StoredBatch> GroupedRows::take() {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.take();
}

}  // namespace weft::gpu
