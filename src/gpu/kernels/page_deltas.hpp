// DELTA_BINARY_PACKED numbers, and texts whose lengths are such numbers (parquet-format, Encodings.md). libcudf's
// decoder checks little of the headers, and of the lengths nothing.
#pragma once

#include <cstdint>

#include "gpu/kernels/page_runs.hpp"

namespace weft::gpu::kernels {

/// `NotReadable`: as the format has it, but not what libcudf can read. DuckDB writes 256 values a miniblock.
enum class Deltas : uint32_t { Good, Bad, TooLong, NotReadable };

struct DeltaHeader {
  uint32_t miniblocks = 0;  // of a block
  uint32_t values_per_miniblock = 0;
  uint32_t values = 0;
  int64_t first_value = 0;
};

/// A varint of at most 64 bits.
template <typename Bytes>
WEFT_HOST_DEVICE bool read_varint(const Bytes& bytes, uint32_t& at, uint64_t& value) {
  value = 0;
  for (uint32_t shift = 0; shift < 70; shift += 7) {
    if (at >= bytes.size()) return false;
    const uint32_t next = bytes.far(at++);
    if (shift == 63 && next > 1) return false;
    value |= uint64_t{next & 0x7f} << shift;
    if ((next & 0x80) == 0) return true;
  }
  return false;
}

template <typename Bytes>
WEFT_HOST_DEVICE bool read_zigzag(const Bytes& bytes, uint32_t& at, int64_t& value) {
  uint64_t coded = 0;
  const bool good = read_varint(bytes, at, coded);
  value = static_cast<int64_t>((coded >> 1) ^ (0 - (coded & 1)));
  return good;
}

/// A header, before at least `needed` numbers.
template <typename Bytes>
WEFT_HOST_DEVICE Deltas read_delta_header(const Bytes& bytes, uint32_t& at, int64_t needed, DeltaHeader& header) {
  constexpr uint64_t kMaxValuesPerMiniblock = 64;  // libcudf's
  uint64_t block = 0;
  uint64_t miniblocks = 0;
  uint64_t values = 0;
  if (at == bytes.size() && needed == 0) return Deltas::NotReadable;
  if (!read_varint(bytes, at, block) || !read_varint(bytes, at, miniblocks) || !read_varint(bytes, at, values) ||
      !read_zigzag(bytes, at, header.first_value)) {
    return Deltas::Bad;
  }
  if (block == 0 || miniblocks == 0 || block > static_cast<uint64_t>(kMaxInt32) || block % miniblocks != 0 ||
      block / miniblocks % 32 != 0 || values > static_cast<uint64_t>(kMaxInt32) ||
      values < static_cast<uint64_t>(needed)) {
    return Deltas::Bad;
  }
  if (block / miniblocks > kMaxValuesPerMiniblock) return Deltas::NotReadable;
  header.miniblocks = static_cast<uint32_t>(miniblocks);
  header.values_per_miniblock = static_cast<uint32_t>(block / miniblocks);
  header.values = static_cast<uint32_t>(values);
  return Deltas::Good;
}

/// Walks the miniblocks behind a header, as many as have values.
class DeltaMiniblocks {
 public:
  WEFT_HOST_DEVICE DeltaMiniblocks(const DeltaHeader& header, uint32_t at) : header_(header), at_(at) {}

  /// False, with broken() when there is something wrong, if there is no more.
  template <typename Bytes>
  WEFT_HOST_DEVICE bool next(const Bytes& bytes) {
    at_ = end_of_miniblock();
    if (first_ + values_ >= header_.values) return false;  // the first value is in the header
    first_ += values_;
    values_ =
        header_.values - first_ < header_.values_per_miniblock ? header_.values - first_ : header_.values_per_miniblock;
    if (number_ == 0 || ++number_ > header_.miniblocks) {
      number_ = 1;
      broken_ = at_ > bytes.size() || !read_zigzag(bytes, at_, least_) || header_.miniblocks > bytes.size() - at_;
      if (broken_) return false;
      widths_ = at_;
      at_ += header_.miniblocks;
    }
    bits_ = bytes.far(widths_ + number_ - 1);
    broken_ = bits_ > 64 || end_of_miniblock() > kMaxInt32;
    return !broken_;
  }

