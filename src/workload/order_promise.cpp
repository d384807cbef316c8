// Reads a statement's promises about order from DuckDB's own parse tree (json_serialize_sql).
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "workload/compare.hpp"

namespace weft::workload {
namespace {

using nlohmann::json;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The tree without what does not change its meaning: locations and the outermost alias.
json meaning(json tree) {
  const auto strip = [](auto&& self, json& node) -> void {
    if (node.is_object()) {
      node.erase("query_location");
      node.erase("query_location_length");
    }
    if (node.is_structured()) {
      for (auto& child : node) self(self, child);
    }
  };
  strip(strip, tree);
  if (tree.is_object()) tree["alias"] = "";
  return tree;
}

/// Aggregates whose answer depends on the order of rows unless they have an ORDER BY of their own.
bool is_order_dependent_function(const std::string& name) {
  static const std::set<std::string> names = {
      "first",  "last",       "any_value", "arbitrary",    "list", "array_agg",    "arg_min",   "arg_max",     "min_by",
      "max_by", "string_agg", "listagg",   "group_concat", "mode", "arg_min_null", "histogram", "arg_max_null"};
  return names.count(name) != 0;
}

bool is_row_position_window(const std::string& type) {
  static const std::set<std::string> types = {"WINDOW_ROW_NUMBER", "WINDOW_NTILE",       "WINDOW_LAG",
                                              "WINDOW_LEAD",       "WINDOW_FIRST_VALUE", "WINDOW_LAST_VALUE",
                                              "WINDOW_NTH_VALUE"};
  return types.count(type) != 0;
}

std::string text_of(const json& tree, const char* member) {
  const auto found = tree.find(member);
  return found != tree.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Over ties, a window's answer depends on which of them comes first: by its function, or by a frame of ROWS that ends
/// inside the partition. Whether the order leaves ties is not to be seen in a statement.
bool is_order_dependent_window(const json& window) {
  const bool rows = text_of(window, "start").ends_with("_ROWS") || text_of(window, "end").ends_with("_ROWS");
  const bool ordered_call = window.contains("arg_orders") && !window["arg_orders"].empty();
  return rows || is_row_position_window(text_of(window, "type")) ||
         (!ordered_call && is_order_dependent_function(lower(text_of(window, "function_name"))));
}

bool depends_on_order(const json& tree) {
  if (tree.is_object()) {
    const std::string type = text_of(tree, "type");
    if (type == "LIMIT_MODIFIER" || type == "LIMIT_PERCENT_MODIFIER") return true;
    if (text_of(tree, "class") == "WINDOW" && is_order_dependent_window(tree)) return true;
    // DISTINCT ON keeps the first row of each group.
    if (type == "DISTINCT_MODIFIER" && tree.contains("distinct_on_targets") && !tree["distinct_on_targets"].empty()) {
      return true;
    }
    if (type == "FUNCTION" && tree.contains("function_name") &&
        is_order_dependent_function(lower(tree["function_name"].get<std::string>())) &&
        (!tree.contains("order_bys") || tree["order_bys"].is_null() || tree["order_bys"]["orders"].empty())) {
      return true;
    }
  }
  return tree.is_structured() && std::any_of(tree.begin(), tree.end(), depends_on_order);
}

/// The select list that names the output: of a set operation, that of its first input.
json select_list(const json& node) {
  if (node.contains("select_list")) return node["select_list"];
  if (node.contains("children") && !node["children"].empty()) return select_list(node["children"][0]);
  if (node.contains("left")) return select_list(node["left"]);
  return json::array();
}

bool is_star(const json& expression) { return expression.value("class", "") == "STAR"; }

/// Output column of select-list item `item`; nullopt if stars make it unknown.
std::optional<uint32_t> output_column(const json& list, size_t item, size_t columns) {
  const auto stars_before = std::count_if(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(item), is_star);
  if (stars_before == 0) return static_cast<uint32_t>(item);
  const auto stars_after = std::count_if(list.begin() + static_cast<std::ptrdiff_t>(item), list.end(), is_star);
  if (stars_after > 0) return std::nullopt;
  const size_t from_end = list.size() - item;
  return from_end <= columns ? std::optional<uint32_t>(columns - from_end) : std::nullopt;
}

/// The one output column of that name.
std::optional<uint32_t> column_named(const ResultTable& answer, const std::string& name) {
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < answer.columns.size(); ++i) {
    if (lower(answer.columns[i].name) != lower(name)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<uint32_t> find_key(const json& key, const json& list, const ResultTable& answer) {
  const std::string kind = key.value("class", "");
  if (kind == "CONSTANT" && key.contains("literal") && key["literal"].value("kind", "") == "INTEGER") {
    const auto position = std::stoul(key["literal"].value("text", "0"));
    if (position >= 1 && position <= answer.columns.size()) return static_cast<uint32_t>(position - 1);
    return std::nullopt;
  }
  const bool is_column = kind == "COLUMN_REF";
  if (is_column && key["column_names"].size() == 1) {
    if (const auto named = column_named(answer, key["column_names"][0].get<std::string>())) return named;
  }
  const json wanted = meaning(key);
  bool has_star = false;
  for (size_t i = 0; i < list.size(); ++i) {
    has_star = has_star || is_star(list[i]);
    if (is_star(list[i]) || meaning(list[i]) != wanted) continue;
    if (const auto column = output_column(list, i, answer.columns.size()); column && *column < answer.columns.size()) {
      return column;
    }
  }
  if (!is_column) return std::nullopt;
  const std::string last = key["column_names"].back().get<std::string>();
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].value("class", "") != "COLUMN_REF") continue;
    const auto& names = list[i]["column_names"];
    const bool one_is_bare = names.size() == 1 || key["column_names"].size() == 1;
    if (one_is_bare && lower(names.back().get<std::string>()) == lower(last)) {
      return output_column(list, i, answer.columns.size());
    }
  }
  return has_star ? column_named(answer, last) : std::nullopt;
}

void read_order(const json& modifier, const json& list, const ResultTable& answer, OrderPromise& promise) {
  promise.ordered = true;
  for (const auto& order : modifier["orders"]) {
    const json& key = order["expression"];
    if (is_star(key)) {  // ORDER BY ALL
      for (uint32_t i = 0; i < answer.columns.size(); ++i) promise.keys.push_back(i);
    } else if (const auto column = find_key(key, list, answer)) {
      promise.keys.push_back(*column);
    } else {
      promise.hidden_keys = true;
    }
  }
}

std::string scalar_text(session::Connection& plain, const std::string& sql) {
  const ResultTable table = run_query(plain, sql);
  return table.rows.empty() || table.rows[0].empty() ? "" : table.rows[0][0].text;
}

}  // namespace

OrderPromise order_promise(session::Connection& plain, const std::string& statement, const ResultTable& answer) {
  OrderPromise promise;
  json tree;
  try {
    tree = json::parse(scalar_text(plain, "SELECT json_serialize_sql(" + quoted(statement) + ")"));
  } catch (const std::exception&) {
    return promise;  // not a SELECT
  }
  if (tree.value("error", true) || tree["statements"].size() != 1) return promise;
  json& node = tree["statements"][0]["node"];
  const json list = select_list(node);
  json kept = json::array();
  for (const auto& modifier : node["modifiers"]) {
    const std::string type = modifier.value("type", "");
    if (type == "LIMIT_MODIFIER" || type == "LIMIT_PERCENT_MODIFIER") {
      promise.limited = true;
      continue;
    }
    if (type == "ORDER_MODIFIER") read_order(modifier, list, answer, promise);
    kept.push_back(modifier);
  }
  node["modifiers"] = kept;
  promise.order_dependent = depends_on_order(tree);
  if (promise.limited) {
    promise.unlimited_sql = scalar_text(plain, "SELECT json_deserialize_sql(" + quoted(tree.dump()) + "::JSON)");
  }
  return promise;
}

}  // namespace weft::workload
