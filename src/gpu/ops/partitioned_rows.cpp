#include "gpu/ops/partitioned_rows.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>

#include <cudf/copying.hpp>
#include <cudf/partitioning.hpp>
#include <cudf/table/table.hpp>

#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

// Rows are merged whole while they take less than this share of the cap: input, its copy in one piece, hash tables and
// result are on the device together.
constexpr uint64_t kWholeShare = 8;
constexpr uint64_t kPartShare = 16;
constexpr uint64_t kMinWholeBytes = 4096;
constexpr uint64_t kMaxRowsOfPart = uint64_t{1} << 30;

// How many of the last batches are cut together: each cut makes a slice for every part, so that small batches cut one
// by one would become a multitude of tiny slices.
size_t batches_to_cut(const std::vector<StoredBatch>& stored, uint64_t cap_bytes) {
  const uint64_t limit = cap_bytes / (2 * kPartShare);
  uint64_t bytes = 0;
  uint64_t rows = 0;
  size_t taken = 0;
  while (taken < stored.size()) {
    const StoredBatch& next = stored[stored.size() - 1 - taken];
    bytes += next.bytes();
    rows += static_cast<uint64_t>(next.rows());
    if (taken > 0 && (bytes > limit || rows > kMaxRowsOfPart)) break;
    ++taken;
  }
  return taken;
}

}  // namespace

bool memory_is_short(const Account& account) {
  constexpr uint64_t kTenths = 6;
  return account.used_bytes() / 10 >= account.cap_bytes() / 100 * kTenths;
}

size_t parts_needed(uint64_t bytes, uint64_t rows, uint64_t cap_bytes) {
  const uint64_t whole = std::max(kMinWholeBytes, cap_bytes / kWholeShare);
  if (bytes <= whole && rows <= kMaxRows) return 1;
  const uint64_t part = std::max(kMinWholeBytes / 2, cap_bytes / kPartShare);
  return static_cast<size_t>(std::max({uint64_t{2}, bytes / part + 1, rows / kMaxRowsOfPart + 1}));
}

void partition_by_hash(const TaskContext& context, const OperatorServices& services, std::vector<StoredBatch>& stored,
                       const std::vector<cudf::size_type>& hashed, std::vector<StoredBatches>& out) {
  const size_t parts = out.size();
  while (!stored.empty()) {
    if (parts == 1) {
      out.front().add(std::move(stored.back()));
      stored.pop_back();
      continue;
    }
    context.cancellation.check();
    const size_t taken = batches_to_cut(stored, services.account.cap_bytes());
    std::vector<Batch> slices;
    {
      std::vector<Batch> loaded;
      for (size_t i = stored.size() - taken; i < stored.size(); ++i) loaded.push_back(stored[i].load(context));
      const Batch batch = taken == 1 ? std::move(loaded.front()) : concatenate_rows(context, loaded);
      auto [table, begins] =
          cudf::hash_partition(batch.view(), hashed, static_cast<int>(parts), cudf::hash_id::HASH_MURMUR3,
                               cudf::DEFAULT_HASH_SEED, context.stream, context.mr);
      const cudf::size_type rows = table->num_rows();
      const Batch ordered = make_batch(table->release(), rows);
      for (size_t i = 0; i < parts; ++i) {
        const cudf::size_type end = i + 1 < parts ? begins[i + 1] : rows;
        slices.push_back(slice_rows(context, ordered, begins[i], end));
      }
      synchronize(context);
    }
    stored.erase(stored.end() - static_cast<std::ptrdiff_t>(taken), stored.end());
    for (size_t i = 0; i < parts; ++i) {
      if (slices[i].rows > 0) out[i].add(std::move(slices[i]));
    }
    if (services.force_spill || memory_is_short(services.account)) {
      for (StoredBatches& part : out) part.spill(context, services.pinned, ~uint64_t{0});
    }
  }
}

void partition_by_hash(const TaskContext& context, const OperatorServices& services, std::vector<StoredBatch>& stored,
                       uint32_t keys, std::vector<StoredBatches>& out) {
  std::vector<cudf::size_type> hashed(keys);
  std::iota(hashed.begin(), hashed.end(), 0);
  partition_by_hash(context, services, stored, hashed, out);
}

Batch load_all(const TaskContext& context, const StoredBatches& stored) {
  std::vector<Batch> batches;
  for (size_t i = 0; i < stored.size(); ++i) batches.push_back(stored.at(i).load(context));
  Batch all = concatenate_rows(context, batches);
  synchronize(context);
  return all;
}

bool is_memory_shortage() noexcept {
  try {
    throw;
  } catch (const Exception& e) {
    return e.code() == ErrorCode::QueryMemoryLimitExceeded || e.code() == ErrorCode::DeviceMemoryExhausted;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace weft::gpu
