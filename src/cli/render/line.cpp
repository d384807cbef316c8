// A line a value, "name = value", and an empty line between rows.
#include <algorithm>
#include <ostream>

#include "cli/render/batch_rows.hpp"
#include "cli/render/display_width.hpp"
#include "cli/render/renderer.hpp"

namespace weft::cli {

namespace {

class LineRenderer : public Renderer {
 public:
  explicit LineRenderer(std::ostream& out) : out_(out) {}

  void begin(const std::vector<plan::Column>& columns) override {
    size_t width = 0;
    for (const plan::Column& column : columns) width = std::max(width, display_width(column.name));
    for (const plan::Column& column : columns) {
      names_.push_back(std::string(width - display_width(column.name), ' ') + column.name + " = ");
    }
  }

  void rows(const ArrowSchema& schema, const ArrowArray& batch) override {
    for_each_row(schema, batch, [&](const std::vector<workload::Cell>& row) {
      if (!first_) out_ << '\n';
      first_ = false;
      for (size_t i = 0; i < row.size(); ++i) out_ << names_[i] << workload::to_text(row[i]) << '\n';
    });
  }

  void end() override {}

 private:
  std::ostream& out_;
  std::vector<std::string> names_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Renderer> make_line_renderer(std::ostream& out) { return std::make_unique<LineRenderer>(out); }

}  // namespace weft::cli
