#include "oracle/clauses.hpp"

#include "oracle/oracle.hpp"
#include "oracle/text.hpp"

namespace weft::oracle {

std::string joined(const Columns& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

Columns expressions(const std::vector<plan::ExprPtr>& list, const Columns& columns) {
  Columns texts;
  for (const plan::ExprPtr& expr : list) texts.push_back(write_expression(*expr, columns));
  return texts;
}

std::string order_by(const std::vector<plan::SortKey>& keys, const Columns& columns) {
  Columns texts;
  for (const plan::SortKey& key : keys) {
    texts.push_back(write_expression(*key.expression, columns) + (key.descending ? " DESC" : " ASC") +
                    (key.nulls_first ? " NULLS FIRST" : " NULLS LAST"));
  }
  return "ORDER BY " + joined(texts, ", ");
}

std::string typed(const std::string& text, const plan::Type& type) {
  return "CAST(" + text + " AS " + type.to_string() + ")";
}

std::string aggregate_name(const std::string& function) {
  return quoted_name(function == "sum_no_overflow" ? "sum" : function);
}

std::string write_aggregate(const plan::AggregateCall& call, const Columns& columns) {
  std::string text;
  if (call.function == "count_star") {
    text = "count(*)";
  } else {
    text = aggregate_name(call.function) + "(" + (call.distinct ? "DISTINCT " : "") +
           joined(expressions(call.arguments, columns), ", ");
    if (!call.order_by.empty()) text += " " + order_by(call.order_by, columns);
    text += ")";
  }
  if (call.filter) text += " FILTER (WHERE " + write_expression(*call.filter, columns) + ")";
  return typed(text, call.type);
}

}  // namespace weft::oracle
