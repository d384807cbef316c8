// RFC 4180 with a header line, except that lines end in a line feed alone, as DuckDB's do. NULL is an empty field and
// an empty string "" in quotes, so that the two can be told apart.
#include <ostream>

#include "cli/render/batch_rows.hpp"
#include "cli/render/renderer.hpp"

namespace weft::cli {

namespace {

std::string quoted_field(const std::string& text) {
  const bool plain =
      !text.empty() && text.find_first_of(",\"\r\n") == std::string::npos && text.front() != ' ' && text.back() != ' ';
  if (plain) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

class CsvRenderer : public Renderer {
 public:
  explicit CsvRenderer(std::ostream& out) : out_(out) {}

  void begin(const std::vector<plan::Column>& columns) override {
    for (size_t i = 0; i < columns.size(); ++i) out_ << (i == 0 ? "" : ",") << quoted_field(columns[i].name);
    out_ << '\n';
  }

  void rows(const ArrowSchema& schema, const ArrowArray& batch) override {
    for_each_row(schema, batch, [&](const std::vector<workload::Cell>& row) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) {
        if (i != 0) line += ',';
        if (row[i].kind != workload::Cell::Kind::Null) line += quoted_field(workload::to_text(row[i]));
      }
      out_ << line << '\n';
    });
  }

  void end() override {}

 private:
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Renderer> make_csv_renderer(std::ostream& out) { return std::make_unique<CsvRenderer>(out); }

}  // namespace weft::cli
