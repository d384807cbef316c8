#include "gpu/io/file_columns.hpp"

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "support/cast_table.hpp"
#include "support/parquet_column.hpp"

namespace weft::gpu {
namespace {

namespace parquet = cudf::io::parquet;
using plan::Type;
using plan::TypeId;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Type integer_type(int bits, bool is_signed) {
  switch (bits) {
    case 8:
      return Type::of(is_signed ? TypeId::TinyInt : TypeId::UTinyInt);
    case 16:
      return Type::of(is_signed ? TypeId::SmallInt : TypeId::USmallInt);
    case 32:
      return Type::of(is_signed ? TypeId::Integer : TypeId::UInteger);
    default:
      return Type::of(is_signed ? TypeId::BigInt : TypeId::UBigInt);
  }
}

Type unsupported(std::string text) { return Type{TypeId::Unsupported, 0, 0, std::move(text)}; }

bool is_in_utc(const parquet::LogicalType& logical) {
  return logical.type == parquet::LogicalType::TIMESTAMP && logical.timestamp_type->isAdjustedToUTC;
}

Type timestamp_type(const parquet::LogicalType& logical) {
  // There are no milliseconds with a time zone in DuckDB: they are cast where they are read.
  if (logical.is_timestamp_millis()) return Type::of(TypeId::TimestampMs);
  const bool in_utc = is_in_utc(logical);
  if (logical.is_timestamp_nanos()) return Type::of(in_utc ? TypeId::TimestampTzNs : TypeId::TimestampNs);
  return Type::of(in_utc ? TypeId::TimestampTz : TypeId::Timestamp);
}

/// Milliseconds are made microseconds where they are read.
Type time_type(const parquet::SchemaElement& element, const parquet::LogicalType& logical) {
  if (logical.time_type->isAdjustedToUTC) return unsupported("TIME WITH TIME ZONE " + element.name);
  return Type::of(logical.is_time_nanos() ? TypeId::TimeNs : TypeId::Time);
}

Type logical_type(const parquet::SchemaElement& element, const parquet::LogicalType& logical) {
  using L = parquet::LogicalType;
  switch (logical.type) {
    case L::STRING:
    case L::ENUM:
    case L::JSON:
      return Type::of(TypeId::Varchar);
    case L::DECIMAL:
      return Type::decimal(static_cast<uint8_t>(logical.precision()), static_cast<uint8_t>(logical.scale()));
    case L::DATE:
      return Type::of(TypeId::Date);
    case L::INTEGER:
      return integer_type(logical.bit_width(), logical.is_signed());
    case L::TIMESTAMP:
      return timestamp_type(logical);
    case L::TIME:
      return time_type(element, logical);
    default:
      return unsupported("Parquet logical type " + std::to_string(static_cast<int>(logical.type)) + " of " +
                         element.name);
  }
}

std::optional<Type> converted_type(const parquet::SchemaElement& element) {
  using C = parquet::ConvertedType;
  if (!element.converted_type) return std::nullopt;
  switch (*element.converted_type) {
    case C::UTF8:
    case C::ENUM:
    case C::JSON:
      return Type::of(TypeId::Varchar);
    case C::DECIMAL:
      return Type::decimal(static_cast<uint8_t>(element.decimal_precision),
                           static_cast<uint8_t>(element.decimal_scale));
    case C::DATE:
      return Type::of(TypeId::Date);
    case C::TIME_MILLIS:
    case C::TIME_MICROS:
      return Type::of(TypeId::Time);
    case C::TIMESTAMP_MILLIS:
      return Type::of(TypeId::TimestampMs);
    case C::TIMESTAMP_MICROS:
      return Type::of(TypeId::Timestamp);
    case C::UINT_8:
      return integer_type(8, false);
    case C::UINT_16:
      return integer_type(16, false);
    case C::UINT_32:
      return integer_type(32, false);
    case C::UINT_64:
      return integer_type(64, false);
    case C::INT_8:
      return integer_type(8, true);
    case C::INT_16:
      return integer_type(16, true);
    case C::INT_32:
      return integer_type(32, true);
    case C::INT_64:
      return integer_type(64, true);
    default:
      return std::nullopt;
  }
}

Type type_of(const parquet::SchemaElement& element) {
  if (element.num_children != 0) return unsupported("nested column " + element.name);
  if (element.logical_type.has_value() && element.logical_type->type != parquet::LogicalType::UNDEFINED) {
    return logical_type(element, *element.logical_type);
  }
  if (const auto converted = converted_type(element)) return *converted;
  switch (element.type) {
    case parquet::Type::BOOLEAN:
      return Type::of(TypeId::Boolean);
    case parquet::Type::INT32:
      return Type::of(TypeId::Integer);
    case parquet::Type::INT64:
      return Type::of(TypeId::BigInt);
    case parquet::Type::FLOAT:
      return Type::of(TypeId::Float);
    case parquet::Type::DOUBLE:
      return Type::of(TypeId::Double);
    case parquet::Type::BYTE_ARRAY:
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return Type::of(TypeId::Blob);
    default:
      return unsupported("Parquet type " + std::to_string(static_cast<int>(element.type)) + " of " + element.name);
  }
}

struct TopLevelColumn {
  const parquet::SchemaElement* element;
  size_t leaf;
};

/// The columns directly below the root; `leaf` counts the leaves before each.
std::vector<TopLevelColumn> top_level(const parquet::FileMetaData& footer) {
  std::vector<TopLevelColumn> columns;
  size_t leaf = 0;
  for (size_t at = 1; at < footer.schema.size();) {
    columns.push_back({&footer.schema[at], leaf});
    size_t open = 1;  // walk over this column's subtree
    while (open > 0 && at < footer.schema.size()) {
      const auto& element = footer.schema[at++];
      open += static_cast<size_t>(element.num_children) - 1;
      if (element.num_children == 0) ++leaf;
    }
  }
  return columns;
}

const TopLevelColumn* find(const std::vector<TopLevelColumn>& columns, const std::string& name) {
  for (const TopLevelColumn& column : columns) {
    if (column.element->name == name) return &column;
  }
  for (const TopLevelColumn& column : columns) {
    if (lower(column.element->name) == lower(name)) return &column;
  }
  return nullptr;
}

StoredType stored_type(const parquet::SchemaElement& element, const Type& type) {
  const bool fixed_length = element.type == parquet::Type::FIXED_LEN_BYTE_ARRAY;
  const bool bytes = fixed_length || element.type == parquet::Type::BYTE_ARRAY;
  return {element.type, fixed_length ? static_cast<uint32_t>(std::max(element.type_length, 0)) : 0,
          element.max_definition_level == 1, bytes && !type.is_decimal()};
}

/// libcudf knows no annotation of a UUID but that there is one; DuckDB has told what it is.
bool is_stored_uuid(const parquet::SchemaElement& element, const Type& type, const Type& bound) {
  return bound.id == TypeId::Uuid && type.id == TypeId::Blob && element.logical_type.has_value() &&
         element.type == parquet::Type::FIXED_LEN_BYTE_ARRAY && element.type_length == 16;
}

/// Why the GPU cannot read the column; empty if it can.
std::string refusal(const parquet::FileMetaData& footer, const TopLevelColumn& column, const Type& type,
                    const Type& bound) {
  const auto physical_type = static_cast<int32_t>(column.element->type);
  for (const parquet::RowGroup& group : footer.row_groups) {
    const auto codec = static_cast<int32_t>(group.columns.at(column.leaf).meta_data.codec);
    for (const Type& wanted : {bound, type}) {
      const std::string refused = support::refused_parquet_column(physical_type, codec, wanted);
      if (!refused.empty()) return refused;
    }
  }
  if (type.id == TypeId::Unsupported) return type.text;
  if (column.element->logical_type.has_value() != (bound.id == TypeId::Uuid) && type.id == TypeId::Blob)
    return "bytes of column " + column.element->name + " as " + bound.to_string();
  if (is_stored_uuid(*column.element, type, bound)) return {};
  if (!support::cast_supported(type, bound)) return type.to_string() + " as " + bound.to_string();
  // DuckDB casts between the two by the session's time zone.
  const auto& logical = column.element->logical_type;
  if ((logical.has_value() && is_in_utc(*logical)) != bound.is_zoned())
    return std::string("timestamps ") + (bound.is_zoned() ? "without" : "with") + " a time zone as " +
           bound.to_string();
  if (column.element->max_definition_level > 1 || column.element->max_repetition_level > 0) {
    return "nested column " + column.element->name;
  }
  if (column.element->type == parquet::Type::FIXED_LEN_BYTE_ARRAY && type.is_decimal() &&
      column.element->type_length > 16) {
    return type.to_string() + " stored in " + std::to_string(column.element->type_length) + " bytes";
  }
  return {};
}

/// What libcudf takes from the schema or from the chunks as it likes must be the same in both.
void check_chunks(const std::string& where, const parquet::FileMetaData& footer, const TopLevelColumn& column) {
  const auto damaged = [&](const char* what) {
    throw Exception(ErrorCode::CorruptFile, where + ": " + what + ": the file is damaged");
  };
  if (column.element->type == parquet::Type::FIXED_LEN_BYTE_ARRAY && column.element->type_length <= 0) {
    damaged("its values have no length");
  }
  for (const parquet::RowGroup& group : footer.row_groups) {
    const parquet::ColumnChunkMetaData& chunk = group.columns.at(column.leaf).meta_data;
    if (chunk.type != column.element->type) damaged("a row group has it in another type than the schema");
    if (chunk.num_values != group.num_rows) damaged("a row group has more or fewer values of it than rows");
  }
}

}  // namespace

std::vector<std::optional<FileColumn>> resolve_columns(const plan::Scan& scan, const plan::ScanFile& file,
                                                       const parquet::FileMetaData& footer) {
  const std::vector<TopLevelColumn> columns = top_level(footer);
  std::vector<std::optional<FileColumn>> out;
  for (const plan::ScanColumn& wanted : scan.columns) {
    out.emplace_back();
    if (wanted.kind != plan::ScanColumn::Kind::File) continue;
    const TopLevelColumn* found = find(columns, wanted.name);
    if (found == nullptr) {
      if (wanted.null_if_missing) continue;
      throw Exception(ErrorCode::InvalidInput,
                      file.path + " has no column \"" + wanted.name +
                          "\", which the first file has: use union_by_name = true, or leave the "
                          "file out");
    }
    FileColumn column{found->element->name, found->leaf, type_of(*found->element), {}};
    const std::string where = file.path + ", column " + wanted.name;
    const std::string refused = refusal(footer, *found, column.type, wanted.type);
    if (!refused.empty()) {
      throw Exception(ErrorCode::NotSupportedOnGpu, where + ": the GPU cannot read " + refused);
    }
    check_chunks(where, footer, *found);
    column.stored = stored_type(*found->element, column.type);
    out.back() = std::move(column);
  }
  return out;
}

}  // namespace weft::gpu
