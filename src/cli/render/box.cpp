// A box like DuckDB's: names, types, values, and below ten rows or more the counts. Many rows show only the first and
// the last ones; columns that do not fit the terminal are cut, then left out from the middle.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <ostream>

#include "cli/render/batch_rows.hpp"
#include "cli/render/display_width.hpp"
#include "cli/render/renderer.hpp"
#include "cli/render/type_label.hpp"

namespace weft::cli {

namespace {

constexpr size_t kCutColumnWidth = 20;  // a column is cut to this before others are left out
constexpr const char* kEllipsis = "…";
constexpr const char* kDot = "·";

enum class Align : unsigned char { Left, Right, Center };

std::string padded(const std::string& text, size_t width, Align align) {
  size_t used = display_width(text);
  std::string shown = text;
  if (used > width) {
    shown = std::string(cut_to_width(text, width - 1)) + kEllipsis;
    used = display_width(shown);
  }
  const size_t space = width > used ? width - used : 0;
  const size_t before = align == Align::Right ? space : align == Align::Center ? space / 2 : 0;
  return std::string(before, ' ') + shown + std::string(space - before, ' ');
}

struct BoxColumn {
  std::string name;
  std::string type;
  Align align = Align::Left;
  std::vector<std::string> values;
  size_t width = 0;
};

class BoxRenderer : public Renderer {
 public:
  BoxRenderer(std::ostream& out, const RenderLimits& limits) : out_(out), limits_(limits) {}

  void begin(const std::vector<plan::Column>& columns) override { columns_ = columns; }

  void rows(const ArrowSchema& schema, const ArrowArray& batch) override {
    total_ += static_cast<uint64_t>(batch.length);
    const int64_t wanted = limits_.max_rows == 0
                               ? batch.length
                               : std::min(batch.length, static_cast<int64_t>(limits_.max_rows - head_.rows.size()));
    if (wanted > 0) append_slice(schema, batch, 0, wanted, head_);
    if (wanted == batch.length && tail_.empty() && total_ <= head_.rows.size()) return;
    keep_tail(schema, batch);
  }

  void end() override {
    fill_tail();
    make_columns();
    fit();
    std::string text = line("┌", "┬", "┐");
    append_cells(text, [](const BoxColumn& c) { return padded(c.name, c.width, Align::Center); });
    append_cells(text, [](const BoxColumn& c) { return padded(c.type, c.width, Align::Center); });
    if (total_ > 0) {
      text += line("├", "┼", "┤");
      append_values(text);
    }
    text += line("└", "┴", "┘") + footer_text();
    out_ << text;
  }

  bool streams() const override { return false; }

 private:
  bool hides_rows() const { return limits_.max_rows != 0 && total_ > limits_.max_rows; }
  size_t top_rows() const { return hides_rows() ? (limits_.max_rows + 1) / 2 : head_.rows.size(); }

  void keep_tail(const ArrowSchema& schema, const ArrowArray& batch) {
    const auto most = static_cast<int64_t>(limits_.max_rows / 2);
    const int64_t count = std::min(most, batch.length);
    workload::ResultTable last;
    append_slice(schema, batch, batch.length - count, count, last);
    for (auto& row : last.rows) tail_.push_back(std::move(row));
    while (tail_.size() > static_cast<size_t>(most)) tail_.pop_front();
  }

  /// The last rows may have begun among those that the head took.
  void fill_tail() {
    if (!hides_rows()) return;
    while (tail_.size() < limits_.max_rows / 2) tail_.push_front(head_.rows[total_ - tail_.size() - 1]);
  }

  void make_columns() {
    for (size_t i = 0; i < columns_.size(); ++i) {
      BoxColumn column;
      column.name = on_one_line(columns_[i].name);
      column.type = type_label(columns_[i].type);
      if (columns_[i].type.is_numeric()) column.align = Align::Right;
      const auto add = [&](const std::vector<workload::Cell>& row) {
        column.values.push_back(on_one_line(workload::to_text(row[i])));
      };
      for (size_t row = 0; row < top_rows(); ++row) add(head_.rows[row]);
      if (hides_rows()) {
        for (const auto& row : tail_) add(row);
      }
      column.width = std::max(display_width(column.name), display_width(column.type));
      for (const std::string& value : column.values) column.width = std::max(column.width, display_width(value));
      boxes_.push_back(std::move(column));
    }
  }

  size_t box_width() const {
    size_t width = 1;
    for (const BoxColumn& column : boxes_) width += column.width + 3;
    return width;
  }

