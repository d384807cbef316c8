#include "engine/arrow_schema.hpp"

#include <cstdio>
#include <map>
#include <memory>

#include "base/error.hpp"

namespace weft::engine {
namespace {

using plan::Type;
using plan::TypeId;

/// One schema node and what its pointers refer to.
struct OwnedSchema {
  std::string format;
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
};

void release_schema(ArrowSchema* schema) {
  auto* owned = static_cast<OwnedSchema*>(schema->private_data);
  for (auto& child : owned->children) {
    if (child.release != nullptr) child.release(&child);
  }
  delete owned;
  schema->release = nullptr;
}

ArrowSchema make_schema(std::unique_ptr<OwnedSchema> owned, bool nullable) {
  ArrowSchema schema{};
  for (auto& child : owned->children) owned->child_pointers.push_back(&child);
  schema.format = owned->format.c_str();
  schema.name = owned->name.c_str();
  schema.flags = nullable ? ARROW_FLAG_NULLABLE : 0;
  schema.n_children = static_cast<int64_t>(owned->children.size());
  schema.children = owned->child_pointers.data();
  schema.release = release_schema;
  schema.private_data = owned.release();
  return schema;
}

/// The formats that are one type and nothing else. Decimals are read apart.
const std::map<std::string, TypeId>& plain_formats() {
  static const std::map<std::string, TypeId> formats = {
      {"n", TypeId::Null},           {"b", TypeId::Boolean},      {"c", TypeId::TinyInt},
      {"C", TypeId::UTinyInt},       {"s", TypeId::SmallInt},     {"S", TypeId::USmallInt},
      {"i", TypeId::Integer},        {"I", TypeId::UInteger},     {"l", TypeId::BigInt},
      {"L", TypeId::UBigInt},        {"f", TypeId::Float},        {"g", TypeId::Double},
      {"u", TypeId::Varchar},        {"tdD", TypeId::Date},       {"tss:", TypeId::TimestampS},
      {"tsm:", TypeId::TimestampMs}, {"tsu:", TypeId::Timestamp}, {"tsn:", TypeId::TimestampNs}};
  return formats;
}

}  // namespace

std::string arrow_format(const plan::Type& column) {
  const plan::Type type = column.carrier();
  if (type.id == TypeId::Decimal) return "d:" + std::to_string(type.width) + "," + std::to_string(type.scale);
  if (type.id == TypeId::HugeInt) return "d:38,0";
  for (const auto& [format, id] : plain_formats()) {
    if (id == type.id) return format;
  }
  throw Exception(ErrorCode::InternalError, "the type " + type.to_string() + " has no Arrow form in Weft");
}

HostSchema arrow_schema(const std::vector<plan::Column>& columns) {
  auto root = std::make_unique<OwnedSchema>();
  root->format = "+s";
  root->name = "duckdb_query_result";
  std::vector<std::string> formats;
  for (const auto& column : columns)
    formats.push_back(arrow_format(column.type));  // may throw: before any child is owned
  root->children.reserve(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    auto child = std::make_unique<OwnedSchema>();
    child->format = std::move(formats[i]);
    child->name = columns[i].name;
    root->children.push_back(make_schema(std::move(child), true));
  }
  return HostSchema(make_schema(std::move(root), false));
}

std::vector<plan::Column> columns_of(const ArrowSchema& schema) {
  std::vector<plan::Column> columns;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& child = *schema.children[i];
    const std::string format = child.format;
    plan::Column column;
    column.name = child.name == nullptr ? "" : child.name;
    column.nullable = (child.flags & ARROW_FLAG_NULLABLE) != 0;
    unsigned width = 0;
    unsigned scale = 0;
    const auto plain = plain_formats().find(format);
    if (child.dictionary == nullptr && plain != plain_formats().end()) {
      column.type = Type::of(plain->second);
    } else if (child.dictionary == nullptr && std::sscanf(format.c_str(), "d:%u,%u", &width, &scale) == 2 &&
               format.find(',') == format.rfind(',') && width <= 38 && scale <= width) {
      column.type = Type::decimal(static_cast<uint8_t>(width), static_cast<uint8_t>(scale));
    } else {
      column.type = Type{TypeId::Unsupported, 0, 0, format};
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace weft::engine
