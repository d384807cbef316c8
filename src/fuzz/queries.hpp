// Random queries over the tables of a round.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/aggregates.hpp"
#include "fuzz/data.hpp"
#include "fuzz/expressions.hpp"

namespace weft::fuzz {

struct GeneratedQuery {
  QueryPtr query;
  bool risky = false;  // errors are likely
};

/// Every query has one answer but for the order of its rows, and for what a top-level LIMIT cuts: where a row's place
/// matters, the order is total. Deterministic.
GeneratedQuery make_query(const std::vector<Table>& tables, uint64_t seed);

}  // namespace weft::fuzz
