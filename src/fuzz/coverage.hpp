// What the plans of the queries that ran natively held, against all that src/support says is native.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "plan/node.hpp"

namespace weft::fuzz {

class Coverage {
 public:
  void add(const plan::Plan& plan);
  /// A line of counts for each kind, with what was never met.
  void print(std::ostream& out) const;
  /// Names of a kind that were never met: "scalar", "aggregate", "window", "operator", "cast".
  std::map<std::string, uint64_t> counts(const std::string& kind) const;

 private:
  void add_node(const plan::Node& node);
  void add_expression(const plan::Expr& expr);
  std::map<std::string, std::map<std::string, uint64_t>> met_;
};

}  // namespace weft::fuzz
