// A report as a bar chart: an SVG text that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "workload/report.hpp"

namespace weft::workload {

/// One group of bars a query, one bar a report (they hold the same queries), median milliseconds, a logarithmic axis
/// when the values span more than two powers of ten.
std::string bar_chart(const std::vector<Report>& reports, const std::string& title);

}  // namespace weft::workload
