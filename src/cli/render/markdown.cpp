// A GitHub table; numbers are aligned to the right.
#include <ostream>

#include "cli/render/batch_rows.hpp"
#include "cli/render/renderer.hpp"

namespace weft::cli {

namespace {

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') {
      out += "<br>";
    } else if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '<') {
      out += '\\';
      out += c;
    } else if (c != '\r') {
      out += c;
    }
  }
  return out;
}

class MarkdownRenderer : public Renderer {
 public:
  explicit MarkdownRenderer(std::ostream& out) : out_(out) {}

  void begin(const std::vector<plan::Column>& columns) override {
    out_ << '|';
    for (const plan::Column& column : columns) out_ << ' ' << markdown_cell(column.name) << " |";
    out_ << "\n|";
    for (const plan::Column& column : columns) out_ << (column.type.is_numeric() ? "---:|" : "---|");
    out_ << '\n';
  }

  void rows(const ArrowSchema& schema, const ArrowArray& batch) override {
    for_each_row(schema, batch, [&](const std::vector<workload::Cell>& row) {
      std::string line = "|";
      for (const workload::Cell& cell : row) line += " " + markdown_cell(workload::to_text(cell)) + " |";
      out_ << line << '\n';
    });
  }

  void end() override {}

 private:
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Renderer> make_markdown_renderer(std::ostream& out) { return std::make_unique<MarkdownRenderer>(out); }

}  // namespace weft::cli
