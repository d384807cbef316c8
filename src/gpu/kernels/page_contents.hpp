// What is in a page, decompressed: whether libcudf's decoder can read its levels and values without reading outside of
// them, waiting for what is not there, or making sizes that are no int32_t. What it does notice by itself, such as an
// index that is not in the dictionary, passes. Columns that are not nested.
#pragma once

#include <cstdint>

#include "gpu/kernels/page_deltas.hpp"
#include "gpu/kernels/page_runs.hpp"
#include "gpu/kernels/page_walk.hpp"

namespace weft::gpu::kernels {

/// What the checks of data pages ask of their chunk's dictionary page.
struct Dictionary {
  uint32_t entries = 0;
  uint32_t longest = 0;         // entry of texts, in bytes
  uint32_t* lengths = nullptr;  // of BYTE_ARRAY entries
};

/// The bytes of a page's two parts. `values` of a v1 page has the levels in front.
struct PageParts {
  const uint8_t* levels = nullptr;  // of a v2 page
  const uint8_t* values = nullptr;
  uint32_t level_bytes = 0;
  uint32_t value_bytes = 0;
};

/// Bytes of one value; 0 for BOOLEAN and BYTE_ARRAY.
WEFT_HOST_DEVICE inline uint32_t value_width(const ChunkToWalk& chunk) {
  switch (chunk.type) {
    case PhysicalType::Int32:
    case PhysicalType::Float:
      return 4;
    case PhysicalType::Int64:
    case PhysicalType::Double:
      return 8;
    case PhysicalType::Int96:
      return 12;
    case PhysicalType::FixedLenByteArray:
      return chunk.type_length;
    default:
      return 0;
  }
}

/// Where a chunk's pages are decompressed to be looked at: offsets in a piece of memory of its own.
struct ChunkScratch {
  uint64_t bytes = 0;
  uint64_t lengths = 0;     // of Dictionary::lengths
  uint32_t pages = 0;       // that are decompressed
  uint32_t page_bytes = 0;  // of the largest of them
};

struct WalkedChunk {
  ChunkWalk walk;
  ChunkScratch scratch;
};

/// Whether the checks look at more than a page's sizes and a v2 page's levels.
WEFT_HOST_DEVICE inline bool reads_values(const ChunkToWalk& chunk, const StoredPage& page) {
  if (page.kind == kDictionaryPage) return chunk.type == PhysicalType::ByteArray;
  if (page.kind == kDataPage && chunk.nullable) return true;
  const bool fixed = page.encoding == kByteStreamSplit || page.encoding == kPlain;
  return !fixed || chunk.type == PhysicalType::ByteArray;
}

/// Gives a page a place in its chunk's scratch, if its values are looked at and not there yet.
WEFT_HOST_DEVICE inline void place_in_scratch(const ChunkToWalk& chunk, StoredPage& page, ChunkScratch& scratch) {
  if (chunk.codec == PageCodec::Other || !reads_values(chunk, page)) return;
  const auto take = [&](uint64_t bytes) {
    const uint64_t offset = scratch.bytes;
    scratch.bytes += (bytes + 15) / 16 * 16;
    return offset;
  };
  if (page.kind == kDictionaryPage) scratch.lengths = take(static_cast<uint64_t>(page.values) * sizeof(uint32_t));
  if (page.codec == PageCodec::None || page.page_bytes == 0) return;
  page.scratch = take(page.page_bytes);
  page.stream = scratch.pages++;
  if (page.page_bytes > scratch.page_bytes) scratch.page_bytes = page.page_bytes;
}

/// `scratch`: the chunk's.
WEFT_HOST_DEVICE inline PageParts parts_of(const StoredPage& page, const uint8_t* scratch) {
  const uint8_t* const values = page.scratch == kNotInScratch ? page.bytes : scratch + page.scratch;
  return {page.levels, values, page.level_bytes, page.page_bytes};
}

/// `count` texts with their lengths in front, from `at` on; each(number, length) for all of them.
template <typename Bytes, typename Each>
WEFT_HOST_DEVICE bool walk_plain_texts(Bytes& bytes, uint32_t at, int64_t count, Each&& each) {
  for (int64_t i = 0; i < count; ++i) {
    if (bytes.size() - at < 4) return false;
    const uint32_t length = bytes.word(at);
    at += 4;
    if (length > bytes.size() - at) return false;
    at += length;
    each(i, length);
  }
  return true;
}

/// The chunk's dictionary page. `dictionary.lengths` has a place for each entry of BYTE_ARRAY.
template <typename Bytes>
WEFT_HOST_DEVICE PageProblem check_dictionary(const ChunkToWalk& chunk, const StoredPage& page, const PageParts& parts,
                                              Bytes& bytes, Dictionary& dictionary) {
  const auto entries = static_cast<uint32_t>(page.values);
  if (chunk.type != PhysicalType::ByteArray) {
    const uint32_t width = value_width(chunk);
    if (width == 0 || parts.value_bytes % width != 0 || parts.value_bytes / width < entries)
      return PageProblem::Entries;
    dictionary.entries = entries;
    dictionary.longest = width;
    return PageProblem::None;
  }
  uint32_t longest = 0;
  bytes.open(parts.values, parts.value_bytes);
  const bool good = walk_plain_texts(bytes, 0, entries, [&](int64_t number, uint32_t length) {
    if (bytes.lane() == 0) dictionary.lengths[number] = length;
    longest = length > longest ? length : longest;
  });
  if (!good) return PageProblem::Entries;
  dictionary.entries = entries;
  dictionary.longest = longest;
  return PageProblem::None;
}

/// The texts that the indices stand for are looked up one by one.
template <typename Bytes>
WEFT_HOST_DEVICE PageProblem check_each_index(Bytes& bytes, uint32_t at, uint32_t width, int64_t count,
                                              const Dictionary& dictionary) {
  uint64_t sum = 0;
  bool bad = false;
  const auto take = [&](uint64_t index, uint64_t times) {
    if (index >= dictionary.entries) {
      bad = true;
      return;
    }
    sum += times * (dictionary.lengths == nullptr ? dictionary.longest : dictionary.lengths[index]);
  };
  walk_runs(bytes, at, bytes.size(), width, count, [&](const Run& run, int64_t values) {
    if (!run.literal) {
      const uint32_t index = repeated_value(bytes, run);
      if (bytes.lane() == 0) take(index, static_cast<uint64_t>(values));
      return true;
    }
    for (int64_t i = bytes.lane(); i < values; i += bytes.lanes()) take(literal_value(bytes, run, width, i), 1);
    return true;
  });
  if (bytes.any(bad)) return PageProblem::Indices;
  return bytes.sum(sum) > static_cast<uint64_t>(kMaxInt32) ? PageProblem::TooLong : PageProblem::None;
}

/// Dictionary indices from `at` on: their width in bits, and runs.
template <typename Bytes>
WEFT_HOST_DEVICE PageProblem check_indices(const ChunkToWalk& chunk, Bytes& bytes, uint32_t at, int64_t count,
                                           const Dictionary& dictionary) {
  constexpr uint32_t kMaxWidth = 32;
  constexpr uint32_t kMaxSafeWidth = 24;  // an index times the 16 bytes of libcudf's entries is an int32_t
  if (count == 0) return PageProblem::None;
  if (at == bytes.size()) return PageProblem::Indices;
  const uint32_t width = bytes.byte(at++);
  if (width > kMaxWidth || dictionary.entries == 0) return PageProblem::Indices;
  if (width == 0 && !chunk.text) return PageProblem::None;
  const bool good = walk_runs(bytes, at, bytes.size(), width, count, [&](const Run& run, int64_t) {
    return run.literal || !chunk.text || repeated_value(bytes, run) < (uint64_t{1} << width);
  });
  if (!good) return PageProblem::Indices;
  if (!chunk.text && chunk.type != PhysicalType::Int96) return PageProblem::None;
  const uint64_t most = static_cast<uint64_t>(count) * dictionary.longest;
  if (width <= kMaxSafeWidth && most <= static_cast<uint64_t>(kMaxInt32)) return PageProblem::None;
  return check_each_index(bytes, at, width, count, dictionary);
}

WEFT_HOST_DEVICE inline PageProblem problem_of(Deltas found) {
  switch (found) {
    case Deltas::Good:
      return PageProblem::None;
    case Deltas::TooLong:
      return PageProblem::TooLong;
    case Deltas::NotReadable:
      return PageProblem::NotReadable;
    default:
      return PageProblem::Deltas;
  }
}

/// One of the three encodings of differences.
template <typename Bytes>
WEFT_HOST_DEVICE PageProblem check_delta_values(const ChunkToWalk& chunk, const StoredPage& page, const Bytes& bytes,
                                                int64_t count) {
  switch (page.encoding) {
    case kDeltaBinaryPacked:
      if (static_cast<int64_t>(page.values) * 8 > kMaxInt32) return PageProblem::TooLong;
      return problem_of(check_deltas(bytes, count));
    case kDeltaLengthByteArray:
      return problem_of(check_delta_lengths(bytes, count));
    default:
      if (!chunk.text) return PageProblem::NotReadable;  // libcudf has no kernel for decimals in it
      return problem_of(check_delta_texts(bytes, count, chunk.type == PhysicalType::ByteArray ? 0 : chunk.type_length));
  }
}

/// PLAIN values, from `at` on.
template <typename Bytes>
WEFT_HOST_DEVICE PageProblem check_plain(const ChunkToWalk& chunk, Bytes& bytes, uint32_t at, int64_t count) {
  if (chunk.type == PhysicalType::ByteArray) {
    return bytes.skip_texts(at, static_cast<uint32_t>(count)) ? PageProblem::None : PageProblem::Lengths;
  }
  const auto left = static_cast<uint64_t>(bytes.size() - at);
  const auto values = static_cast<uint64_t>(count);
  const uint64_t needed = chunk.type == PhysicalType::Boolean ? (values + 7) / 8 : values * value_width(chunk);
  return left < needed ? PageProblem::TooShort : PageProblem::None;
}

/// RLE BOOLEANs: how many bytes, and runs.
template <typename Bytes>
WEFT_HOST_DEVICE PageProblem check_boolean_runs(Bytes& bytes, uint32_t at, int64_t count) {
  if (bytes.size() - at < 4 || bytes.word(at) > bytes.size() - at - 4) return PageProblem::TooShort;
  const auto none = [](const Run&, int64_t) { return true; };
  return walk_runs(bytes, at + 4, bytes.size(), 1, count, none) ? PageProblem::None : PageProblem::TooShort;
}

/// The values of a data page, `count` of them, from `at` on.
template <typename Bytes>
WEFT_HOST_DEVICE PageProblem check_values(const ChunkToWalk& chunk, const StoredPage& page, Bytes& bytes, uint32_t at,
                                          int64_t count, const Dictionary& dictionary, const PageParts& parts) {
  if (chunk.text && chunk.type == PhysicalType::FixedLenByteArray &&
      static_cast<int64_t>(page.values) * chunk.type_length > kMaxInt32) {
    return PageProblem::TooLong;
  }
  switch (page.encoding) {
    case kPlain:
    case kByteStreamSplit:
      return check_plain(chunk, bytes, at, count);
    case kPlainDictionary:
    case kRleDictionary:
      return check_indices(chunk, bytes, at, count, dictionary);
    case kRle:
      return check_boolean_runs(bytes, at, count);
    default:
      break;
  }
  bytes.open(parts.values + at, parts.value_bytes - at);
  return check_delta_values(chunk, page, bytes, count);
}

/// A data page. parts.values may be null if reads_values() is false for it.
template <typename Bytes>
WEFT_HOST_DEVICE PageProblem check_data_page(const ChunkToWalk& chunk, const StoredPage& page, const PageParts& parts,
                                             const Dictionary& dictionary, Bytes& bytes) {
  if (page.values == 0) return PageProblem::None;
  int64_t count = page.values;
  uint32_t at = 0;
  if (page.kind == kDataPageV2 && chunk.nullable) {
    bytes.open(parts.levels, parts.level_bytes);
    count = parts.level_bytes == 0 ? -1 : count_defined(bytes, 0, parts.level_bytes, page.values);
  }
  bytes.open(parts.values, parts.value_bytes);
  if (page.kind == kDataPage && chunk.nullable) {
    if (page.level_encoding != kRle) return PageProblem::Levels;
    if (parts.value_bytes < 5) return PageProblem::Levels;
    const uint32_t level_bytes = bytes.word(0);
    if (level_bytes == 0 || level_bytes > parts.value_bytes - 4) return PageProblem::Levels;
    at = 4 + level_bytes;
    count = count_defined(bytes, 4, at, page.values);
  }
  if (count < 0) return PageProblem::Levels;
  return check_values(chunk, page, bytes, at, count, dictionary, parts);
}

}  // namespace weft::gpu::kernels
