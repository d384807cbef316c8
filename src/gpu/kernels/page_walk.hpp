// The walk over the page headers of one stored column chunk. A header is a Thrift struct in the compact protocol
// (parquet.thrift, PageHeader). Reads only the bytes that it is given, on the host or the device.
//
// libcudf's reader trusts much of what the headers say, so whatever passes here must mean the same to its parser:
// fields of another type than the format's, repeated headers and containers that its parser cannot skip are damage.
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"

namespace weft::gpu::kernels {

enum class PageProblem : uint32_t {
  None,
  Header,  // not a Thrift struct, or not with the fields of its kind of page
  Kind,    // neither a data page nor a dictionary page
  Sizes,   // negative sizes, a page that ends after its chunk, levels longer than their page, a codec's impossibility
  Dictionary,  // two dictionaries, one behind data pages, more entries than bytes, or none where one is needed
  Encoding,    // one that the column's type cannot have
  Values,      // the pages' values do not add up to the chunk's
  Compressed,  // what is compressed is not what its codec makes, or of another size
  // page_contents.hpp:
  Levels,       // definition levels that cannot be read
  Entries,      // the dictionary's entries do not fit in their page
  Indices,      // no dictionary indices, or too few
  Lengths,      // texts do not fit in their page
  TooShort,     // fewer values than there should be
  Deltas,       // no DELTA encoding, or too few values
  TooLong,      // more than libcudf can address in a page
  NotReadable,  // an encoding of differences that libcudf cannot read
  GzipFields,   // optional fields in a gzip header
};

/// The numbers of parquet.thrift.
enum class PhysicalType : uint8_t { Boolean, Int32, Int64, Int96, Float, Double, ByteArray, FixedLenByteArray };

enum PageKind : int32_t { kDataPage = 0, kDictionaryPage = 2, kDataPageV2 = 3 };

enum PageEncoding : int32_t {
  kPlain = 0,
  kPlainDictionary = 2,
  kRle = 3,
  kDeltaBinaryPacked = 5,
  kDeltaLengthByteArray = 6,
  kDeltaByteArray = 7,
  kRleDictionary = 8,
  kByteStreamSplit = 9,
};

/// `Other`: pages whose contents are not looked at.
enum class PageCodec : uint32_t { None, Snappy, Zstd, Gzip, Lz4, Other };

struct ChunkToWalk {
  const uint8_t* bytes = nullptr;
  uint64_t size_bytes = 0;
  int64_t values = 0;  // NULLs too
  PhysicalType type = PhysicalType::Int32;
  PageCodec codec = PageCodec::None;
  uint32_t type_length = 0;  // of FixedLenByteArray
  bool nullable = false;     // there are definition levels, of one bit
  bool text = false;         // decoded as strings: ByteArray, FixedLenByteArray that is no decimal
};

constexpr uint64_t kNotInScratch = ~uint64_t{0};

/// One page, without a v2 page's levels.
struct StoredPage {
  const uint8_t* bytes = nullptr;
  uint32_t stored_bytes = 0;
  uint32_t page_bytes = 0;            // when decompressed
  PageCodec codec = PageCodec::None;  // None: as it is
  int32_t kind = -1;                  // of PageKind; -1: no page
  int32_t values = 0;
  int32_t encoding = 0;
  int32_t level_encoding = kRle;    // of the definition levels
  const uint8_t* levels = nullptr;  // a v2 page's definition levels
  uint32_t level_bytes = 0;
  // Where page_contents.hpp has it decompressed:
  uint32_t chunk = 0;
  uint32_t stream = 0;               // number of those of its chunk
  uint64_t scratch = kNotInScratch;  // offset in those of its chunk
};

struct ChunkWalk {
  uint64_t pages = 0;  // walked, the bad one too
  PageProblem problem = PageProblem::None;
};

struct PageHeader {
  int32_t kind = -1;  // of PageKind
  int32_t page_bytes = -1;
  int32_t stored_bytes = -1;
  int32_t values = -1;
  int32_t encoding = -1;
  int32_t level_encoding = -1;                // v1: of the definition levels
  int32_t repetition_bytes = 0;               // v2: in front of the definition levels
  int32_t level_bytes = 0;                    // v2: of both, in front of the values, never compressed
  int32_t rows = -1;                          // v2
  bool compressed = true;                     // v2: the values are
  const uint8_t* stored_bytes_at = nullptr;   // where the header says stored_bytes,
  const uint8_t* stored_bytes_end = nullptr;  // and behind it
};

/// A cursor over Thrift's compact protocol. Past the end, or at anything malformed, it is broken and gives zeros.
class ThriftCursor {
 public:
  WEFT_HOST_DEVICE ThriftCursor(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}

