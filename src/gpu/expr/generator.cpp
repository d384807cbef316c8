#include "gpu/expr/generator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/error.hpp"
#include "support/function_table.hpp"

namespace weft::gpu {
namespace {

using plan::Expr;
using plan::ExprKind;
using plan::Type;
using plan::TypeId;

// Names shadow nothing: they are numbered through the whole kernel.
constexpr const char* kBlock = "256";
// Parameters of a kernel have 32764 bytes at most: constants past this many words are written into the source.
constexpr size_t kParameterWords = 2048;

void collect_null_sources(const Expr& expr, std::vector<uint32_t>& columns) {
  if (expr.kind == ExprKind::IsNull || expr.kind == ExprKind::IsNotNull) return;
  if (expr.kind == ExprKind::ColumnRef) columns.push_back(expr.column);
  for (const plan::ExprPtr& child : expr.children) collect_null_sources(*child, columns);
}

}  // namespace

const char* c_type(const Type& value) {
  const Type type = value.carrier();
  switch (type.id) {
    case TypeId::Boolean:
      return "bool";
    case TypeId::TinyInt:
      return "i8";
    case TypeId::SmallInt:
      return "i16";
    case TypeId::Integer:
    case TypeId::Date:
      return "i32";
    case TypeId::BigInt:
    case TypeId::TimestampS:
    case TypeId::TimestampMs:
    case TypeId::Timestamp:
    case TypeId::TimestampNs:
      return "i64";
    case TypeId::HugeInt:
      return "i128";
    case TypeId::UTinyInt:
      return "u8";
    case TypeId::USmallInt:
      return "u16";
    case TypeId::UInteger:
      return "u32";
    case TypeId::UBigInt:
      return "u64";
    case TypeId::Float:
      return "f32";
    case TypeId::Double:
      return "f64";
    case TypeId::Varchar:
      return "Text";
    case TypeId::Interval:
      return "Span";
    case TypeId::Decimal:
      return type.width <= 9 ? "i32" : type.width <= 18 ? "i64" : "i128";
    case TypeId::Null:
      return "bool";
    default:
      break;
  }
  throw Exception(ErrorCode::InternalError, "no device form of the type " + type.to_string());
}

bool stored_as_128(const Type& type) {
  return type.carrier().id == TypeId::HugeInt || (type.is_decimal() && type.width > 18);
}

std::string literal(plan::Int128 value) {
  const auto wide = static_cast<unsigned __int128>(value);
  const auto low = static_cast<uint64_t>(wide);
  const auto high = static_cast<uint64_t>(wide >> 64);
  if (value > INT64_MIN && value <= INT64_MAX) return fmt::format("{}ll", static_cast<int64_t>(value));
  return fmt::format("make128({:#x}ull, {:#x}ull)", low, high);
}

std::string literal(double value) { return fmt::format("as_f64({:#x}ull)", std::bit_cast<uint64_t>(value)); }

std::string power_of_ten(unsigned n) {
  plan::Int128 power = 1;
  for (unsigned i = 0; i < n; ++i) power *= 10;
  return literal(power);
}

Generator::Generator(const std::vector<plan::Column>& input) : input_(input) {}

std::string Generator::fresh() { return "v" + std::to_string(names_++); }

void Generator::line(std::string_view text) {
  body_ += indent_;
  body_ += text;
  body_ += '\n';
}

void Generator::open(std::string_view head) {
  line(std::string(head) + " {");
  indent_ += "  ";
  scopes_.emplace_back();
}

void Generator::close() {
  scopes_.pop_back();
  indent_.resize(indent_.size() - 2);
  line("}");
}

std::string Generator::declare(std::string_view type, std::string_view expression) {
  std::string name = fresh();
  line(fmt::format("const {} {} = {};", type, name, expression));
  return name;
}

std::string Generator::declare_array(std::string_view type, const std::string& elements) {
  std::string name = fresh();
  line(fmt::format("const {} {}[] = {{{}}};", type, name, elements));
  return name;
}

Operand Generator::guarded(const Type& type, const std::string& valid, const std::string& expression) {
  if (valid.empty()) return {declare(c_type(type), expression), ""};
  Operand result{fresh(), valid};
  line(fmt::format("{} {} = {{}};", c_type(type), result.value));
  line(fmt::format("if ({}) {} = {};", valid, result.value, expression));
  return result;
}

Operand Generator::declare_result(const Type& type, bool nullable) {
  Operand result{fresh(), ""};
  line(fmt::format("{} {} = {{}};", c_type(type), result.value));
  if (nullable) {
    result.valid = fresh();
    line(fmt::format("bool {} = false;", result.valid));
  }
  return result;
}

void Generator::assign(const Operand& target, const Operand& source) {
  line(fmt::format("{} = {};", target.value, source.value));
  if (!target.valid.empty()) line(fmt::format("{} = {};", target.valid, valid_or_true(source)));
}

std::string Generator::both(const std::string& valid, const std::string& other) {
  if (valid.empty() || valid == other) return other;
  if (other.empty()) return valid;
  return declare("bool", valid + " && " + other);
}

std::string Generator::conjunction(const std::vector<Operand>& operands) {
  std::string valid;
  for (const Operand& operand : operands) valid = both(valid, operand.valid);
  return valid;
}

std::string Generator::is_true(const Operand& condition) {
  return condition.valid.empty() ? condition.value : condition.valid + " && " + condition.value;
}

std::string Generator::slot(const Expr& expr) {
  uint32_t id = expr.id;
  for (size_t i = ids_.size(); id == 0 && i-- > 0;) id = ids_[i];
  const auto found = std::find(slots_.begin(), slots_.end(), id);
  WEFT_INVARIANT(slots_.size() < 65535, "too many expressions that can fail in one kernel");
  const size_t index = static_cast<size_t>(found - slots_.begin());
  if (found == slots_.end()) slots_.push_back(id);
  return std::to_string(index);
}

void Generator::raise_if(const Expr& expr, const std::string& valid, const std::string& condition) {
  const std::string guard = valid.empty() ? "" : valid + " && ";
  line(fmt::format("if ({}{}) fail(p.head, i, {});", guard, condition, slot(expr)));
}

std::string Generator::number(const Type& type, const plan::Value& value) {
  const size_t at = constants_.size();
  if (at >= kParameterWords) {
    return fmt::format("(({}){})", c_type(type),
                       type.is_floating() ? literal(value.as_double()) : literal(value.as_int()));
  }
  if (type.is_floating()) {
    constants_.push_back(std::bit_cast<uint64_t>(value.as_double()));
    constants_.push_back(0);
    return fmt::format("({})as_f64(p.constants[{}])", c_type(type), at);
  }
  const auto wide = static_cast<unsigned __int128>(value.as_int());
  constants_.push_back(static_cast<uint64_t>(wide));
  constants_.push_back(static_cast<uint64_t>(wide >> 64));
  if (stored_as_128(type)) return fmt::format("make128(p.constants[{}], p.constants[{}])", at, at + 1);
  return fmt::format("({})p.constants[{}]", c_type(type), at);
}

std::string Generator::text_constant(const std::string& bytes) {
  // Aligned and padded: search and comparison read whole aligned words.
  std::string values;
  const size_t padded = (bytes.size() / 16 + 1) * 16;
  for (size_t i = 0; i < padded; ++i) {
    values += std::to_string(i < bytes.size() ? static_cast<int>(static_cast<signed char>(bytes[i])) : 0) + ",";
  }
  const std::string name = "k" + std::to_string(table_count_++);
  tables_ += fmt::format("alignas(16) TABLE signed char {}[{}] = {{{}}};\n", name, padded, values);
  return fmt::format("text((const char*){}, {})", name, bytes.size());
}

std::string Generator::table(std::string_view type, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += value + ",";
  std::string name = "k" + std::to_string(table_count_++);
  tables_ += fmt::format("TABLE {} {}[{}] = {{{}}};\n", type, name, values.size(), list);
  return name;
}

size_t Generator::hash(const Expr& expr) {
  if (const auto found = hashes_.find(&expr); found != hashes_.end()) return found->second;
  size_t value = static_cast<size_t>(expr.kind) * 31 + static_cast<size_t>(expr.type.id);
  const auto mix = [&value](size_t more) { value = (value ^ more) * 0x9e3779b97f4a7c15ull + (value >> 29); };
  mix(expr.column);
  mix(static_cast<size_t>(expr.compare));
  mix(std::hash<std::string>{}(expr.function));
  if (expr.kind == ExprKind::Constant) mix(std::hash<std::string>{}(expr.constant.to_string()));
  for (const plan::ExprPtr& child : expr.children) mix(hash(*child));
  hashes_.emplace(&expr, value);
  return value;
}

Operand Generator::emit(const Expr& expr) {
  const size_t key = hash(expr);
  for (size_t s = scopes_.size(); s-- > 0;) {
    for (const Known& known : scopes_[s]) {
      if (known.hash != key || !plan::same(*known.expr, expr)) continue;
      made_nulls_ |= known.makes_nulls;
      return known.operand;
    }
  }
  const bool made_before = std::exchange(made_nulls_, false);
  ids_.push_back(expr.id);
  const Operand operand = emit_new(expr);
  ids_.pop_back();
  scopes_.back().push_back({&expr, key, operand, made_nulls_});
  made_nulls_ |= made_before;
  return operand;
}

std::vector<Operand> Generator::emit_all(const std::vector<plan::ExprPtr>& expressions) {
  std::vector<Operand> operands;
  operands.reserve(expressions.size());
  for (const plan::ExprPtr& expr : expressions) operands.push_back(emit(*expr));
  return operands;
}

Operand Generator::emit_new(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::ColumnRef:
      return emit_column(expr);
    case ExprKind::Constant:
      return emit_constant(expr);
    case ExprKind::Comparison:
      return emit_comparison(*this, expr);
    case ExprKind::And:
    case ExprKind::Or:
      return emit_and_or(*this, expr);
    case ExprKind::Not:
      return emit_not(*this, expr);
    case ExprKind::IsNull:
    case ExprKind::IsNotNull:
      return emit_is_null(*this, expr);
    case ExprKind::In:
      return emit_in(*this, expr);
    case ExprKind::Case:
      return emit_case(*this, expr);
    case ExprKind::Coalesce:
      return emit_coalesce(*this, expr);
    case ExprKind::Cast:
      return emit_cast(*this, expr);
    case ExprKind::Function:
      break;
  }
  constexpr std::array kFinders{find_arithmetic, find_math,   find_date, find_calendar,
                                find_text,       find_search, find_call, find_internal};
  for (const auto& find : kFinders) {
    if (const Emitter emitter = find(support::canonical_function(expr.function))) return emitter(*this, expr);
  }
  throw Exception(ErrorCode::InternalError, "no kernel code for the function " + expr.function);
}

