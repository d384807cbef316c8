// Makes a mismatch small: as long as the same side still differs from DuckDB in the same way, parts of the query and of
// the tables are left out or replaced by simpler ones.
#pragma once

#include <chrono>
#include <vector>

#include "fuzz/statement.hpp"
#include "fuzz/trial.hpp"

namespace weft::fuzz {

struct Reproduction {
  std::vector<Table> tables;
  QueryPtr query;
  Judgement judgement;
};

struct ReduceLimits {
  size_t tries = 1500;
  std::chrono::seconds time{60};
};

/// Leaves the trial with the reduced tables loaded. Deterministic but for `limits.time`.
Reproduction reduce(Trial& trial, Reproduction found, const ReduceLimits& limits);

/// True if every row of every table must be evaluated to answer the query: no join, filter, LIMIT, set operation or
/// subquery that could make a row not matter.
bool reads_every_row(const QueryPtr& query);

/// Every way to make `query` one step simpler, the largest steps first: each changes the query that it was made for.
std::vector<std::function<void()>> simplifications(const QueryPtr& query);

}  // namespace weft::fuzz
