#include "sql/column_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "duckdb/common/arrow/arrow_appender.hpp"
#include "duckdb/function/table/arrow/arrow_duck_schema.hpp"
#include "duckdb/main/config.hpp"
#include "sql/arrow_bridge.hpp"

namespace weft::sql {
namespace {

using duckdb::UnifiedVectorFormat;

/// The texts of a column may be written past their end by so many bytes.
constexpr uint64_t kSlackBytes = 64;

/// An Arrow buffer that grows. Begins as large as the last one was.
class Buffer {
 public:
  explicit Buffer(BufferPool& pool) : pool_(pool) {}
  /// Room for `bytes` more behind what is used, and the slack.
  uint8_t* reserve(uint64_t bytes) {
    const uint64_t needed = used_ + bytes + kSlackBytes;
    if (block_.data() == nullptr) {
      block_ = pool_.take(std::max(needed, last_bytes_));
    } else if (needed > block_.capacity()) {
      block_.grow(needed, used_);
    }
    return block_.data() + used_;
  }
  void use(uint64_t bytes) { used_ += bytes; }
  uint64_t used() const { return used_; }
  uint8_t* data() const { return block_.data(); }
  Block take() {
    last_bytes_ = std::exchange(used_, 0) + kSlackBytes;
    return std::exchange(block_, Block());
  }

 private:
  BufferPool& pool_;
  Block block_;
  uint64_t used_ = 0;
  uint64_t last_bytes_ = 0;
};

/// A buffer of bits, lowest bit first.
class Bits {
 public:
  explicit Bits(BufferPool& pool) : buffer_(pool) {}
  uint64_t size() const { return size_; }
  uint64_t bytes() const { return (size_ + 7) / 8; }
  void push(bool bit) {
    if (size_ % 8 == 0) extend(1);
    auto& byte = buffer_.data()[size_ / 8];
    const auto mask = static_cast<uint8_t>(1U << (size_ % 8));
    byte = static_cast<uint8_t>(bit ? byte | mask : byte & ~mask);
    ++size_;
  }
  void push_ones(uint64_t count) {
    for (; count > 0 && size_ % 8 != 0; --count) push(true);
    std::memset(extend(count), 0xFF, (count + 7) / 8);
    size_ += count;
  }
  /// The bytes of `count` more bits, which extended() then counts; size() must be a multiple of 8.
  uint8_t* extend(uint64_t count) {
    const uint64_t bytes = (count + 7) / 8;
    uint8_t* place = buffer_.reserve(bytes);
    buffer_.use(bytes);
    return place;
  }
  void extended(uint64_t count) { size_ += count; }
  Block take() {
    size_ = 0;
    return buffer_.take();
  }

 private:
  Buffer buffer_;
  uint64_t size_ = 0;
};

/// What an array of ours points to.
struct Owned {
  std::array<Block, 3> blocks;
  std::array<const void*, 3> buffers{};
};

engine::HostBatch make_array(std::array<Block, 3> blocks, int64_t buffers, uint64_t rows, uint64_t nulls) {
  auto owned = std::make_unique<Owned>();
  owned->blocks = std::move(blocks);
  for (size_t i = 0; i < owned->buffers.size(); ++i) owned->buffers[i] = owned->blocks[i].data();
  ArrowArray array{};
  array.length = static_cast<int64_t>(rows);
  array.null_count = static_cast<int64_t>(nulls);
  array.n_buffers = buffers;
  array.buffers = owned->buffers.data();
  array.private_data = owned.release();
  array.release = [](ArrowArray* released) {
    delete static_cast<Owned*>(released->private_data);
    released->release = nullptr;
  };
  return engine::HostBatch(array);
}

/// The validity bits of a column.
class Validity {
 public:
  explicit Validity(BufferPool& pool) : bits_(pool) {}
  void append(const UnifiedVectorFormat& format, uint64_t from, uint64_t to) {
    const uint64_t rows = to - from;
    if (format.validity.CannotHaveNull()) {
      bits_.push_ones(rows);
    } else if (!format.sel->IsSet() && from % 64 == 0 && bits_.size() % 8 == 0) {
      copy_words(format.validity.GetData() + from / 64, rows);
    } else {
      for (uint64_t row = from; row < to; ++row) {
        const bool valid = format.validity.RowIsValid(format.sel->get_index(row));
        bits_.push(valid);
        if (!valid) ++nulls_;
      }
    }
  }
  uint64_t rows() const { return bits_.size(); }
  uint64_t nulls() const { return nulls_; }
  uint64_t bytes() const { return bits_.bytes(); }
  Block take() {
    nulls_ = 0;
    return bits_.take();
  }

