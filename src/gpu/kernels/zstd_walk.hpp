// The walk over the structure of a zstd stream (RFC 8878): frames, blocks, the headers of their sections, and the
// tables of codes, which must be such that a decoder can build them. What the codes then say is not looked at, so a
// stream that passes can still be damaged. nvCOMP's query of how much memory a page's decompression takes reads these
// headers without checks: on others it does not end, or reads outside its buffers (NVIDIA/cudf issue 24002).
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"

namespace weft::gpu::kernels {

/// Bytes [at, end) that are read in order, their bits from the lowest on. Past the end it is broken and gives zeros.
class ZstdReader {
 public:
  WEFT_HOST_DEVICE ZstdReader(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}

  WEFT_HOST_DEVICE bool broken() const { return broken_; }
  WEFT_HOST_DEVICE void set_broken() { broken_ = true; }
  WEFT_HOST_DEVICE uint32_t left() const { return static_cast<uint32_t>(end_ - at_); }
  WEFT_HOST_DEVICE const uint8_t* at() const { return at_; }

  WEFT_HOST_DEVICE uint64_t number(uint32_t bytes) {
    if (broken_ || bytes > left()) {
      broken_ = true;
      return 0;
    }
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; ++i) value |= uint64_t{*at_++} << (8 * i);
    return value;
  }
  WEFT_HOST_DEVICE uint32_t byte() { return static_cast<uint32_t>(number(1)); }

  /// The next `bytes` bytes as a reader of their own.
  WEFT_HOST_DEVICE ZstdReader part(uint32_t bytes) {
    if (broken_ || bytes > left()) {
      broken_ = true;
      bytes = 0;
    }
    const ZstdReader taken(at_, at_ + bytes);
    at_ += bytes;
    return taken;
  }

  /// The `count` (at most 16) bits from bit `from` on, counted from the next byte; nothing is taken.
  WEFT_HOST_DEVICE uint32_t bits(uint32_t from, uint32_t count) {
    if (from + count > left() * 8) {
      broken_ = true;
      return 0;
    }
    uint32_t value = 0;
    for (uint32_t i = 0; i < 3 && from / 8 + i < left(); ++i) value |= uint32_t{at_[from / 8 + i]} << (8 * i);
    return value >> from % 8 & ((1U << count) - 1);
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool broken_ = false;
};

/// The position of the highest bit that is set in a positive number.
WEFT_HOST_DEVICE inline uint32_t zstd_log2(uint32_t value) {
  uint32_t bit = 0;
  while (value >>= 1) ++bit;
  return bit;
}

constexpr uint32_t kZstdMaxSymbols = 64;  // more than any table has: 53 match length codes

struct ZstdCounts {
  uint32_t accuracy_log = 0;
  uint32_t symbols = 0;
  int16_t counts[kZstdMaxSymbols];  // -1: less than one
};

/// Takes the description of an FSE table (RFC 8878, 4.1.1) of at most `max_symbols` symbols.
WEFT_HOST_DEVICE inline ZstdCounts read_zstd_counts(ZstdReader& in, uint32_t max_log, uint32_t max_symbols) {
  ZstdCounts table;
  table.accuracy_log = in.bits(0, 4) + 5;
  if (table.accuracy_log > max_log) {
    in.set_broken();
    return table;
  }
  uint32_t at = 4;
  int32_t left = 1 << table.accuracy_log;
  while (left > 0 && table.symbols < max_symbols && !in.broken()) {
    const uint32_t width = zstd_log2(static_cast<uint32_t>(left) + 1) + 1;
    // Small values take a bit less. The last one can be read only that short.
    const uint32_t low_mask = (1U << (width - 1)) - 1;
    const uint32_t threshold = (1U << width) - 1 - (static_cast<uint32_t>(left) + 1);
    uint32_t value = in.bits(at, width - 1);
    if (value < threshold) {
      at += width - 1;
    } else {
      value = in.bits(at, width);
      at += width;
      if (value > low_mask) value -= threshold;
    }
    const int32_t count = static_cast<int32_t>(value) - 1;
    left -= count < 0 ? 1 : count;
    table.counts[table.symbols++] = static_cast<int16_t>(count);
    for (uint32_t zeros = count == 0 ? 3 : 0; zeros == 3 && !in.broken();) {
      zeros = in.bits(at, 2);
      at += 2;
      for (uint32_t i = 0; i < zeros; ++i) {
        if (table.symbols == max_symbols) {
          in.set_broken();
          return table;
        }
        table.counts[table.symbols++] = 0;
      }
    }
  }
  if (left != 0) in.set_broken();
  in.part((at + 7) / 8);
  return table;
}

/// An FSE table of Huffman weights.
struct ZstdWeightTable {
  static constexpr uint32_t kMaxLog = 6;
  uint8_t symbol[1 << kMaxLog];
  uint8_t bits[1 << kMaxLog];
  uint8_t base[1 << kMaxLog];
};

WEFT_HOST_DEVICE inline ZstdWeightTable build_zstd_weights(const ZstdCounts& counts) {
  ZstdWeightTable table;
  const uint32_t size = 1U << counts.accuracy_log;
  uint16_t next[kZstdMaxSymbols];
  uint32_t high = size;
  for (uint32_t s = 0; s < counts.symbols; ++s) {
    next[s] = static_cast<uint16_t>(counts.counts[s] < 0 ? 1 : counts.counts[s]);
    if (counts.counts[s] < 0) table.symbol[--high] = static_cast<uint8_t>(s);
  }
  const uint32_t step = (size >> 1) + (size >> 3) + 3;
  uint32_t place = 0;
  for (uint32_t s = 0; s < counts.symbols; ++s) {
    for (int32_t i = 0; i < counts.counts[s]; ++i) {
      table.symbol[place] = static_cast<uint8_t>(s);
      do {
        place = (place + step) & (size - 1);
      } while (place >= high);
    }
  }
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t state = next[table.symbol[i]]++;
    const uint32_t bits = counts.accuracy_log - zstd_log2(state);
    table.bits[i] = static_cast<uint8_t>(bits);
    table.base[i] = static_cast<uint8_t>((state << bits) - size);
  }
  return table;
}

