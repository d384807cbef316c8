#include "workload/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weft::workload {
namespace {

constexpr int kBarWidth = 14;
constexpr int kGroupGap = 14;
constexpr int kLeft = 70;
constexpr int kTop = 56;
constexpr int kPlotHeight = 280;
constexpr int kBottom = 60;
constexpr const char* kColors[] = {"#2f855a", "#a0aec0", "#2b6cb0", "#c05621"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

/// Maps milliseconds to a height in pixels.
struct Axis {
  bool logarithmic = false;
  double low = 0;
  double high = 1;
  double height(double ms) const {
    if (!logarithmic) return kPlotHeight * ms / high;
    return ms <= low ? 0 : kPlotHeight * std::log10(ms / low) / std::log10(high / low);
  }
};

/// The next 1, 2 or 5 times a power of ten.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power) return step * power;
  }
  return 10 * power;
}

Axis choose_axis(const std::vector<Report>& reports) {
  double low = INFINITY;
  double high = 0;
  for (const auto& report : reports) {
    for (const auto& query : report.queries) {
      const double ms = median(query.ms);
      if (ms <= 0) continue;
      low = std::min(low, ms);
      high = std::max(high, ms);
    }
  }
  if (high <= 0) return {};
  if (high <= 100 * low) return {false, 0, round_up(high)};
  return {true, std::pow(10, std::floor(std::log10(low))), std::pow(10, std::ceil(std::log10(high)))};
}

std::vector<double> ticks(const Axis& axis) {
  std::vector<double> out;
  if (axis.logarithmic) {
    for (double value = axis.low; value <= axis.high * 1.001; value *= 10) out.push_back(value);
  } else {
    for (int i = 0; i <= 4; ++i) out.push_back(axis.high * i / 4);
  }
  return out;
}

std::string grid(const Axis& axis, int width) {
  std::string out;
  for (const double tick : ticks(axis)) {
    const double y = kTop + kPlotHeight - axis.height(tick);
    out += fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#e2e8f0\"/>\n", kLeft, y,
                       width - 20, y);
    out += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g} ms</text>\n", kLeft - 8, y + 4, tick);
  }
  return out;
}

std::string legend(const std::vector<Report>& reports) {
  std::string out;
  int x = kLeft;
  for (size_t i = 0; i < reports.size(); ++i) {
    const auto& report = reports[i];
    const std::string name = report.engine == "cpu" ? fmt::format("DuckDB, {} cores", report.host_cores)
                                                    : "Weft, " + (report.device.empty() ? "no GPU" : report.device);
    const std::string label = fmt::format("{}: {:.0f} ms in all", name, report.total_ms());
    out += fmt::format("<rect x=\"{}\" y=\"32\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, kColors[i % 4]);
    out += fmt::format("<text x=\"{}\" y=\"42\">{}</text>\n", x + 18, escaped(label));
    x += 40 + 7 * static_cast<int>(label.size());
  }
  return out;
}

}  // namespace

std::string bar_chart(const std::vector<Report>& reports, const std::string& title) {
  const size_t queries = reports.empty() ? 0 : reports.front().queries.size();
  const int group = kBarWidth * static_cast<int>(reports.size()) + kGroupGap;
  const int width = std::max(760, kLeft + static_cast<int>(queries) * group + 40);
  const int height = kTop + kPlotHeight + kBottom;
  const Axis axis = choose_axis(reports);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\" fill=\"#2d3748\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#ffffff\"/>\n<text x=\"{2}\" y=\"20\" font-size=\"15\">{3}</text>\n",
      width, height, kLeft, escaped(title));
  out += legend(reports) + grid(axis, width);
  for (size_t q = 0; q < queries; ++q) {
    const int x = kLeft + kGroupGap / 2 + static_cast<int>(q) * group;
    for (size_t r = 0; r < reports.size() && q < reports[r].queries.size(); ++r) {
      const auto& query = reports[r].queries[q];
      if (query.ms.empty()) continue;
      const double ms = median(query.ms);
      const double bar = std::max(1.0, axis.height(ms));
      out += fmt::format(
          "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"><title>Q{} {}: {:.1f} "
          "ms</title></rect>\n",
          x + static_cast<int>(r) * kBarWidth, kTop + kPlotHeight - bar, kBarWidth - 2, bar, kColors[r % 4],
          escaped(query.query), reports[r].engine, ms);
    }
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">Q{}</text>\n", x + (group - kGroupGap) / 2,
                       kTop + kPlotHeight + 18, escaped(reports.front().queries[q].query));
  }
  if (axis.logarithmic) {
    out += fmt::format("<text x=\"{}\" y=\"{}\">Median time of a query, logarithmic</text>\n", kLeft, height - 16);
  } else {
    out += fmt::format("<text x=\"{}\" y=\"{}\">Median time of a query</text>\n", kLeft, height - 16);
  }
  return out + "</svg>\n";
}

}  // namespace weft::workload
