// The answer of a statement as values in memory, for comparing and for printing. Not for large results.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "session/connection.hpp"

namespace weft::workload {

/// One value. Floating numbers keep their binary value, everything else the text that DuckDB casts it to, which is
/// exact; two values of one type are equal if and only if their texts are (nested floats are compared as text).
struct Cell {
  enum class Kind : unsigned char { Null, Text, Float, Double };
  Kind kind = Kind::Null;
  double number = 0;  // Float, Double
  std::string text;   // Text
  bool operator==(const Cell& other) const = default;
};

struct ResultTable {
  std::vector<plan::Column> columns;
  std::vector<std::vector<Cell>> rows;
};

/// FLOAT or DOUBLE: its values may differ in their last places.
bool is_floating(const plan::Column& column);

/// Reads a statement to its end. Throws what the statement throws.
ResultTable drain(session::Rows& rows);
/// execute() and drain() in one.
ResultTable run_query(session::Connection& connection, const std::string& statement);
/// Appends the rows of one Arrow batch with this schema.
void append_batch(const ArrowSchema& schema, const ArrowArray& batch, ResultTable& table);
/// A cell as DuckDB prints it: NULL as "NULL", floats in their shortest exact form.
std::string to_text(const Cell& cell);

/// A lossless text form (one line a row), so that one process can leave its answers for another.
void write_table(const ResultTable& table, std::ostream& out);
/// Throws InvalidInput if the text is not write_table's.
ResultTable read_table(std::istream& in);

}  // namespace weft::workload