/// The sum that Huffman weights must complete to a power of two.
struct ZstdWeightSum {
  uint32_t weights = 0;
  uint32_t sum = 0;
  bool valid = true;
  WEFT_HOST_DEVICE void add(uint32_t weight) {
    constexpr uint32_t kMaxBits = 11;
    valid = valid && weight <= kMaxBits && weights < 255;
    ++weights;
    if (valid && weight > 0) sum += 1U << (weight - 1);
  }
  WEFT_HOST_DEVICE bool complete() const {
    if (!valid || sum == 0) return false;
    const uint32_t bits = zstd_log2(sum) + 1;
    const uint32_t last = (1U << bits) - sum;
    return bits <= 11 && (last & (last - 1)) == 0;
  }
};

/// `count` (at most 8) bits that end below bit `at` of a stream that is read from its end; zeros before its beginning.
WEFT_HOST_DEVICE inline uint32_t zstd_bits_before(ZstdReader& in, int32_t& at, uint32_t count) {
  at -= static_cast<int32_t>(count);
  if (at >= 0) return in.bits(static_cast<uint32_t>(at), count);
  const int32_t have = at + static_cast<int32_t>(count);
  return have <= 0 ? 0 : in.bits(0, static_cast<uint32_t>(have)) << -at;
}

/// Takes a Huffman tree's description (4.2.1).
WEFT_HOST_DEVICE inline void read_zstd_tree(ZstdReader& in) {
  const uint32_t head = in.byte();
  ZstdWeightSum sum;
  if (head >= 128) {
    const uint32_t count = head - 127;
    ZstdReader weights = in.part((count + 1) / 2);
    for (uint32_t i = 0; i < count && !in.broken(); ++i) sum.add(weights.bits(i % 2 == 0 ? i * 4 + 4 : i * 4 - 4, 4));
    if (!sum.complete()) in.set_broken();
    return;
  }
  ZstdReader codes = in.part(head);
  const ZstdCounts counts = read_zstd_counts(codes, ZstdWeightTable::kMaxLog, 13);
  if (codes.broken() || codes.left() == 0 || codes.at()[codes.left() - 1] == 0) {
    in.set_broken();
    return;
  }
  const ZstdWeightTable table = build_zstd_weights(counts);
  // Two states in turn, until one has no bits left; the other's symbol is the last. The highest bit is the end's mark.
  auto at = static_cast<int32_t>((codes.left() - 1) * 8 + zstd_log2(codes.at()[codes.left() - 1]));
  uint32_t state = zstd_bits_before(codes, at, counts.accuracy_log);
  uint32_t other = zstd_bits_before(codes, at, counts.accuracy_log);
  if (at < 0) in.set_broken();
  while (at >= 0 && sum.valid) {
    sum.add(table.symbol[state]);
    const uint32_t next = table.base[state] + zstd_bits_before(codes, at, table.bits[state]);
    state = other;
    other = next;
  }
  sum.add(table.symbol[state]);
  if (!sum.complete()) in.set_broken();
}