 private:
  void copy_words(const duckdb::validity_t* words, uint64_t rows) {
    std::memcpy(bits_.extend(rows), words, (rows + 7) / 8);
    bits_.extended(rows);
    uint64_t valid = 0;
    for (uint64_t word = 0; word < rows / 64; ++word) valid += static_cast<uint64_t>(std::popcount(words[word]));
    if (rows % 64 != 0) {
      const uint64_t last = words[rows / 64] & ((uint64_t{1} << (rows % 64)) - 1);
      valid += static_cast<uint64_t>(std::popcount(last));
    }
    nulls_ += rows - valid;
  }

  Bits bits_;
  uint64_t nulls_ = 0;
};

/// A column of values of one width; Source is DuckDB's, Target Arrow's: the same, or decimal128 for a narrower integer.
template <typename Source, typename Target>
class FixedWriter final : public ColumnWriter {
 public:
  explicit FixedWriter(std::shared_ptr<BufferPool> pool) : pool_(std::move(pool)), validity_(*pool_), values_(*pool_) {}

  void append(const duckdb::Vector& vector, uint64_t from, uint64_t to, uint64_t) override {
    UnifiedVectorFormat format;
    vector.ToUnifiedFormat(format);
    const auto* source = UnifiedVectorFormat::GetData<Source>(format);
    auto* target = reinterpret_cast<Target*>(values_.reserve((to - from) * sizeof(Target)));
    if (format.sel->IsSet()) {
      for (uint64_t row = from; row < to; ++row) *target++ = convert(source[format.sel->get_index_unsafe(row)]);
    } else if constexpr (std::is_same_v<Source, Target>) {
      std::memcpy(target, source + from, (to - from) * sizeof(Target));
    } else {
      for (uint64_t row = from; row < to; ++row) *target++ = convert(source[row]);
    }
    values_.use((to - from) * sizeof(Target));
    validity_.append(format, from, to);
  }
  uint64_t bytes() const override { return validity_.bytes() + values_.used(); }
  engine::HostBatch finish() override {
    const uint64_t rows = validity_.rows();
    const uint64_t nulls = validity_.nulls();
    return make_array({validity_.take(), values_.take(), Block()}, 2, rows, nulls);
  }

 private:
  static Target convert(Source value) {
    if constexpr (std::is_same_v<Source, Target>) {
      return value;
    } else {
      Target wide;
      wide.lower = static_cast<uint64_t>(static_cast<int64_t>(value));
      wide.upper = static_cast<int64_t>(value) >> 63;
      return wide;
    }
  }

  std::shared_ptr<BufferPool> pool_;
  Validity validity_;
  Buffer values_;
};

class BooleanWriter final : public ColumnWriter {
 public:
  explicit BooleanWriter(std::shared_ptr<BufferPool> pool)
      : pool_(std::move(pool)), validity_(*pool_), values_(*pool_) {}

  void append(const duckdb::Vector& vector, uint64_t from, uint64_t to, uint64_t) override {
    UnifiedVectorFormat format;
    vector.ToUnifiedFormat(format);
    const auto* source = UnifiedVectorFormat::GetData<bool>(format);
    uint64_t row = from;
    if (!format.sel->IsSet() && values_.size() % 8 == 0) {
      const uint64_t whole = (to - from) / 8 * 8;
      uint8_t* target = values_.extend(whole);
      for (; row < from + whole; row += 8) *target++ = pack(source + row);
      values_.extended(whole);
    }
    for (; row < to; ++row) values_.push(source[format.sel->get_index(row)]);
    validity_.append(format, from, to);
  }
  uint64_t bytes() const override { return validity_.bytes() + values_.bytes(); }
  engine::HostBatch finish() override {
    const uint64_t rows = validity_.rows();
    const uint64_t nulls = validity_.nulls();
    return make_array({validity_.take(), values_.take(), Block()}, 2, rows, nulls);
  }

 private:
  /// Eight bytes of 0 or 1 as eight bits. Where a value is NULL its byte may be anything.
  static uint8_t pack(const bool* values) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, values, sizeof bytes);
    return static_cast<uint8_t>(((bytes & 0x0101010101010101) * 0x0102040810204080) >> 56);
  }