Operand Generator::emit_column(const Expr& expr) {
  WEFT_INVARIANT(expr.column < input_.size(), "a column reference outside the row");
  const auto [entry, added] = input_index_.try_emplace(expr.column, static_cast<uint32_t>(inputs_.size()));
  if (added) inputs_.push_back(expr.column);
  const uint32_t index = entry->second;
  Operand result;
  if (expr.nullable || input_[expr.column].nullable) {
    result.valid = declare("bool", fmt::format("is_valid(p.in[{}], i)", index));
  }
  if (expr.type.is_bytes()) {
    result.value = declare("Text", fmt::format("load_text(p.in[{}], i)", index));
  } else if (expr.type.id == TypeId::Boolean) {
    result.value = declare("bool", fmt::format("load<u8>(p.in[{}], i) != 0", index));
  } else {
    result.value = declare(c_type(expr.type), fmt::format("load<{}>(p.in[{}], i)", c_type(expr.type), index));
  }
  return result;
}

Operand Generator::emit_constant(const Expr& expr) {
  const Type& type = expr.type;
  if (expr.constant.is_null()) {
    makes_nulls();
    return {fmt::format("{}()", c_type(type)), "false"};
  }
  if (type.is_bytes()) return {declare("Text", text_constant(expr.constant.as_text())), ""};
  if (type.id == TypeId::Boolean) return {expr.constant.as_int() != 0 ? "true" : "false", ""};
  if (type.id == TypeId::Interval) {
    const auto& span = std::get<plan::IntervalValue>(expr.constant.data);
    need(kernels::Section::Dates);
    return {
        declare("Span", fmt::format("span({}, {}, {})", span.months, span.days, literal(plan::Int128{span.micros}))),
        ""};
  }
  return {declare(c_type(type), number(type, expr.constant)), ""};
}

