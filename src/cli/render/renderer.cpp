#include "cli/render/renderer.hpp"

#include <array>

namespace weft::cli {

namespace {

constexpr std::array kModes = {OutputMode::Box, OutputMode::Csv, OutputMode::Json, OutputMode::Markdown,
                               OutputMode::Line};

}  // namespace

const char* to_string(OutputMode mode) {
  switch (mode) {
    case OutputMode::Box:
      return "box";
    case OutputMode::Csv:
      return "csv";
    case OutputMode::Json:
      return "json";
    case OutputMode::Markdown:
      return "markdown";
    case OutputMode::Line:
      return "line";
  }
  return "box";
}

std::optional<OutputMode> find_output_mode(std::string_view name) {
  for (OutputMode mode : kModes) {
    if (name == to_string(mode)) return mode;
  }
  return std::nullopt;
}

std::string output_modes() {
  std::string out;
  for (OutputMode mode : kModes) out += (out.empty() ? "" : ", ") + std::string(to_string(mode));
  return out;
}

std::unique_ptr<Renderer> make_renderer(OutputMode mode, std::ostream& out, const RenderLimits& limits) {
  switch (mode) {
    case OutputMode::Box:
      return make_box_renderer(out, limits);
    case OutputMode::Csv:
      return make_csv_renderer(out);
    case OutputMode::Json:
      return make_json_renderer(out);
    case OutputMode::Markdown:
      return make_markdown_renderer(out);
    case OutputMode::Line:
      return make_line_renderer(out);
  }
  return make_box_renderer(out, limits);
}

}  // namespace weft::cli