  WEFT_HOST_DEVICE bool broken() const { return broken_; }
  /// Where the walk is: behind the last miniblock, once there are no more. May lie outside.
  WEFT_HOST_DEVICE uint32_t at() const { return at_; }
  WEFT_HOST_DEVICE uint32_t values() const { return values_; }

  /// Number `i` of the miniblock: the difference to the value before. Bytes that are missing are zeros.
  template <typename Bytes>
  WEFT_HOST_DEVICE int64_t delta(const Bytes& bytes, uint32_t i) const {
    const uint32_t bit = i * bits_;
    uint64_t value = 0;
    for (uint32_t k = 0; k * 8 < bit % 8 + bits_; ++k) {
      const uint32_t from = at_ + bit / 8 + k;
      const uint64_t byte = from < bytes.size() ? bytes.far(from) : 0;
      value |= k == 0 ? byte >> bit % 8 : byte << (8 * k - bit % 8);
    }
    if (bits_ < 64) value &= (uint64_t{1} << bits_) - 1;
    return static_cast<int64_t>(value + static_cast<uint64_t>(least_));
  }

 private:
  WEFT_HOST_DEVICE uint32_t end_of_miniblock() const { return at_ + bits_ * header_.values_per_miniblock / 8; }

  const DeltaHeader header_;
  uint32_t at_;          // of the miniblock's numbers
  uint32_t first_ = 1;   // of the miniblock's values
  uint32_t values_ = 0;  // in the miniblock
  uint32_t number_ = 0;  // of the miniblock in its block, from 1 on
  uint32_t widths_ = 0;  // of the block
  uint32_t bits_ = 0;
  int64_t least_ = 0;
  bool broken_ = false;
};

/// Whether libcudf can read `needed` numbers from the bytes.
template <typename Bytes>
WEFT_HOST_DEVICE Deltas check_deltas(const Bytes& bytes, int64_t needed) {
  DeltaHeader header;
  uint32_t at = 0;
  const Deltas found = read_delta_header(bytes, at, needed, header);
  if (found != Deltas::Good) return found;
  DeltaMiniblocks blocks(header, at);
  while (blocks.next(bytes)) {
  }
  return blocks.broken() ? Deltas::Bad : Deltas::Good;
}

/// A section of lengths: its header, and where the numbers begin and end.
struct DeltaLengths {
  DeltaHeader header;
  uint32_t begin = 0;
  uint32_t end = 0;
};
template <typename Bytes>
WEFT_HOST_DEVICE Deltas open_lengths(const Bytes& bytes, uint32_t at, int64_t needed, DeltaLengths& section) {
  const Deltas found = read_delta_header(bytes, at, needed, section.header);
  if (found != Deltas::Good) return found;
  section.begin = at;
  DeltaMiniblocks blocks(section.header, at);
  while (blocks.next(bytes)) {
  }
  section.end = blocks.at();
  return blocks.broken() || section.end > bytes.size() ? Deltas::Bad : Deltas::Good;
}

/// The numbers of a section, one a lane at a time, each the sum of the deltas before it.
class DeltaNumbers {
 public:
  WEFT_HOST_DEVICE explicit DeltaNumbers(const DeltaLengths& section)
      : blocks_(section.header, section.begin), before_(section.header.first_value) {}

  /// This lane's next number, behind the first one; `there` becomes false where it has none. False when no lane has
  /// one.
  template <typename Bytes>
  WEFT_HOST_DEVICE bool next(const Bytes& bytes, int64_t& number, bool& there) {
    if (taken_ >= values_) {
      if (!blocks_.next(bytes)) return false;
      values_ = blocks_.values();
      taken_ = 0;
    }
    const uint32_t mine = taken_ + bytes.lane();
    there = mine < values_;
    const int64_t difference = bytes.scan(there ? blocks_.delta(bytes, mine) : 0);
    number = static_cast<int64_t>(static_cast<uint64_t>(before_) + static_cast<uint64_t>(difference));
    before_ = bytes.last(number);
    taken_ += bytes.lanes();
    return true;
  }