/// What earlier blocks of a frame left for later ones to use again.
struct ZstdTables {
  bool tree = false;
  bool codes[3] = {false, false, false};
};

WEFT_HOST_DEVICE inline bool is_zstd_bitstream(const uint8_t* bytes, uint32_t size) {
  return size > 0 && bytes[size - 1] != 0;  // the highest bit marks the end
}

/// Takes a literals section (3.1.1.3.1).
WEFT_HOST_DEVICE inline void read_zstd_literals(ZstdReader& in, uint32_t max_bytes, ZstdTables& tables) {
  if (in.left() == 0) return in.set_broken();
  const uint32_t type = *in.at() & 3;
  const uint32_t format = *in.at() >> 2 & 3;
  if (type < 2) {  // as they are, or one character many times
    const uint32_t head_bytes = (format & 1) == 0 ? 1 : format == 1 ? 2 : 3;
    const auto head = static_cast<uint32_t>(in.number(head_bytes));
    const uint32_t size = head_bytes == 1 ? head >> 3 : head >> 4;
    if (size > max_bytes) in.set_broken();
    in.part(type == 0 ? size : 1);
    return;
  }
  const uint32_t width = format < 2 ? 10 : format == 2 ? 14 : 18;
  const uint64_t head = in.number(format < 2 ? 3 : format + 2);
  const uint32_t mask = (1U << width) - 1;
  const uint32_t size = static_cast<uint32_t>(head >> 4) & mask;
  ZstdReader section = in.part(static_cast<uint32_t>(head >> (4 + width)) & mask);
  if (type == 2) read_zstd_tree(section);
  if (size == 0 || size > max_bytes || section.broken() || (type == 3 && !tables.tree)) return in.set_broken();
  tables.tree = true;
  if (format == 0) {
    if (!is_zstd_bitstream(section.at(), section.left())) in.set_broken();
    return;
  }
  uint32_t sizes[3];
  for (uint32_t& stream : sizes) stream = static_cast<uint32_t>(section.number(2));
  for (const uint32_t stream : sizes) {
    const ZstdReader part = section.part(stream);
    if (section.broken() || !is_zstd_bitstream(part.at(), part.left())) return in.set_broken();
  }
  if (size < 6 || !is_zstd_bitstream(section.at(), section.left())) in.set_broken();
}

/// Takes a sequences section (3.1.1.3.2), the rest of its block.
WEFT_HOST_DEVICE inline void read_zstd_sequences(ZstdReader& in, ZstdTables& tables) {
  uint32_t count = in.byte();
  if (count == 0) {
    if (in.left() != 0) in.set_broken();
    return;
  }
  if (count == 255) {
    count = static_cast<uint32_t>(in.number(2)) + 0x7f00;
  } else if (count >= 128) {
    count = (count - 128) << 8 | in.byte();
  }
  const uint32_t modes = in.byte();
  if ((modes & 3) != 0) in.set_broken();
  constexpr uint32_t kMaxLogs[3] = {9, 8, 9};  // literal lengths, offsets, match lengths
  constexpr uint32_t kMaxSymbols[3] = {36, 32, 53};
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t mode = modes >> (6 - 2 * i) & 3;
    if (mode == 1 && in.byte() >= kMaxSymbols[i]) in.set_broken();
    if (mode == 2) read_zstd_counts(in, kMaxLogs[i], kMaxSymbols[i]);
    if (mode == 3 && !tables.codes[i]) in.set_broken();
    tables.codes[i] = true;
  }
  if (count > 0 && !is_zstd_bitstream(in.at(), in.left())) in.set_broken();
}

