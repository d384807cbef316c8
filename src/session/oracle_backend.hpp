// A Backend that answers plans through plain DuckDB and src/oracle, behind the real interface: it proves translation,
// operators, the Arrow path and cancellation with no GPU. It can inject delays, failures, tiny and empty batches.
#pragma once

#include <memory>

#include "engine/backend.hpp"

namespace weft::session {

struct OracleOptions {
  uint32_t rows_per_batch = 2048;  // results are cut into batches of this many rows
  bool empty_batches = false;      // an empty batch between any two
  uint32_t delay_ms = 0;           // before each batch
  int fail_after_batches = -1;     // then `failure`
  Error failure{ErrorCode::InternalError, "injected", std::nullopt};
};

std::unique_ptr<engine::Backend> make_oracle_backend(OracleOptions options = {});

}  // namespace weft::session