  void fit() {
    if (limits_.max_width != 0 && box_width() > limits_.max_width) {
      cut_wide_columns();
      leave_out_columns();
    }
    // The counts below are no wider than the box: one line, or two in a narrow box.
    const size_t needed = std::max(display_width(row_count()), display_width(shown_count()));
    if (!boxes_.empty() && has_footer() && box_width() < needed + 4) boxes_.back().width += needed + 4 - box_width();
  }

  void cut_wide_columns() {
    for (;;) {
      const size_t width = box_width();
      auto widest = std::max_element(boxes_.begin(), boxes_.end(),
                                     [](const BoxColumn& a, const BoxColumn& b) { return a.width < b.width; });
      if (width <= limits_.max_width || widest->width <= kCutColumnWidth) return;
      const size_t over = width - limits_.max_width;
      widest->width = std::max(kCutColumnWidth, widest->width > over ? widest->width - over : 0);
    }
  }

  void leave_out_columns() {
    const size_t marker = 4;  // " … │"
    if (box_width() <= limits_.max_width) return;
    size_t at = boxes_.size() / 2;
    while (boxes_.size() > 1 && box_width() + marker > limits_.max_width) {
      at = boxes_.size() / 2;
      boxes_.erase(boxes_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (boxes_.size() == columns_.size()) return;
    BoxColumn column{kEllipsis, kEllipsis, Align::Center, {}, 1};
    column.values.assign(boxes_.front().values.size(), kEllipsis);
    boxes_.insert(boxes_.begin() + static_cast<std::ptrdiff_t>(at), std::move(column));
  }

  std::string line(const char* left, const char* middle, const char* right) const {
    std::string text = left;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      if (i != 0) text += middle;
      for (size_t k = 0; k < boxes_[i].width + 2; ++k) text += "─";
    }
    return text + right + "\n";
  }

  template <typename Cell>
  void append_cells(std::string& text, const Cell& cell) const {
    text += "│";
    for (const BoxColumn& column : boxes_) text += " " + cell(column) + " │";
    text += "\n";
  }

  void append_values(std::string& text) const {
    const size_t count = boxes_.empty() ? 0 : boxes_.front().values.size();
    for (size_t row = 0; row < count; ++row) {
      if (hides_rows() && row == top_rows()) {
        for (int i = 0; i < 3; ++i) {
          append_cells(text, [](const BoxColumn& c) {
            return padded(kDot, c.width, c.align == Align::Right ? Align::Right : Align::Center);
          });
        }
      }
      append_cells(text, [&](const BoxColumn& c) { return padded(c.values[row], c.width, c.align); });
    }
  }

  bool hides_columns() const {
    return std::any_of(boxes_.begin(), boxes_.end(), [](const BoxColumn& c) { return c.name == kEllipsis; });
  }
  bool has_footer() const { return total_ == 0 || hides_rows() || hides_columns(); }
  std::string row_count() const { return fmt::format("{} row{}", total_, total_ == 1 ? "" : "s"); }
  std::string shown_count() const {
    return hides_rows() ? fmt::format("({} shown)", top_rows() + tail_.size()) : std::string();
  }
  std::string column_count() const {
    if (columns_.size() == 1) return {};
    const std::string shown = hides_columns() ? fmt::format(" ({} shown)", boxes_.size() - 1) : "";
    return fmt::format("{} columns{}", columns_.size(), shown);
  }

  /// The lines below the box, or nothing.
  std::string footer_text() const {
    if (!has_footer()) return {};
    const size_t inside = box_width() - 4;
    std::vector<std::string> lines;
    const std::string shown = shown_count();
    const std::string rows = shown.empty() ? row_count() : row_count() + " " + shown;
    const std::string columns = column_count();
    if (!columns.empty() && display_width(rows) + 2 + columns.size() <= inside) {
      lines.push_back(padded(rows, inside - columns.size(), Align::Left) + columns);
    } else if (display_width(rows) <= inside) {
      lines.push_back(rows);
    } else {
      lines = {row_count(), shown};
    }
    std::string text;
    for (const std::string& entry : lines) text += "  " + entry + "\n";
    return text;
  }

  std::ostream& out_;
  RenderLimits limits_;
  std::vector<plan::Column> columns_;
  uint64_t total_ = 0;
  workload::ResultTable head_;                    // the first max_rows rows
  std::deque<std::vector<workload::Cell>> tail_;  // the last max_rows / 2 rows, once the head is full
  std::vector<BoxColumn> boxes_;
};

}  // namespace

std::unique_ptr<Renderer> make_box_renderer(std::ostream& out, const RenderLimits& limits) {
  return std::make_unique<BoxRenderer>(out, limits);
}

}  // namespace weft::cli