  std::shared_ptr<BufferPool> pool_;
  Validity validity_;
  Bits values_;
};

/// VARCHAR and BLOB with 32-bit offsets.
class TextWriter final : public ColumnWriter {
 public:
  explicit TextWriter(std::shared_ptr<BufferPool> pool)
      : pool_(std::move(pool)), validity_(*pool_), offsets_(*pool_), texts_(*pool_) {}

  void append(const duckdb::Vector& vector, uint64_t from, uint64_t to, uint64_t) override {
    UnifiedVectorFormat format;
    vector.ToUnifiedFormat(format);
    if (offsets_.used() == 0) {
      *reinterpret_cast<int32_t*>(offsets_.reserve(sizeof(int32_t))) = 0;
      offsets_.use(sizeof(int32_t));
    }
    offsets_.reserve((to - from) * sizeof(int32_t));
    const bool nulls = !format.validity.CannotHaveNull();
    if (format.sel->IsSet()) {
      nulls ? append_texts<true, true>(format, from, to) : append_texts<true, false>(format, from, to);
    } else {
      nulls ? append_texts<false, true>(format, from, to) : append_texts<false, false>(format, from, to);
    }
    validity_.append(format, from, to);
  }
  uint64_t bytes() const override { return validity_.bytes() + offsets_.used() + texts_.used(); }
  engine::HostBatch finish() override {
    const uint64_t rows = validity_.rows();
    const uint64_t nulls = validity_.nulls();
    return make_array({validity_.take(), offsets_.take(), texts_.take()}, 3, rows, nulls);
  }

 private:
  template <bool Selected, bool Nulls>
  void append_texts(const UnifiedVectorFormat& format, uint64_t from, uint64_t to) {
    const auto* source = UnifiedVectorFormat::GetData<duckdb::string_t>(format);
    const auto index = [&](uint64_t row) { return Selected ? format.sel->get_index_unsafe(row) : row; };
    const auto valid = [&](uint64_t i) { return !Nulls || format.validity.RowIsValidUnsafe(i); };
    uint64_t total = 0;
    for (uint64_t row = from; row < to; ++row) {
      const auto i = index(row);
      if (valid(i)) total += source[i].GetSize();
    }
    uint8_t* const begin = texts_.reserve(total);
    const auto base = static_cast<int32_t>(texts_.used());
    auto* offset = reinterpret_cast<int32_t*>(offsets_.data() + offsets_.used());
    uint8_t* end = begin;
    for (uint64_t row = from; row < to; ++row) {
      const auto i = index(row);
      if (valid(i)) end = copy_text(end, source[i]);
      *offset++ = base + static_cast<int32_t>(end - begin);
    }
    texts_.use(total);
    offsets_.use((to - from) * sizeof(int32_t));
  }

  /// Short texts are copied in one piece of fixed size, up to the slack past their end.
  static uint8_t* copy_text(uint8_t* target, const duckdb::string_t& text) {
    const auto size = text.GetSize();
    if (size <= duckdb::string_t::INLINE_LENGTH) {
      std::memcpy(target, text.GetData(), duckdb::string_t::INLINE_LENGTH);
    } else {
      std::memcpy(target, text.GetData(), size);
    }
    return target + size;
  }

  std::shared_ptr<BufferPool> pool_;
  Validity validity_;
  Buffer offsets_;
  Buffer texts_;
};

/// Any type, as DuckDB writes it.
class DuckDBWriter final : public ColumnWriter {
 public:
  DuckDBWriter(const duckdb::LogicalType& type, duckdb::ClientProperties properties)
      : types_{type}, properties_(std::move(properties)) {}

  void append(const duckdb::Vector& vector, uint64_t from, uint64_t to, uint64_t size) override {
    if (!appender_) {
      auto extensions = duckdb::ArrowTypeExtensionData::GetExtensionTypes(*properties_.client_context, types_);
      appender_ = duckdb::make_uniq<duckdb::ArrowAppender>(types_, std::max(last_rows_, to - from), properties_,
                                                           std::move(extensions));
    }
    duckdb::DataChunk chunk;
    chunk.InitializeEmpty(types_);
    chunk.data[0].Reference(vector);
    chunk.SetChildCardinality(size);
    appender_->Append(chunk, from, to, size);
  }
  uint64_t bytes() const override { return appender_ ? appender_->ByteSize() : 0; }
  engine::HostBatch finish() override {
    last_rows_ = appender_->RowCount();
    const engine::HostBatch rows(appender_->Finalize());
    appender_.reset();
    engine::HostBatch column(*rows->children[0]);
    rows->children[0]->release = nullptr;  // moved out, as the specification has it
    return column;
  }

