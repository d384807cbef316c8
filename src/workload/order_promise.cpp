// Reads a statement's promises about order from DuckDB's own parse tree (json_serialize_sql), and adds to them.
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "workload/compare.hpp"
#include "workload/duckdb_text.hpp"

namespace weft::workload {
namespace {

using nlohmann::json;

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
    // These take one of several equally near rows.
    const std::string join = type == "JOIN" ? text_of(tree, "ref_type") : "";
    if (join == "ASOF" || join == "NEAREST") return true;
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

/// The tree of a statement that is one SELECT; nullopt for all else.
std::optional<json> parse_select(session::Connection& plain, const std::string& statement) {
  try {
    json tree = json::parse(scalar_text(plain, "SELECT json_serialize_sql(" + sql_text(statement) + ")"));
    if (tree.value("error", true) || tree["statements"].size() != 1) return std::nullopt;
    return tree;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string write_select(session::Connection& plain, const json& tree) {
  return scalar_text(plain, "SELECT json_deserialize_sql(" + sql_text(tree.dump()) + "::JSON)");
}

bool is_limit(const json& modifier) {
  const std::string type = modifier.value("type", "");
  return type == "LIMIT_MODIFIER" || type == "LIMIT_PERCENT_MODIFIER";
}

/// Takes the outermost LIMIT and OFFSET away; false if there is none.
bool drop_limit(json& tree) {
  json& modifiers = tree["statements"][0]["node"]["modifiers"];
  json kept = json::array();
  for (const auto& modifier : modifiers) {
    if (!is_limit(modifier)) kept.push_back(modifier);
  }
  const bool dropped = kept.size() < modifiers.size();
  modifiers = kept;
  return dropped;
}

/// The expression of a sort key that is output column `column` (from 0).
json position(size_t column) {
  return {{"class", "CONSTANT"},
          {"type", "VALUE_CONSTANT"},
          {"alias", ""},
          {"query_location", 0},
          {"query_location_length", 0},
          {"literal", {{"kind", "INTEGER"}, {"text", std::to_string(column + 1)}}}};
}

/// The ORDER BY of the outermost node, made empty if there is none: behind DISTINCT and before LIMIT.
json& order_modifier(json& node) {
  json& modifiers = node["modifiers"];
  for (auto& modifier : modifiers) {
    if (modifier.value("type", "") == "ORDER_MODIFIER") return modifier;
  }
  json with_order = json::array();
  size_t place = 0;
  for (const auto& modifier : modifiers) {
    if (!is_limit(modifier)) with_order.insert(with_order.begin() + static_cast<std::ptrdiff_t>(place++), modifier);
  }
  with_order.push_back({{"type", "ORDER_MODIFIER"}, {"orders", json::array()}});
  for (const auto& modifier : modifiers) {
    if (is_limit(modifier)) with_order.push_back(modifier);
  }
  modifiers = with_order;
  return modifiers[place];
}

}  // namespace

OrderPromise order_promise(session::Connection& plain, const std::string& statement, const ResultTable& answer) {
  OrderPromise promise;
  auto tree = parse_select(plain, statement);
  if (!tree) return promise;
  promise.limited = drop_limit(*tree);
  const json& node = (*tree)["statements"][0]["node"];
  const json list = select_list(node);
  for (const auto& modifier : node["modifiers"]) {
    if (modifier.value("type", "") == "ORDER_MODIFIER") read_order(modifier, list, answer, promise);
  }
  promise.order_dependent = depends_on_order(*tree);
  if (promise.limited) promise.unlimited_sql = write_select(plain, *tree);
  return promise;
}

std::optional<TieBrokenStatement> break_ties(session::Connection& plain, const std::string& statement,
                                             const ResultTable& answer) {
  auto tree = parse_select(plain, statement);
  if (!tree) return std::nullopt;
  json inner = *tree;
  drop_limit(inner);
  if (depends_on_order(inner)) return std::nullopt;
  TieBrokenStatement out;
  json& node = (*tree)["statements"][0]["node"];
  const json list = select_list(node);
  std::set<size_t> keys;
  json& orders = order_modifier(node)["orders"];
  for (auto& order : orders) {
    json& key = order["expression"];
    if (is_star(key)) {
      for (size_t i = 0; i < answer.columns.size(); ++i) keys.insert(i);
    } else if (const auto column = find_key(key, list, answer)) {
      keys.insert(*column);
    } else {
      if (node.value("type", "") != "SELECT_NODE") return std::nullopt;
      json shown = key;
      shown["alias"] = "weft_key_" + std::to_string(++out.added_columns);
      key = position(answer.columns.size() + out.added_columns - 1);
      node["select_list"].push_back(std::move(shown));
    }
  }
  for (const bool floating : {false, true}) {
    for (size_t i = 0; i < answer.columns.size(); ++i) {
      if (is_floating(answer.columns[i]) != floating || !keys.insert(i).second) continue;
      orders.push_back({{"type", "ORDER_DEFAULT"}, {"null_order", "ORDER_DEFAULT"}, {"expression", position(i)}});
    }
  }
  out.sql = write_select(plain, *tree);
  return out;
}

}  // namespace weft::workload