std::string Generator::source(const std::string& results, const std::string& kernel_stores,
                              const std::string& host_stores, const std::vector<std::string>& counters) const {
  std::string zeros, adds, host_zeros, host_adds;
  for (size_t k = 0; k < counters.size(); ++k) {
    zeros += fmt::format("  u32 {} = 0;\n", counters[k]);
    adds += fmt::format("  if ({0} != 0) atomicAdd(p.head.counts + {1}, (u64){0});\n", counters[k], k);
    host_zeros += fmt::format("  u64 {} = 0;\n", counters[k]);
    host_adds += fmt::format("  p.head.counts[{1}] += {0};\n", counters[k], k);
  }
  std::string text = kernels::prelude(sections_) + tables_;
  text += fmt::format("struct P {{\n  Head head;\n  In in[{}];\n  Out out[{}];\n  u64 constants[{}];\n}};\n",
                      std::max<size_t>(inputs_.size(), 1), std::max<size_t>(counters.size(), 1),
                      std::max<size_t>(constants_.size(), 2));
  text += "struct Result {\n" + results + "};\n";
  text += "FN void row(const P& p, i64 i, Result& r) {\n" + body_ + "}\n";
  text += "#ifdef __CUDACC_RTC__\n";
  text += fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({0}) weft_kernel(const __grid_constant__ P p) {{\n{1}"
      "  for (i64 base = blockIdx.x * {0}ll; base < p.head.rows; base += gridDim.x * {0}ll) {{\n"
      "    const i64 i = base + threadIdx.x;\n    const bool live = i < p.head.rows;\n"
      "    Result r = {{}};\n    if (live) row(p, i, r);\n    __syncwarp();\n{2}  }}\n{3}}}\n",
      kBlock, zeros, kernel_stores, adds);
  text += fmt::format(
      "#else\nextern \"C\" void weft_host(const P* parameters) {{\n  const P& p = *parameters;\n{0}"
      "  for (i64 i = 0; i < p.head.rows; ++i) {{\n    Result r = {{}};\n    row(p, i, r);\n{1}  }}\n{2}}}\n"
      "#endif\n",
      host_zeros, host_stores, host_adds);
  return text;
}

GeneratedKernel Generator::kernel() const {
  GeneratedKernel kernel;
  kernel.inputs = inputs_;
  kernel.constants = constants_;
  if (kernel.constants.empty()) kernel.constants.assign(2, 0);
  kernel.slots = slots_;
  kernel.uses_arena = uses_arena_;
  return kernel;
}

GeneratedKernel Generator::finish_columns(const std::vector<plan::ExprPtr>& expressions) {
  std::string results, stores, host_stores;
  std::vector<std::string> counters;
  std::vector<GeneratedKernel::Output> outputs;
  for (size_t k = 0; k < expressions.size(); ++k) {
    const Expr& expr = *expressions[k];
    made_nulls_ = false;
    const Operand value = emit(expr);
    GeneratedKernel::Output output{expr.type, made_nulls_, {}};
    if (!value.valid.empty()) collect_null_sources(expr, output.null_sources);
    line(fmt::format("r.v{} = {};", k, value.value));
    results += fmt::format("  {} v{};\n", c_type(expr.type), k);
    const std::string ok = value.valid.empty() ? "true" : fmt::format("r.n{}", k);
    if (!value.valid.empty()) {
      line(fmt::format("{} = {};", ok, value.valid));
      results += fmt::format("  bool n{};\n", k);
    }
    counters.push_back(fmt::format("nulls{}", k));
    if (expr.type.is_bytes()) {
      stores += fmt::format("    if (live) store_text(p.out[{0}], i, r.v{0}, {1}, p.head);\n", k, ok);
      host_stores += fmt::format("    store_text(p.out[{0}], i, r.v{0}, {1}, p.head);\n", k, ok);
    } else {
      const char* stored = expr.type.id == TypeId::Boolean ? "u8" : c_type(expr.type);
      stores += fmt::format("    if (live) (({0}*)p.out[{1}].data)[i] = ({0})r.v{1};\n", stored, k);
      host_stores += fmt::format("    (({0}*)p.out[{1}].data)[i] = ({0})r.v{1};\n", stored, k);
      if (!value.valid.empty()) {
        stores += fmt::format(
            "    if (p.out[{0}].valid != 0) store_valid(p.out[{0}], i, p.head.rows, live, r.n{0}, nulls{0});\n", k);
        host_stores += fmt::format("    if (p.out[{0}].valid != 0) store_valid(p.out[{0}], i, r.n{0}, nulls{0});\n", k);
      }
    }
    if (value.valid.empty()) output.makes_nulls = false;
    outputs.push_back(std::move(output));
  }
  GeneratedKernel result = kernel();
  result.outputs = std::move(outputs);
  result.source = source(results, stores, host_stores, counters);
  return result;
}

GeneratedKernel Generator::finish_mask(const std::vector<plan::ExprPtr>& conjuncts) {
  size_t opened = 0;
  for (size_t k = 0; k < conjuncts.size(); ++k) {
    const Operand value = emit(*conjuncts[k]);
    if (k + 1 == conjuncts.size()) {
      line(fmt::format("r.pass = {};", is_true(value)));
    } else {
      open(fmt::format("if ({})", is_true(value)));
      ++opened;
    }
  }
  for (; opened > 0; --opened) close();
  GeneratedKernel result = kernel();
  result.outputs.push_back({Type::of(TypeId::Boolean), false, {}});
  result.source = source("  bool pass;\n",
                         "    if (live) ((u8*)p.out[0].data)[i] = r.pass;\n"
                         "    const u32 passed = __ballot_sync(~0u, live && r.pass);\n"
                         "    if ((threadIdx.x & 31) == 0) passes += __popc(passed);\n",
                         "    ((u8*)p.out[0].data)[i] = r.pass;\n    passes += r.pass;\n", {"passes"});
  return result;
}

GeneratedKernel generate_columns(const std::vector<plan::Column>& input,
                                 const std::vector<plan::ExprPtr>& expressions) {
  return Generator(input).finish_columns(expressions);
}

GeneratedKernel generate_mask(const std::vector<plan::Column>& input, const std::vector<plan::ExprPtr>& conjuncts) {
  WEFT_INVARIANT(!conjuncts.empty(), "a filter needs a conjunct");
  return Generator(input).finish_mask(conjuncts);
}

}  // namespace weft::gpu
