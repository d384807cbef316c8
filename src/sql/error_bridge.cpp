#include "sql/error_bridge.hpp"

#include <string_view>

namespace weft::sql {
namespace {

duckdb::ExceptionType exception_type(ErrorCode code) {
  using duckdb::ExceptionType;
  switch (code) {
    case ErrorCode::InvalidInput:
    case ErrorCode::ExpressionError:
      return ExceptionType::INVALID_INPUT;
    case ErrorCode::NotSupportedOnGpu:
      return ExceptionType::NOT_IMPLEMENTED;
    case ErrorCode::CorruptFile:
    case ErrorCode::SourceChanged:
    case ErrorCode::IoError:
      return ExceptionType::IO;
    case ErrorCode::QueryMemoryLimitExceeded:
    case ErrorCode::DeviceMemoryExhausted:
      return ExceptionType::OUT_OF_MEMORY;
    case ErrorCode::ServiceOverloaded:
      return ExceptionType::CONNECTION;
    case ErrorCode::NoDevice:
    case ErrorCode::DriverTooOld:
    case ErrorCode::LibraryMissing:
    case ErrorCode::BuildMismatch:
      return ExceptionType::INVALID_CONFIGURATION;
    case ErrorCode::Cancelled:
      return ExceptionType::INTERRUPT;
    case ErrorCode::DuckDbError:
    case ErrorCode::DeviceLost:
    case ErrorCode::InternalError:
      return ExceptionType::EXECUTOR;
  }
  return ExceptionType::EXECUTOR;
}

/// Splits "[code] message". False if the text does not begin with a code of Weft.
bool split_code(std::string_view text, Error& error) {
  if (text.empty() || text.front() != '[') return false;
  const auto end = text.find("] ");
  if (end == std::string_view::npos) return false;
  const auto name = text.substr(1, end - 1);
  for (int code = 0; code <= static_cast<int>(ErrorCode::InternalError); ++code) {
    if (to_string(static_cast<ErrorCode>(code)) != name) continue;
    error = Error{static_cast<ErrorCode>(code), std::string(text.substr(end + 2)), std::nullopt};
    return true;
  }
  return false;
}

/// DuckDB's own words, which a backend repeats, with the type that they begin with: "Out of Range Error: ...". Returns
/// if they do not begin with a type that may be thrown.
void throw_duckdb_text(const std::string& message) {
  using duckdb::ExceptionType;
  constexpr std::string_view kError = " Error: ";
  const auto end = message.find(kError);
  if (end == std::string::npos) return;
  const ExceptionType type = duckdb::Exception::StringToExceptionType(message.substr(0, end));
  if (type == ExceptionType::INVALID || type == ExceptionType::FATAL || type == ExceptionType::INTERNAL) return;
  throw duckdb::Exception(type, message.substr(end + kError.size()));
}

}  // namespace

void throw_in_duckdb(const Error& error) {
  if (error.code == ErrorCode::Cancelled) throw duckdb::InterruptException();
  if (error.code == ErrorCode::DuckDbError) throw_duckdb_text(error.message);
  throw duckdb::Exception(exception_type(error.code), "[" + std::string(to_string(error.code)) + "] " + error.message);
}

Error error_of(const duckdb::ErrorData& data) {
  Error error;
  if (split_code(data.RawMessage(), error)) return error;
  if (data.Type() == duckdb::ExceptionType::INTERRUPT) {
    const bool plain = data.RawMessage() == duckdb::InterruptException().what() || data.RawMessage() == "Interrupted!";
    return Error{ErrorCode::Cancelled, plain ? "the query was cancelled" : data.RawMessage(), std::nullopt};
  }
  return Error{ErrorCode::DuckDbError, data.Message().empty() ? data.RawMessage() : data.Message(), std::nullopt};
}

}  // namespace weft::sql
