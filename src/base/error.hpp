// Errors of Weft. There are three kinds (docs/errors.md): a user's mistake, a shortage, a broken invariant.
// Inside a library an error travels as weft::Exception; across a library's boundary (libweft_gpu.so) no exception
// crosses, there it travels as weft::Result<T> or inside a stream. Codes are never renamed: clients match on them.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft {

enum class ErrorCode : uint8_t {
  // A user's mistake.
  InvalidInput,       // invalid_input
  NotSupportedOnGpu,  // not_supported_on_gpu: native_required met a refusal
  ExpressionError,    // expression_error: a value made an expression fail (overflow, cast, division by zero)
  DuckDbError,        // duckdb_error: DuckDB's own error; the message is DuckDB's, unchanged
  CorruptFile,        // corrupt_file: names file and column
  SourceChanged,      // source_changed: a file changed between planning and reading
  // A shortage.
  QueryMemoryLimitExceeded,  // query_memory_limit_exceeded: needed, used and cap in the message
  DeviceMemoryExhausted,     // device_memory_exhausted: the device (not the query's cap) is full
  ServiceOverloaded,         // service_overloaded
  // The environment.
  NoDevice,        // no_device
  DriverTooOld,    // driver_too_old
  LibraryMissing,  // library_missing: libweft_gpu.so or one that it needs
  BuildMismatch,   // build_mismatch: libweft_gpu.so is of another build than the program
  DeviceLost,      // device_lost: a kernel fault; restart weft
  IoError,         // io_error
  // The user's wish.
  Cancelled,  // cancelled
  // A broken invariant.
  InternalError,  // internal_error
};

/// The stable snake_case text of a code, e.g. "query_memory_limit_exceeded".
std::string_view to_string(ErrorCode code);
/// DuckDB's error type that a code is shown as, e.g. "Out of Memory Error", "Not implemented Error", "IO Error".
std::string_view duckdb_error_type(ErrorCode code);

/// Where a value made an expression fail. `sql` evaluates the DuckDB expression that the id names on these inputs, so
/// that the user reads DuckDB's own text.
struct ExpressionFailure {
  uint32_t expression_id = 0;  // plan::Expr::id
  std::vector<std::optional<std::string>>
      inputs;  // per column of the expression's input row, as DuckDB prints it; nullopt: NULL
};

struct Error {
  ErrorCode code = ErrorCode::InternalError;
  std::string message;  // without code and type; says what, where, and what to do
  std::optional<ExpressionFailure> failure;

  /// "<DuckDB's error type>: [code] message"; DuckDbError gives the message alone.
  std::string to_string() const;
};

class Exception : public std::runtime_error {
 public:
  explicit Exception(Error error) : std::runtime_error(error.to_string()), error_(std::move(error)) {}
  Exception(ErrorCode code, std::string message) : Exception(Error{code, std::move(message), std::nullopt}) {}
  const Error& error() const noexcept { return error_; }
  ErrorCode code() const noexcept { return error_.code; }

 private:
  Error error_;
};

/// A value or an error. `value()` on an error throws Exception.
template <typename T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const noexcept { return std::holds_alternative<T>(state_); }
  explicit operator bool() const noexcept { return ok(); }
  T& value() {
    if (!ok()) throw Exception(std::get<Error>(state_));
    return std::get<T>(state_);
  }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Aborts in debug builds, throws InternalError in release: for what can only be a bug of Weft.
[[noreturn]] void broken_invariant(std::string_view what, const char* file, int line);
#define WEFT_INVARIANT(condition, what)                                     \
  do {                                                                      \
    if (!(condition)) ::weft::broken_invariant((what), __FILE__, __LINE__); \
  } while (false)

}  // namespace weft
