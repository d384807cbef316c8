// One JSON array of objects, one object a row and line. Numbers are JSON numbers with all their digits; NaN and
// infinities, which JSON has no number for, are strings; so are dates, times and nested values, in DuckDB's text.
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "cli/render/batch_rows.hpp"
#include "cli/render/renderer.hpp"

namespace weft::cli {

namespace {

/// Length of the well-formed UTF-8 sequence at `at` (RFC 3629), or 0.
size_t sequence_length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(at + 1) ? 2 : 0;
  const unsigned second = byte(at + 1);
  if ((lead & 0xF0U) == 0xE0U) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second >= 0xA0;
    return continues(at + 1) && continues(at + 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool outside = (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90);
    return continues(at + 1) && continues(at + 2) && continues(at + 3) && !outside ? 4 : 0;
  }
  return 0;
}

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = sequence_length(text, i);
    if (length == 0) {
      out += "\\ufffd";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.append(text, i, length);
    }
    i += length;
  }
  return out + '"';
}

class JsonRenderer : public Renderer {
 public:
  explicit JsonRenderer(std::ostream& out) : out_(out) {}

  void begin(const std::vector<plan::Column>& columns) override {
    for (const plan::Column& column : columns) {
      keys_.push_back(json_string(column.name) + ":");
      bare_.push_back(column.type.is_numeric() || column.type.id == plan::TypeId::Boolean);
    }
    out_ << '[';
  }

  void rows(const ArrowSchema& schema, const ArrowArray& batch) override {
    for_each_row(schema, batch, [&](const std::vector<workload::Cell>& row) {
      std::string line = first_ ? "{" : ",\n{";
      first_ = false;
      for (size_t i = 0; i < row.size(); ++i) {
        if (i != 0) line += ',';
        line += keys_[i] + value(row[i], bare_[i]);
      }
      out_ << line << '}';
    });
  }

  void end() override { out_ << "]\n"; }

 private:
  static std::string value(const workload::Cell& cell, bool bare) {
    if (cell.kind == workload::Cell::Kind::Null) return "null";
    const bool finite = cell.kind == workload::Cell::Kind::Text || std::isfinite(cell.number);
    return bare && finite ? workload::to_text(cell) : json_string(workload::to_text(cell));
  }

  std::ostream& out_;
  std::vector<std::string> keys_;
  std::vector<bool> bare_;  // numbers and booleans: no quotes
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Renderer> make_json_renderer(std::ostream& out) { return std::make_unique<JsonRenderer>(out); }

}  // namespace weft::cli