 private:
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::ClientProperties properties_;
  duckdb::unique_ptr<duckdb::ArrowAppender> appender_;
  uint64_t last_rows_ = 0;
};

template <typename Source, typename Target = Source>
std::unique_ptr<ColumnWriter> fixed(std::shared_ptr<BufferPool> pool) {
  return std::make_unique<FixedWriter<Source, Target>>(std::move(pool));
}

std::unique_ptr<ColumnWriter> make_decimal_writer(const duckdb::LogicalType& type, std::shared_ptr<BufferPool> pool) {
  switch (type.InternalType()) {
    case duckdb::PhysicalType::INT16:
      return fixed<int16_t, duckdb::hugeint_t>(std::move(pool));
    case duckdb::PhysicalType::INT32:
      return fixed<int32_t, duckdb::hugeint_t>(std::move(pool));
    case duckdb::PhysicalType::INT64:
      return fixed<int64_t, duckdb::hugeint_t>(std::move(pool));
    default:
      return fixed<duckdb::hugeint_t>(std::move(pool));
  }
}

/// nullptr: DuckDB's appender writes this type.
std::unique_ptr<ColumnWriter> make_direct_writer(const duckdb::LogicalType& type, std::shared_ptr<BufferPool> pool) {
  switch (type.id()) {
    case duckdb::LogicalTypeId::BOOLEAN:
      return std::make_unique<BooleanWriter>(std::move(pool));
    case duckdb::LogicalTypeId::TINYINT:
      return fixed<int8_t>(std::move(pool));
    case duckdb::LogicalTypeId::UTINYINT:
      return fixed<uint8_t>(std::move(pool));
    case duckdb::LogicalTypeId::SMALLINT:
      return fixed<int16_t>(std::move(pool));
    case duckdb::LogicalTypeId::USMALLINT:
      return fixed<uint16_t>(std::move(pool));
    case duckdb::LogicalTypeId::INTEGER:
    case duckdb::LogicalTypeId::DATE:
      return fixed<int32_t>(std::move(pool));
    case duckdb::LogicalTypeId::UINTEGER:
      return fixed<uint32_t>(std::move(pool));
    case duckdb::LogicalTypeId::BIGINT:
    case duckdb::LogicalTypeId::TIME:
    case duckdb::LogicalTypeId::TIMESTAMP_SEC:
    case duckdb::LogicalTypeId::TIMESTAMP_MS:
    case duckdb::LogicalTypeId::TIMESTAMP:
    case duckdb::LogicalTypeId::TIMESTAMP_NS:
    case duckdb::LogicalTypeId::TIMESTAMP_TZ:
      return fixed<int64_t>(std::move(pool));
    case duckdb::LogicalTypeId::UBIGINT:
      return fixed<uint64_t>(std::move(pool));
    case duckdb::LogicalTypeId::FLOAT:
      return fixed<float>(std::move(pool));
    case duckdb::LogicalTypeId::DOUBLE:
      return fixed<double>(std::move(pool));
    case duckdb::LogicalTypeId::HUGEINT:
      return fixed<duckdb::hugeint_t>(std::move(pool));
    case duckdb::LogicalTypeId::DECIMAL:
      return make_decimal_writer(type, std::move(pool));
    case duckdb::LogicalTypeId::VARCHAR:
    case duckdb::LogicalTypeId::BLOB:
      return std::make_unique<TextWriter>(std::move(pool));
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<ColumnWriter> make_column_writer(const duckdb::LogicalType& type, duckdb::ClientProperties properties,
                                                 std::shared_ptr<BufferPool> pool) {
  auto& context = *properties.client_context;
  // BOOLEAN has an extension type that DuckDB uses only in its lossless form, which is not the seam's.
  const bool extension =
      type.id() != duckdb::LogicalTypeId::BOOLEAN && duckdb::DBConfig::GetConfig(context).HasArrowExtension(type);
  if (!extension && same_form(properties, seam_properties(context))) {
    if (auto writer = make_direct_writer(type, std::move(pool))) return writer;
  }
  return std::make_unique<DuckDBWriter>(type, std::move(properties));
}

}  // namespace weft::sql
