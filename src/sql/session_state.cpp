#include "sql/session_state.hpp"

namespace weft::sql {

duckdb::shared_ptr<SessionState> SessionState::of(duckdb::ClientContext& context) {
  return context.registered_state->Get<SessionState>(kKey);
}

void SessionState::enter(duckdb::DBConfig& config) {
  if (!use_) use_.emplace(shared->lean, config);
}

void SessionState::leave() {
  use_.reset();
  unoptimized.reset();
  planning = false;
}

}  // namespace weft::sql
