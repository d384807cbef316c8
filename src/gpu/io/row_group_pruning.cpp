#include "gpu/io/row_group_pruning.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace weft::gpu {
namespace {

namespace parquet = cudf::io::parquet;
using plan::CompareOp;
using plan::ExprKind;
using plan::Int128;
using plan::TypeId;

struct Bounds {
  std::optional<plan::Value> least;
  std::optional<plan::Value> greatest;
  std::optional<int64_t> nulls;
  int64_t rows = 0;
};

/// -1, 0, 1; nullopt if the two cannot be compared here.
std::optional<int> compare(const plan::Value& a, const plan::Value& b) {
  if (a.is_null() || b.is_null()) return std::nullopt;
  if (std::holds_alternative<Int128>(a.data) && std::holds_alternative<Int128>(b.data)) {
    return a.as_int() < b.as_int() ? -1 : a.as_int() > b.as_int() ? 1 : 0;
  }
  if (std::holds_alternative<double>(a.data) && std::holds_alternative<double>(b.data)) {
    const double x = a.as_double();
    const double y = b.as_double();
    if (x != x || y != y) return std::nullopt;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (std::holds_alternative<std::string>(a.data) && std::holds_alternative<std::string>(b.data)) {
    const int order = a.as_text().compare(b.as_text());  // bytes, as unsigned char
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  return std::nullopt;
}

Int128 big_endian(const std::vector<uint8_t>& bytes) {
  Int128 value = !bytes.empty() && (bytes[0] & 0x80) != 0 ? -1 : 0;
  for (const uint8_t byte : bytes) value = static_cast<Int128>(static_cast<unsigned __int128>(value) << 8 | byte);
  return value;
}

template <typename T>
std::optional<T> load(const std::vector<uint8_t>& bytes) {
  if (bytes.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

std::optional<plan::Value> decode(const std::vector<uint8_t>& bytes, parquet::Type physical, const plan::Type& type) {
  switch (physical) {
    case parquet::Type::INT32:
      if (const auto v = load<int32_t>(bytes)) {
        if (type.id == TypeId::Time) return plan::Value::integer(type, Int128{*v} * 1000);  // of milliseconds
        return plan::Value::integer(type, type.is_unsigned() ? Int128{static_cast<uint32_t>(*v)} : Int128{*v});
      }
      return std::nullopt;
    case parquet::Type::INT64:
      if (const auto v = load<int64_t>(bytes)) {
        return plan::Value::integer(type, type.is_unsigned() ? Int128{static_cast<uint64_t>(*v)} : Int128{*v});
      }
      return std::nullopt;
    case parquet::Type::FLOAT:
      if (const auto v = load<float>(bytes)) return plan::Value::floating(type, *v);
      return std::nullopt;
    case parquet::Type::DOUBLE:
      if (const auto v = load<double>(bytes)) return plan::Value::floating(type, *v);
      return std::nullopt;
    case parquet::Type::BYTE_ARRAY:
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      if (type.is_decimal() && !bytes.empty() && bytes.size() <= 16)
        return plan::Value::integer(type, big_endian(bytes));
      if (type.is_bytes()) return plan::Value{type, std::string(bytes.begin(), bytes.end())};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

Bounds bounds_of(const FileColumn& column, const plan::Type& bound, const parquet::RowGroup& group) {
  Bounds out;
  out.rows = group.num_rows;
  const parquet::ColumnChunkMetaData& chunk = group.columns.at(column.leaf).meta_data;
  out.nulls = chunk.statistics.null_count;
  // A cast between file and plan could change the order or the value: then only the NULLs are known. Integers of other
  // widths keep both.
  const bool same_order = column.type == bound || (column.type.is_integer() && bound.is_integer());
  if (!same_order) return out;
  if (chunk.statistics.min_value) out.least = decode(*chunk.statistics.min_value, chunk.type, column.type);
  if (chunk.statistics.max_value && !column.type.is_floating()) {
    out.greatest = decode(*chunk.statistics.max_value, chunk.type, column.type);
  }
  return out;
}

class RowGroupCheck {
 public:
  RowGroupCheck(const plan::Scan& scan, const std::vector<std::optional<FileColumn>>& columns,
                const parquet::RowGroup& group)
      : scan_(scan), columns_(columns), group_(group) {}

  bool may_be_true(const plan::Expr& expr) const {
    const auto any = [&](const plan::ExprPtr& child) { return may_be_true(*child); };
    switch (expr.kind) {
      case ExprKind::And:
        return std::all_of(expr.children.begin(), expr.children.end(), any);
      case ExprKind::Or:
        return std::any_of(expr.children.begin(), expr.children.end(), any);
      case ExprKind::Comparison:
        return comparison(expr);
      case ExprKind::In:
        return in_list(expr);
      case ExprKind::IsNull:
        return null_check(*expr.children[0], true);
      case ExprKind::IsNotNull:
        return null_check(*expr.children[0], false);
      default:
        return true;
    }
  }

 private:
  std::optional<Bounds> bounds(const plan::Expr& expr) const {
    if (expr.kind != ExprKind::ColumnRef || !columns_[expr.column]) return std::nullopt;
    return bounds_of(*columns_[expr.column], scan_.columns[expr.column].type, group_);
  }

  static bool possible(const Bounds& b, CompareOp op, const plan::Value& value) {
    const auto least = b.least ? compare(*b.least, value) : std::nullopt;
    const auto greatest = b.greatest ? compare(*b.greatest, value) : std::nullopt;
    const bool all_null = b.nulls && *b.nulls == b.rows && b.rows > 0;
    switch (op) {
      case CompareOp::Equal:
        return !all_null && !(least && *least > 0) && !(greatest && *greatest < 0);
      case CompareOp::Less:
        return !all_null && !(least && *least >= 0);
      case CompareOp::LessEqual:
        return !all_null && !(least && *least > 0);
      case CompareOp::Greater:
        return !all_null && !(greatest && *greatest <= 0);
      case CompareOp::GreaterEqual:
        return !all_null && !(greatest && *greatest < 0);
      default:
        return true;
    }
  }

  bool comparison(const plan::Expr& expr) const {
    const plan::Expr& left = *expr.children[0];
    const plan::Expr& right = *expr.children[1];
    if (right.kind == ExprKind::Constant && !right.constant.is_null()) {
      if (const auto b = bounds(left)) return possible(*b, expr.compare, right.constant);
    }
    if (left.kind == ExprKind::Constant && !left.constant.is_null()) {
      if (const auto b = bounds(right)) return possible(*b, plan::mirrored(expr.compare), left.constant);
    }
    return true;
  }

  bool in_list(const plan::Expr& expr) const {
    const auto b = bounds(*expr.children[0]);
    if (!b) return true;
    return std::any_of(expr.children.begin() + 1, expr.children.end(), [&](const plan::ExprPtr& value) {
      return value->kind != ExprKind::Constant || value->constant.is_null() ||
             possible(*b, CompareOp::Equal, value->constant);
    });
  }

  bool null_check(const plan::Expr& child, bool is_null) const {
    const auto b = bounds(child);
    if (!b || !b->nulls) return true;
    return is_null ? *b->nulls != 0 : *b->nulls != b->rows;
  }

  const plan::Scan& scan_;
  const std::vector<std::optional<FileColumn>>& columns_;
  const parquet::RowGroup& group_;
};

}  // namespace

bool may_match(const std::vector<plan::ExprPtr>& filters, const plan::Scan& scan,
               const std::vector<std::optional<FileColumn>>& columns, const parquet::RowGroup& group) {
  const RowGroupCheck check(scan, columns, group);
  return std::all_of(filters.begin(), filters.end(),
                     [&](const plan::ExprPtr& filter) { return check.may_be_true(*filter); });
}

}  // namespace weft::gpu
