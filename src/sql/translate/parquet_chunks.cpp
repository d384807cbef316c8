#include "sql/translate/parquet_chunks.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

namespace weft::sql {
namespace {

struct Malformed {};

// Thrift's compact protocol: a struct is fields, each a byte of (id difference, wire type) and a value, up to a 0 byte.
enum Wire : uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
  kUuid = 13
};
constexpr int kMaxDepth = 32;

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  /// Calls `field(id, wire)` for each field of the struct that begins here; false: the value is to be skipped. Returns
  /// at once when stop() was called.
  template <typename Field>
  void read_struct(const Field& field) {
    int32_t id = 0;
    while (!stopped_) {
      const uint8_t head = byte();
      const auto wire = static_cast<uint8_t>(head & 15U);
      if (wire == kStop) return;
      id = (head >> 4U) != 0 ? id + (head >> 4U) : integer();
      if (!field(id, wire)) skip(wire, 0);
    }
  }
  /// What is wanted has been read.
  void stop() { stopped_ = true; }
  /// The count of a list whose elements are to be read next.
  uint64_t list() {
    const uint8_t head = byte();
    element_ = static_cast<uint8_t>(head & 15U);
    return (head >> 4U) != 15 ? head >> 4U : varint();
  }
  int32_t integer() {
    const uint64_t zigzag = varint();
    return static_cast<int32_t>(static_cast<int64_t>(zigzag >> 1U) ^ -static_cast<int64_t>(zigzag & 1U));
  }
  std::string text() {
    const std::string_view bytes = take(varint());
    return std::string(bytes);
  }

 private:
  uint8_t byte() { return static_cast<uint8_t>(take(1)[0]); }
  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_) throw Malformed{};
    const std::string_view bytes = bytes_.substr(at_, count);
    at_ += count;
    return bytes;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      value |= static_cast<uint64_t>(next & 127U) << shift;
      if (next < 128) return value;
    }
    throw Malformed{};
  }
  void skip_elements(uint8_t wire, int depth) {
    // In a list a boolean is a byte of its own; in a field it is in the head.
    if (wire == kTrue || wire == kFalse) {
      take(1);
    } else {
      skip(wire, depth);
    }
  }
  void skip(uint8_t wire, int depth) {
    if (depth > kMaxDepth) throw Malformed{};
    switch (wire) {
      case kTrue:
      case kFalse:
        return;
      case kByte:
        take(1);
        return;
      case kDouble:
        take(8);
        return;
      case kUuid:
        take(16);
        return;
      case kBinary:
        take(varint());
        return;
      case kList:
      case kSet: {
        const uint64_t count = list();
        const uint8_t element = element_;
        for (uint64_t i = 0; i < count; ++i) skip_elements(element, depth + 1);
        return;
      }
      case kMap: {
        const uint64_t count = varint();
        if (count == 0) return;
        const uint8_t types = byte();
        for (uint64_t i = 0; i < count; ++i) {
          skip_elements(types >> 4U, depth + 1);
          skip_elements(types & 15U, depth + 1);
        }
        return;
      }
      case kStruct:
        skip_struct(depth + 1);
        return;
      case kI16:
      case kI32:
      case kI64:
        varint();
        return;
      default:
        throw Malformed{};
    }
  }
  void skip_struct(int depth) {
    for (;;) {
      const uint8_t head = byte();
      const auto wire = static_cast<uint8_t>(head & 15U);
      if (wire == kStop) return;
      if ((head >> 4U) == 0) varint();
      skip(wire, depth);
    }
  }

  std::string_view bytes_;
  size_t at_ = 0;
  uint8_t element_ = 0;  // the wire type of the last list's elements
  bool stopped_ = false;
};

// ColumnMetaData: 1 type, 3 path_in_schema, 4 codec.
std::optional<ParquetChunk> read_meta_data(Reader& reader) {
  ParquetChunk chunk;
  uint64_t steps = 0;
  reader.read_struct([&](int32_t id, uint8_t wire) {
    if (id == 1) {
      chunk.physical_type = reader.integer();
    } else if (id == 4) {
      chunk.codec = reader.integer();
    } else if (id == 3 && wire == kList) {
      steps = reader.list();
      for (uint64_t i = 0; i < steps; ++i) chunk.column = reader.text();
    } else {
      return false;
    }
    return true;
  });
  if (steps != 1) return std::nullopt;
  return chunk;
}

// ColumnChunk: 3 meta_data.
void read_chunk(Reader& reader, std::vector<ParquetChunk>& chunks) {
  reader.read_struct([&](int32_t id, uint8_t wire) {
    if (id != 3 || wire != kStruct) return false;
    if (auto chunk = read_meta_data(reader)) chunks.push_back(std::move(*chunk));
    return true;
  });
}

// FileMetaData: 4 row_groups. RowGroup: 1 columns.
void read_footer(Reader& reader, std::vector<ParquetChunk>& chunks) {
  reader.read_struct([&](int32_t id, uint8_t wire) {
    if (id != 4 || wire != kList) return false;
    if (reader.list() == 0) return true;
    reader.read_struct([&](int32_t group_id, uint8_t group_wire) {
      if (group_id != 1 || group_wire != kList) return false;
      for (uint64_t left = reader.list(); left > 0; --left) read_chunk(reader, chunks);
      reader.stop();  // before the other groups
      return true;
    });
    return true;
  });
}

constexpr std::streamoff kTailBytes = 8;  // the footer's length and the magic

}  // namespace

std::vector<ParquetChunk> first_row_group_of(const std::string& footer) {
  std::vector<ParquetChunk> chunks;
  Reader reader(footer);
  try {
    read_footer(reader, chunks);
  } catch (const Malformed&) {
    return {};
  }
  return chunks;
}

std::vector<ParquetChunk> first_row_group(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string tail(kTailBytes, '\0');
  if (!file.seekg(-kTailBytes, std::ios::end) || !file.read(tail.data(), kTailBytes)) return {};
  const std::streamoff end = file.tellg();
  uint32_t length = 0;
  std::memcpy(&length, tail.data(), sizeof length);
  if (tail.compare(4, 4, "PAR1") != 0 || length > end - kTailBytes) return {};
  // The first row group is near the beginning; a long footer need not be read to its end.
  constexpr uint32_t kFirstBytes = 64 * 1024;
  for (const uint32_t bytes : {std::min(length, kFirstBytes), length}) {
    std::string footer(bytes, '\0');
    if (!file.seekg(end - kTailBytes - length) || !file.read(footer.data(), bytes)) return {};
    auto chunks = first_row_group_of(footer);
    if (!chunks.empty() || bytes == length) return chunks;
  }
  return {};
}

}  // namespace weft::sql