  WEFT_HOST_DEVICE const uint8_t* at() const { return at_; }
  WEFT_HOST_DEVICE bool broken() const { return broken_; }
  WEFT_HOST_DEVICE void set_broken() { broken_ = true; }

  WEFT_HOST_DEVICE uint32_t byte() {
    if (broken_ || at_ == end_) {
      broken_ = true;
      return 0;
    }
    return *at_++;
  }

  /// A varint of at most `bits` bits. (libcudf keeps 32 of them: an I64 is only ever skipped.)
  WEFT_HOST_DEVICE uint64_t varint(uint32_t bits) {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < bits; shift += 7) {
      const uint32_t next = byte();
      value |= uint64_t{next & 0x7f} << shift;
      if ((next & 0x80) == 0 && (bits == 64 || value >> bits == 0)) return value;
    }
    broken_ = true;
    return 0;
  }

  WEFT_HOST_DEVICE int32_t zigzag() {
    const auto value = static_cast<uint32_t>(varint(32));
    return static_cast<int32_t>((value >> 1) ^ (0U - (value & 1)));
  }

  WEFT_HOST_DEVICE void skip_bytes(uint64_t count) {
    if (count > static_cast<uint64_t>(end_ - at_)) {
      broken_ = true;
    } else {
      at_ += count;
    }
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool broken_ = false;
};

enum ThriftType : uint32_t {
  kThriftTrue = 1,
  kThriftFalse = 2,
  kThriftI8 = 3,
  kThriftI16 = 4,
  kThriftI32 = 5,
  kThriftI64 = 6,
  kThriftDouble = 7,
  kThriftBinary = 8,
  kThriftList = 9,
  kThriftSet = 10,
  kThriftStruct = 12,
};

/// The next field of a struct: its type, 0 at the struct's end (and when the cursor is broken).
WEFT_HOST_DEVICE inline uint32_t next_field(ThriftCursor& cursor, int32_t& field) {
  const uint32_t head = cursor.byte();
  if (head == 0) return 0;
  const uint32_t delta = head >> 4;
  field = delta != 0 ? field + static_cast<int32_t>(delta) : cursor.zigzag();
  if ((head & 0xf) == 0) cursor.set_broken();  // libcudf's parser would read on
  return cursor.broken() ? 0 : head & 0xf;
}

/// Skips a value that is no container.
WEFT_HOST_DEVICE inline void skip_scalar(ThriftCursor& cursor, uint32_t type) {
  switch (type) {
    case kThriftTrue:
    case kThriftFalse:
      return;
    case kThriftI8:
      return cursor.skip_bytes(1);
    case kThriftI16:
    case kThriftI32:
    case kThriftI64:
      cursor.varint(64);
      return;
    case kThriftDouble:
      return cursor.skip_bytes(8);
    case kThriftBinary:
      return cursor.skip_bytes(cursor.varint(32));
    default:
      cursor.set_broken();
  }
}

/// Skips one field: a scalar, a struct of fields (page statistics), a list of numbers or binaries.
WEFT_HOST_DEVICE inline void skip_field(ThriftCursor& cursor, uint32_t type) {
  uint32_t open = 0;
  int32_t field = 0;
  do {
    if (type == kThriftStruct) {
      ++open;
    } else if (type == kThriftList || type == kThriftSet) {
      const uint32_t head = cursor.byte();
      const uint64_t count = (head >> 4) == 0xf ? cursor.varint(32) : head >> 4;
      // A list of booleans has a byte each, unlike a field: libcudf's parser does not know that.
      if ((head & 0xf) == kThriftTrue || (head & 0xf) == kThriftFalse) cursor.set_broken();
      for (uint64_t i = 0; i < count && !cursor.broken(); ++i) skip_scalar(cursor, head & 0xf);
    } else {
      skip_scalar(cursor, type);
    }
    while (open > 0 && !cursor.broken()) {
      type = next_field(cursor, field);
      if (type != 0) break;
      --open;
    }
  } while (open > 0 && !cursor.broken());
}

WEFT_HOST_DEVICE inline int32_t i32_field(ThriftCursor& cursor, uint32_t type) {
  if (type != kThriftI32) cursor.set_broken();
  return cursor.zigzag();
}

/// The struct of one kind of page, into `header`.
WEFT_HOST_DEVICE inline void read_kind(ThriftCursor& cursor, int32_t kind, PageHeader& header) {
  const bool v2 = kind == kDataPageV2;
  int32_t definition_bytes = 0;
  int32_t repetition_bytes = 0;
  int32_t nulls = 0;
  int32_t field = 0;
  for (uint32_t type = next_field(cursor, field); type != 0; type = next_field(cursor, field)) {
    if (field == 1) {
      header.values = i32_field(cursor, type);
    } else if (field == (v2 ? 4 : 2)) {
      header.encoding = i32_field(cursor, type);
    } else if (v2 && field == 2) {
      nulls = i32_field(cursor, type);
    } else if (v2 && field == 5) {
      definition_bytes = i32_field(cursor, type);
    } else if (v2 && field == 6) {
      repetition_bytes = i32_field(cursor, type);
    } else if (v2 && field == 7) {
      if (type != kThriftTrue && type != kThriftFalse) cursor.set_broken();
      header.compressed = type == kThriftTrue;
    } else if (v2 && field == 3) {
      header.rows = i32_field(cursor, type);
    } else if (kind == 0 && field == 3) {
      header.level_encoding = i32_field(cursor, type);
    } else if (kind == 0 && field == 4) {
      i32_field(cursor, type);  // the repetition levels' encoding: libcudf reads it
    } else {
      skip_field(cursor, type);
    }
  }
  constexpr int32_t kMaxLevelBytes = (1 << 30) - 1;  // of each: their sum is an int32_t
  if (definition_bytes < 0 || repetition_bytes < 0 || definition_bytes > kMaxLevelBytes ||
      repetition_bytes > kMaxLevelBytes || nulls < 0 || nulls > header.values) {
    cursor.set_broken();
    return;
  }
  header.repetition_bytes = repetition_bytes;
  header.level_bytes = definition_bytes + repetition_bytes;
}

/// Breaks the cursor unless there is a header with everything that its kind of page needs.
WEFT_HOST_DEVICE inline PageHeader read_page_header(ThriftCursor& cursor) {
  PageHeader header;
  int32_t described = -1;  // the kind of page that the header has the struct of
  int32_t field = 0;
  for (uint32_t type = next_field(cursor, field); type != 0; type = next_field(cursor, field)) {
    if (field == 1) {
      header.kind = i32_field(cursor, type);
    } else if (field == 2) {
      header.page_bytes = i32_field(cursor, type);
    } else if (field == 3) {
      header.stored_bytes_at = cursor.at();
      header.stored_bytes = i32_field(cursor, type);
      header.stored_bytes_end = cursor.at();
    } else if (field == 5 || field == 7 || field == 8) {
      if (type != kThriftStruct || described != -1) cursor.set_broken();
      described = field - 5;  // 0, 2, 3
      read_kind(cursor, described, header);
    } else {
      skip_field(cursor, type);
    }
  }
  if (header.kind == kDataPage || header.kind == kDictionaryPage || header.kind == kDataPageV2) {
    if (described != header.kind || header.values < 0 || header.encoding < 0) cursor.set_broken();
  }
  return header;
}

WEFT_HOST_DEVICE inline bool needs_dictionary(int32_t encoding) {
  return encoding == kPlainDictionary || encoding == kRleDictionary;
}

/// Whether data pages of the type can have the encoding (parquet.thrift, Encoding). libcudf picks the kernel by the
/// encoding alone, and one for another type writes values of another width.
WEFT_HOST_DEVICE inline bool can_encode(PhysicalType type, int32_t encoding) {
  using T = PhysicalType;
  switch (encoding) {
    case kPlain:
      return true;
    case kPlainDictionary:
    case kRleDictionary:
      return type != T::Boolean;
    case kRle:
      return type == T::Boolean;
    case kDeltaBinaryPacked:
      return type == T::Int32 || type == T::Int64;
    case kDeltaLengthByteArray:
      return type == T::ByteArray;
    case kDeltaByteArray:
      return type == T::ByteArray || type == T::FixedLenByteArray;
    case kByteStreamSplit:
      return type != T::Boolean && type != T::Int96 && type != T::ByteArray;
    default:
      return false;
  }
}

WEFT_HOST_DEVICE inline PageProblem check_header(const ChunkToWalk& chunk, const PageHeader& header, uint64_t left,
                                                 bool first, bool& dictionary) {
  if (header.kind != kDataPage && header.kind != kDictionaryPage && header.kind != kDataPageV2)
    return PageProblem::Kind;
  if (header.page_bytes < 0 || header.stored_bytes < 0 || static_cast<uint64_t>(header.stored_bytes) > left ||
      header.level_bytes > header.page_bytes || header.level_bytes > header.stored_bytes) {
    return PageProblem::Sizes;
  }
  const bool compressed = chunk.codec != PageCodec::None && header.compressed;
  if (!compressed && header.stored_bytes != header.page_bytes) return PageProblem::Sizes;
  // libcudf leaves a page as it found it if there is nothing to decompress.
  if (header.stored_bytes == header.level_bytes && header.page_bytes != header.level_bytes) return PageProblem::Sizes;
  if (header.kind == kDictionaryPage) {
    const int32_t most = chunk.type == PhysicalType::ByteArray ? header.page_bytes / 4 : header.page_bytes;
    if (!first || header.values > most) return PageProblem::Dictionary;
    if (header.encoding != kPlain && header.encoding != kPlainDictionary) return PageProblem::Encoding;
    dictionary = true;
    return PageProblem::None;
  }
  if (header.kind == kDataPageV2 && header.rows != header.values) return PageProblem::Values;  // no lists here
  if (!can_encode(chunk.type, header.encoding)) return PageProblem::Encoding;
  if (needs_dictionary(header.encoding) && !dictionary) return PageProblem::Dictionary;
  return PageProblem::None;
}

/// The page behind a header that passed check_header.
WEFT_HOST_DEVICE inline StoredPage stored_page(const ChunkToWalk& chunk, const PageHeader& header, const uint8_t* at) {
  StoredPage page;
  page.bytes = at + header.level_bytes;
  page.stored_bytes = static_cast<uint32_t>(header.stored_bytes - header.level_bytes);
  page.page_bytes = static_cast<uint32_t>(header.page_bytes - header.level_bytes);
  if (header.compressed && page.stored_bytes > 0) page.codec = chunk.codec;
  page.kind = header.kind;
  page.values = header.values;
  page.encoding = header.encoding;
  page.level_encoding = header.level_encoding;
  page.levels = at + header.repetition_bytes;
  page.level_bytes = static_cast<uint32_t>(header.level_bytes - header.repetition_bytes);
  return page;
}

/// Walks the chunk's pages up to the first problem; visit(page number, the header's first byte, PageHeader, the
/// content's first byte) for each sound one.
template <typename Visit>
WEFT_HOST_DEVICE ChunkWalk visit_pages(const ChunkToWalk& chunk, Visit&& visit) {
  ChunkWalk walk;
  int64_t values = 0;
  bool dictionary = false;
  const uint8_t* const end = chunk.bytes + chunk.size_bytes;
  for (const uint8_t* at = chunk.bytes; at != end;) {
    ThriftCursor cursor(at, end);
    const PageHeader header = read_page_header(cursor);
    ++walk.pages;
    walk.problem = PageProblem::Header;
    if (cursor.broken()) return walk;
    const uint8_t* const content = cursor.at();
    walk.problem = check_header(chunk, header, static_cast<uint64_t>(end - content), walk.pages == 1, dictionary);
    if (walk.problem != PageProblem::None) return walk;
    if (header.kind != kDictionaryPage) values += header.values;
    visit(walk.pages - 1, at, header, content);
    at = content + header.stored_bytes;
  }
  if (values != chunk.values) walk.problem = PageProblem::Values;
  return walk;
}

/// As visit_pages; found(page number, StoredPage) for each page.
template <typename Found>
WEFT_HOST_DEVICE ChunkWalk walk_pages(const ChunkToWalk& chunk, Found&& found) {
  return visit_pages(chunk, [&](uint64_t number, const uint8_t* /*header_at*/, const PageHeader& header,
                                const uint8_t* content) { found(number, stored_page(chunk, header, content)); });
}

}  // namespace weft::gpu::kernels