struct ZstdFrame {
  uint64_t content_bytes = 0;
  bool has_content_bytes = false;
  uint32_t max_block_bytes = 0;
  bool has_checksum = false;
};

/// Takes a frame's header (3.1.1.1), its magic number excluded.
WEFT_HOST_DEVICE inline ZstdFrame read_zstd_frame_header(ZstdReader& in) {
  ZstdFrame frame;
  const uint32_t descriptor = in.byte();
  const bool single_segment = (descriptor >> 5 & 1) != 0;
  frame.has_checksum = (descriptor >> 2 & 1) != 0;
  if ((descriptor & 8) != 0) in.set_broken();
  uint64_t window = 0;
  if (!single_segment) {
    const uint32_t coded = in.byte();
    const uint64_t base = uint64_t{1} << (10 + (coded >> 3));
    window = base + base / 8 * (coded & 7);
  }
  constexpr uint32_t kDictionaryBytes[4] = {0, 1, 2, 4};
  if (in.number(kDictionaryBytes[descriptor & 3]) != 0) in.set_broken();  // a dictionary that no Parquet file has
  const uint32_t size_flag = descriptor >> 6;
  frame.has_content_bytes = size_flag != 0 || single_segment;
  if (frame.has_content_bytes) {
    frame.content_bytes = in.number(1U << size_flag) + (size_flag == 1 ? 256 : 0);
    if (single_segment) window = frame.content_bytes;
  }
  constexpr uint64_t kMaxBlockBytes = 128 << 10;
  frame.max_block_bytes = static_cast<uint32_t>(window < kMaxBlockBytes ? window : kMaxBlockBytes);
  return frame;
}

/// Takes a frame's blocks; how many bytes they make, as far as their headers tell, is added to `least`, and `exact`
/// becomes false if they may make more.
WEFT_HOST_DEVICE inline void read_zstd_blocks(ZstdReader& in, const ZstdFrame& frame, uint64_t& least, bool& exact) {
  ZstdTables tables;
  for (bool last = false; !last && !in.broken();) {
    const auto head = static_cast<uint32_t>(in.number(3));
    last = (head & 1) != 0;
    const uint32_t type = head >> 1 & 3;
    const uint32_t size = head >> 3;
    if (type == 3 || size > frame.max_block_bytes) in.set_broken();
    ZstdReader block = in.part(type == 1 ? 1 : size);
    if (type < 2) {
      least += size;
      continue;
    }
    exact = false;
    read_zstd_literals(block, frame.max_block_bytes, tables);
    read_zstd_sequences(block, tables);
    if (block.broken()) in.set_broken();
  }
  if (frame.has_checksum) in.part(4);
}

/// False for bytes that are not frames of zstd that can make `page_bytes` bytes.
WEFT_HOST_DEVICE inline bool has_zstd_structure(const uint8_t* bytes, uint32_t stored_bytes, uint32_t page_bytes) {
  ZstdReader in(bytes, bytes + stored_bytes);
  uint64_t made = 0;
  bool exact = true;
  if (stored_bytes == 0) return false;
  while (in.left() > 0 && !in.broken()) {
    const auto magic = static_cast<uint32_t>(in.number(4));
    if (magic >> 4 == 0x184d2a5) {  // a frame that is skipped
      in.part(static_cast<uint32_t>(in.number(4)));
      continue;
    }
    if (magic != 0xfd2fb528) return false;
    const ZstdFrame frame = read_zstd_frame_header(in);
    uint64_t least = 0;
    bool frame_exact = true;
    read_zstd_blocks(in, frame, least, frame_exact);
    if (frame.has_content_bytes) {
      if (least > frame.content_bytes || (frame_exact && least != frame.content_bytes)) return false;
      least = frame.content_bytes;
      frame_exact = true;
    }
    made += least;
    exact = exact && frame_exact;
  }
  return !in.broken() && (exact ? made == page_bytes : made <= page_bytes);
}

}  // namespace weft::gpu::kernels