 private:
  DeltaMiniblocks blocks_;
  int64_t before_;
  uint32_t taken_ = 0;
  uint32_t values_ = 0;
};

WEFT_HOST_DEVICE inline bool is_length(int64_t number) { return number >= 0 && number <= kMaxInt32; }

/// DELTA_LENGTH_BYTE_ARRAY: whether the first `needed` texts are inside.
template <typename Bytes>
WEFT_HOST_DEVICE Deltas check_delta_lengths(const Bytes& bytes, int64_t needed) {
  DeltaLengths section;
  const Deltas found = open_lengths(bytes, 0, needed, section);
  if (found != Deltas::Good || section.header.values == 0) return found;
  if (!is_length(section.header.first_value)) return Deltas::Bad;
  uint64_t sum = 0;  // this lane's share
  bool bad = false;
  DeltaNumbers numbers(section);
  int64_t number = 0;
  bool there = false;
  for (int64_t first = 1; numbers.next(bytes, number, there);) {
    if (there && !is_length(number)) bad = true;
    // A lane counts its own: whoever is not there has no number.
    const int64_t place = first + bytes.lane();
    if (there && place < needed && !bad) sum += static_cast<uint64_t>(number);
    first += static_cast<int64_t>(bytes.sum(there ? 1 : 0));
  }
  if (bytes.any(bad)) return Deltas::Bad;
  sum = bytes.sum(sum) + (needed > 0 ? static_cast<uint64_t>(section.header.first_value) : 0);
  return sum <= bytes.size() - section.end ? Deltas::Good : Deltas::Bad;
}

/// DELTA_BYTE_ARRAY: each text is a prefix of the one before and a suffix of its own. `length`: of each text, 0 if they
/// differ.
template <typename Bytes>
WEFT_HOST_DEVICE Deltas check_delta_texts(const Bytes& bytes, int64_t needed, uint32_t length) {
  DeltaLengths prefixes;
  DeltaLengths suffixes;
  Deltas found = open_lengths(bytes, 0, needed, prefixes);
  if (found == Deltas::Good) found = open_lengths(bytes, prefixes.end, needed, suffixes);
  if (found != Deltas::Good) return found;
  const DeltaHeader& one = prefixes.header;
  const DeltaHeader& other = suffixes.header;
  if (one.values != other.values || one.miniblocks != other.miniblocks ||
      one.values_per_miniblock != other.values_per_miniblock) {
    return Deltas::Bad;
  }
  if (one.values == 0) return Deltas::Good;
  if (one.first_value != 0 || !is_length(other.first_value)) return Deltas::Bad;
  if (length != 0 && other.first_value != length) return Deltas::Bad;
  const auto first_length = static_cast<uint64_t>(other.first_value);
  uint64_t suffix_sum = 0;  // this lane's share
  uint64_t sum = 0;
  bool bad = false;
  int64_t before = other.first_value;
  DeltaNumbers prefix_numbers(prefixes);
  DeltaNumbers suffix_numbers(suffixes);
  int64_t prefix = 0;
  int64_t suffix = 0;
  bool there = false;
  while (prefix_numbers.next(bytes, prefix, there) && suffix_numbers.next(bytes, suffix, there)) {
    const bool lengths = is_length(prefix) && is_length(suffix);
    const int64_t text = lengths ? prefix + suffix : 0;
    const int64_t previous = bytes.shifted(text, before);
    before = bytes.last(text);
    if (!there) continue;
    if (!lengths || prefix > previous || (length != 0 && text != length)) bad = true;
    if (bad) continue;
    suffix_sum += static_cast<uint64_t>(suffix);
    sum += static_cast<uint64_t>(text);
  }
  if (bytes.any(bad) || bytes.sum(suffix_sum) + first_length > bytes.size() - suffixes.end) return Deltas::Bad;
  return bytes.sum(sum) + first_length > static_cast<uint64_t>(kMaxInt32) ? Deltas::TooLong : Deltas::Good;
}

}  // namespace weft::gpu::kernels
