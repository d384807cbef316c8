// Generates one CUDA kernel from a list of expressions. No CUDA call and no GPU: the source is plain text,
// deterministic, and compiles as host C++ too. Numbers in constants are parameters, so that kernels of one shape share
// a cubin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/kernels/prelude.hpp"
#include "plan/expression.hpp"
#include "plan/node.hpp"

namespace weft::gpu {

/// A kernel's text and what its launch must fill in. The entry point is `extern "C" weft_kernel(P)`; under a host
/// compiler it is `extern "C" void weft_host(const P*)`. P is Head, In[inputs], Out[outputs], u64[constants].
struct GeneratedKernel {
  struct Output {
    plan::Type type;
    bool makes_nulls = false;            // can be NULL although no input is
    std::vector<uint32_t> null_sources;  // input columns whose NULLs can make it NULL
  };
  std::string source;
  std::vector<uint32_t> inputs;     // column of In i
  std::vector<Output> outputs;      // a mask kernel has one, BOOLEAN without NULLs; Head::counts[0] is its TRUEs
  std::vector<uint64_t> constants;  // pairs of words, the low one first
  std::vector<uint32_t> slots;      // plan::Expr::id of failure slot i; empty: cannot fail
  bool uses_arena = false;
};

GeneratedKernel generate_columns(const std::vector<plan::Column>& input, const std::vector<plan::ExprPtr>& expressions);
GeneratedKernel generate_mask(const std::vector<plan::Column>& input, const std::vector<plan::ExprPtr>& conjuncts);

/// A value in generated code: the name of its variable, and of the bool that says if it is there ("": never NULL).
struct Operand {
  std::string value;
  std::string valid;
};

/// Writes the body of the row function. Emitters of an area (generate_*.cpp) call it.
class Generator {
 public:
  explicit Generator(const std::vector<plan::Column>& input);

  /// Code for an expression; one that was emitted before and is still in scope is used again.
  Operand emit(const plan::Expr& expr);
  std::vector<Operand> emit_all(const std::vector<plan::ExprPtr>& expressions);

  /// Declares `const <type> name = expression` and gives the name.
  std::string declare(std::string_view type, std::string_view expression);
  std::string declare_array(std::string_view type, const std::string& elements);
  /// A value of `type` that is computed only where `valid` holds, and a zero elsewhere.
  Operand guarded(const plan::Type& type, const std::string& valid, const std::string& expression);
  /// Declares variables to be assigned in branches.
  Operand declare_result(const plan::Type& type, bool nullable);
  void assign(const Operand& target, const Operand& source);
  std::string conjunction(const std::vector<Operand>& operands);  // all valid; "": always
  std::string both(const std::string& valid, const std::string& other);
  static std::string is_true(const Operand& condition);  // TRUE, neither FALSE nor NULL
  static std::string valid_or_true(const Operand& operand) { return operand.valid.empty() ? "true" : operand.valid; }

  void line(std::string_view text);
  void open(std::string_view head);  // "if (x)", "else": begins a scope
  void close();

  /// A failure of `expr` where `condition` (a C++ expression) holds and the operands are there.
  void raise_if(const plan::Expr& expr, const std::string& valid, const std::string& condition);
  std::string slot(const plan::Expr& expr);                              // for helpers that raise by themselves
  std::string number(const plan::Type& type, const plan::Value& value);  // a constant as a parameter
  std::string text_constant(const std::string& bytes);                   // a Text expression
  std::string table(std::string_view type, const std::vector<std::string>& values);
  void need(kernels::Section section) { sections_ |= 1u << static_cast<unsigned>(section); }
  void need_arena() { uses_arena_ = true; }
  /// The values above may be NULL although no input is (a function's own NULLs).
  void makes_nulls() { made_nulls_ = true; }

  GeneratedKernel finish_columns(const std::vector<plan::ExprPtr>& expressions);
  GeneratedKernel finish_mask(const std::vector<plan::ExprPtr>& conjuncts);

 private:
  struct Known {
    const plan::Expr* expr;
    size_t hash;
    Operand operand;
    bool makes_nulls;
  };
  Operand emit_new(const plan::Expr& expr);
  Operand emit_column(const plan::Expr& expr);
  Operand emit_constant(const plan::Expr& expr);
  size_t hash(const plan::Expr& expr);
  std::string fresh();
  std::string source(const std::string& results, const std::string& kernel_stores, const std::string& host_stores,
                     const std::vector<std::string>& counters) const;
  GeneratedKernel kernel() const;

  const std::vector<plan::Column>& input_;
  std::string body_;
  std::string tables_;
  std::string indent_ = "  ";
  std::vector<std::vector<Known>> scopes_{1};
  std::unordered_map<const plan::Expr*, size_t> hashes_;
  std::unordered_map<uint32_t, uint32_t> input_index_;
  std::vector<uint32_t> inputs_;
  std::vector<uint64_t> constants_;
  std::vector<uint32_t> slots_;
  std::vector<uint32_t> ids_;  // of the expressions being emitted, outermost first
  uint32_t sections_ = 1;
  unsigned names_ = 0;
  unsigned table_count_ = 0;
  bool uses_arena_ = false;
  bool made_nulls_ = false;
};

/// The C++ type of a value in generated code: i32, i128, Text, ...
const char* c_type(const plan::Type& type);
/// Decimals by width: what a value is stored as.
bool stored_as_128(const plan::Type& type);
/// C++ spelling of integers of any size.
std::string literal(plan::Int128 value);
std::string literal(double value);
/// 10^n as an integer literal, n <= 38.
std::string power_of_ten(unsigned n);

/// Writes the code of one function over its arguments.
using Emitter = Operand (*)(Generator&, const plan::Expr&);
Emitter find_arithmetic(std::string_view function);
Emitter find_math(std::string_view function);
Emitter find_date(std::string_view function);
Emitter find_calendar(std::string_view function);
Emitter find_text(std::string_view function);
Emitter find_search(std::string_view function);
Emitter find_call(std::string_view function);
Emitter find_internal(std::string_view function);

// Expression kinds of generate_logic.cpp and generate_casts.cpp.
Operand emit_comparison(Generator& generator, const plan::Expr& expr);
Operand emit_and_or(Generator& generator, const plan::Expr& expr);
Operand emit_not(Generator& generator, const plan::Expr& expr);
Operand emit_is_null(Generator& generator, const plan::Expr& expr);
Operand emit_in(Generator& generator, const plan::Expr& expr);
Operand emit_case(Generator& generator, const plan::Expr& expr);
Operand emit_coalesce(Generator& generator, const plan::Expr& expr);
Operand emit_cast(Generator& generator, const plan::Expr& expr);
/// Casts from and to text: set `result` (a declared variable) and give the C++ condition that the value does not fit
/// ("": it always does).
std::string emit_parse(Generator& generator, const plan::Type& to, const std::string& text, const std::string& result);
std::string emit_format(Generator& generator, const plan::Type& from, const std::string& value);
/// A C++ condition, values of one type taken as present: a = b, a < b.
std::string equal_condition(Generator& generator, const plan::Type& type, const std::string& a, const std::string& b);
std::string less_condition(Generator& generator, const plan::Type& type, const std::string& a, const std::string& b);

}  // namespace weft::gpu
