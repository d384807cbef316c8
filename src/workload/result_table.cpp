#include "workload/result_table.hpp"

#include <charconv>
#include <cstdlib>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "workload/arrow_text.hpp"
#include "workload/duckdb_text.hpp"

namespace weft::workload {
namespace {

using nlohmann::json;

std::string hex_float(double number) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::hex);
  return error == std::errc() ? std::string(buffer, end) : "nan";
}

double from_hex_float(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::hex);
  if (error != std::errc() || end != text.data() + text.size()) throw std::invalid_argument(text);
  return number;
}

json cell_to_json(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::Null:
      return nullptr;
    case Cell::Kind::Text:
      return cell.text;
    case Cell::Kind::Float:
      return json::array({"f", hex_float(cell.number)});
    case Cell::Kind::Double:
      return json::array({"d", hex_float(cell.number)});
  }
  return nullptr;
}

Cell cell_from_json(const json& value) {
  Cell cell;
  if (value.is_null()) return cell;
  if (value.is_string()) {
    cell.kind = Cell::Kind::Text;
    cell.text = value.get<std::string>();
    return cell;
  }
  cell.kind = value.at(0) == "f" ? Cell::Kind::Float : Cell::Kind::Double;
  cell.number = from_hex_float(value.at(1).get<std::string>());
  return cell;
}

}  // namespace

bool is_floating(const plan::Column& column) {
  return column.type.id == plan::TypeId::Float || column.type.id == plan::TypeId::Double;
}

void append_batch(const ArrowSchema& schema, const ArrowArray& batch, ResultTable& table) {
  const size_t first = table.rows.size();
  const auto rows = static_cast<size_t>(batch.length);
  table.rows.resize(first + rows);
  for (auto row = table.rows.begin() + static_cast<std::ptrdiff_t>(first); row != table.rows.end(); ++row) {
    row->reserve(static_cast<size_t>(schema.n_children));
  }
  for (int64_t c = 0; c < schema.n_children; ++c) {
    const ArrowSchema& type = *schema.children[c];
    const ArrowArray& column = *batch.children[c];
    for (size_t r = 0; r < rows; ++r) {
      table.rows[first + r].push_back(arrow_cell(type, column, batch.offset + static_cast<int64_t>(r)));
    }
  }
}

ResultTable drain(session::Rows& rows) {
  ResultTable table;
  table.columns = rows.columns();
  engine::HostBatch batch;
  while (rows.next(batch)) append_batch(rows.schema(), *batch.get(), table);
  return table;
}

ResultTable run_query(session::Connection& connection, const std::string& statement) {
  const auto rows = connection.execute(statement);
  return drain(*rows);
}

std::string to_text(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::Null:
      return "NULL";
    case Cell::Kind::Text:
      return cell.text;
    case Cell::Kind::Float:
      return float_text(static_cast<float>(cell.number));
    case Cell::Kind::Double:
      return double_text(cell.number);
  }
  return "";
}

void write_table(const ResultTable& table, std::ostream& out) {
  json columns = json::array();
  for (const auto& column : table.columns) {
    columns.push_back({column.name, static_cast<int>(column.type.id), column.type.width, column.type.scale,
                       column.type.text, column.nullable});
  }
  out << columns.dump() << '\n';
  for (const auto& row : table.rows) {
    json line = json::array();
    for (const auto& cell : row) line.push_back(cell_to_json(cell));
    out << line.dump() << '\n';
  }
}

ResultTable read_table(std::istream& in) {
  ResultTable table;
  std::string line;
  try {
    if (!std::getline(in, line)) throw std::invalid_argument("no first line");
    for (const auto& entry : json::parse(line)) {
      plan::Column column;
      column.name = entry.at(0).get<std::string>();
      column.type = plan::Type{static_cast<plan::TypeId>(entry.at(1).get<int>()), entry.at(2).get<uint8_t>(),
                               entry.at(3).get<uint8_t>(), entry.at(4).get<std::string>()};
      column.nullable = entry.at(5).get<bool>();
      table.columns.push_back(std::move(column));
    }
    while (std::getline(in, line)) {
      std::vector<Cell> row;
      for (const auto& value : json::parse(line)) row.push_back(cell_from_json(value));
      if (row.size() != table.columns.size()) throw std::invalid_argument("a row of another width");
      table.rows.push_back(std::move(row));
    }
  } catch (const std::exception& e) {
    throw Exception(ErrorCode::InvalidInput, std::string("this is no table that weft wrote: ") + e.what());
  }
  return table;
}

}  // namespace weft::workload
