// Prints the rows of a statement. Values are DuckDB's text of them (workload::to_text).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/result_table.hpp"

namespace weft::cli {

enum class OutputMode : unsigned char { Box, Csv, Json, Markdown, Line };

const char* to_string(OutputMode mode);
std::optional<OutputMode> find_output_mode(std::string_view name);
/// "box, csv, json, markdown, line".
std::string output_modes();

struct RenderLimits {
  uint64_t max_rows = 40;  // Box: more rows than this show only the first and the last halves; 0: all rows
  size_t max_width = 0;    // Box: columns of the terminal; 0: any width
};

/// Calls: begin, rows any number of times, end. `out` is written as rows arrive, except by Box, which keeps what it
/// will show and writes at the end. Without end (the statement failed) Box writes nothing.
class Renderer {
 public:
  virtual ~Renderer() = default;
  virtual void begin(const std::vector<plan::Column>& columns) = 0;
  virtual void rows(const ArrowSchema& schema, const ArrowArray& batch) = 0;
  virtual void end() = 0;
  /// Whether rows() writes, so that a progress bar must be gone before it.
  virtual bool streams() const { return true; }
};

std::unique_ptr<Renderer> make_renderer(OutputMode mode, std::ostream& out, const RenderLimits& limits);

// One maker a file, used by make_renderer.
std::unique_ptr<Renderer> make_box_renderer(std::ostream& out, const RenderLimits& limits);
std::unique_ptr<Renderer> make_csv_renderer(std::ostream& out);
std::unique_ptr<Renderer> make_json_renderer(std::ostream& out);
std::unique_ptr<Renderer> make_markdown_renderer(std::ostream& out);
std::unique_ptr<Renderer> make_line_renderer(std::ostream& out);

}  // namespace weft::cli
