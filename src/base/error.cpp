#include "base/error.hpp"

#include <cstdlib>

namespace weft {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput:
      return "invalid_input";
    case ErrorCode::NotSupportedOnGpu:
      return "not_supported_on_gpu";
    case ErrorCode::ExpressionError:
      return "expression_error";
    case ErrorCode::DuckDbError:
      return "duckdb_error";
    case ErrorCode::CorruptFile:
      return "corrupt_file";
    case ErrorCode::SourceChanged:
      return "source_changed";
    case ErrorCode::QueryMemoryLimitExceeded:
      return "query_memory_limit_exceeded";
    case ErrorCode::DeviceMemoryExhausted:
      return "device_memory_exhausted";
    case ErrorCode::ServiceOverloaded:
      return "service_overloaded";
    case ErrorCode::NoDevice:
      return "no_device";
    case ErrorCode::DriverTooOld:
      return "driver_too_old";
    case ErrorCode::LibraryMissing:
      return "library_missing";
    case ErrorCode::BuildMismatch:
      return "build_mismatch";
    case ErrorCode::DeviceLost:
      return "device_lost";
    case ErrorCode::IoError:
      return "io_error";
    case ErrorCode::Cancelled:
      return "cancelled";
    case ErrorCode::InternalError:
      return "internal_error";
  }
  return "internal_error";
}

std::string_view duckdb_error_type(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput:
      return "Invalid Input Error";
    case ErrorCode::NotSupportedOnGpu:
      return "Not implemented Error";
    case ErrorCode::ExpressionError:
      return "Invalid Input Error";
    case ErrorCode::DuckDbError:
      return "Error";
    case ErrorCode::QueryMemoryLimitExceeded:
    case ErrorCode::DeviceMemoryExhausted:
      return "Out of Memory Error";
    case ErrorCode::ServiceOverloaded:
      return "Connection Error";
    case ErrorCode::CorruptFile:
    case ErrorCode::SourceChanged:
    case ErrorCode::IoError:
      return "IO Error";
    case ErrorCode::NoDevice:
    case ErrorCode::DriverTooOld:
    case ErrorCode::LibraryMissing:
    case ErrorCode::BuildMismatch:
      return "Invalid Configuration Error";
    case ErrorCode::DeviceLost:
      return "FATAL Error";
    case ErrorCode::Cancelled:
      return "INTERRUPT Error";
    case ErrorCode::InternalError:
      return "INTERNAL Error";
  }
  return "INTERNAL Error";
}

std::string Error::to_string() const {
  if (code == ErrorCode::DuckDbError) return message;
  std::string text(duckdb_error_type(code));
  text += ": [";
  text += weft::to_string(code);
  text += "] ";
  text += message;
  return text;
}

void broken_invariant(std::string_view what, const char* file, int line) {
#ifndef NDEBUG
  (void)what;
  (void)file;
  (void)line;
  std::abort();
#else
  throw Exception(ErrorCode::InternalError, std::string(what) + " (" + file + ":" + std::to_string(line) +
                                                "): this is a bug in Weft; please report it with the query");
#endif
}

}  // namespace weft
