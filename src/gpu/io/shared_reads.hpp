// Scans of one query that read the same files share the decoding: the first one to come to a piece decodes the columns
// that any of them needs, the others take them, and the last one lets them go. DuckDB plans over Parquet do not share
// subplans by themselves: TPC-H's Q21 reads lineitem three times.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/column/batch.hpp"
#include "plan/node.hpp"

namespace weft::gpu {

/// Thread-safe. Made for `readers` scans; each has a number below that.
class SharedReads {
 public:
  /// `columns`: what the scans read together. They share only if all of that, decoded, is at most `limit_bytes`.
  SharedReads(std::vector<plan::ScanColumn> columns, size_t readers, uint64_t limit_bytes)
      : columns_(std::move(columns)), readers_(readers), limit_bytes_(limit_bytes) {}

  const std::vector<plan::ScanColumn>& columns() const { return columns_; }
  uint64_t limit_bytes() const { return limit_bytes_; }

  /// A scan says how it cuts the files into pieces. The first one decides; false: this scan cuts them otherwise (its
  /// filters prune more) and reads alone.
  bool join(size_t reader, const std::vector<std::vector<std::pair<size_t, int>>>& pieces);
  /// The reader needs no more pieces. Idempotent.
  void leave(size_t reader) noexcept;

  using Decoded = std::map<std::string, ColumnPtr>;  // by the name in columns()
  /// All columns of a piece, decoded by `decode` if nobody did, else as another reader left them. decode() must have
  /// synchronized its stream. A failure of decode() is the caller's alone: the next reader tries again.
  std::shared_ptr<const Decoded> read(size_t index, const std::function<Decoded()>& decode);
  /// The reader has used a piece, or read it alone. Idempotent.
  void finish(size_t reader, size_t index) noexcept;

 private:
  struct Piece {
    std::shared_ptr<const Decoded> decoded;
    bool decoding = false;
    std::vector<bool> finished;  // per reader
  };
  void drop_if_finished_locked(Piece& piece);

  const std::vector<plan::ScanColumn> columns_;
  const size_t readers_;
  const uint64_t limit_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::vector<std::vector<std::pair<size_t, int>>>> layout_;
  std::vector<bool> gone_ = std::vector<bool>(readers_, false);
  std::vector<Piece> pieces_;
};

}  // namespace weft::gpu
