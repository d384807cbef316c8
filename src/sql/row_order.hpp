// Which rows of a plan have an order that must be kept.
#pragma once

#include <cstdint>

#include "plan/node.hpp"

namespace weft::sql {

/// The plan's result rows have an order that must be kept: a sort, or with plan.keep_order the order of a source that
/// only filters, projections, limits and unions stand above.
bool has_ordered_result(const plan::Plan& plan);
/// With plan.keep_order: the order of the source's rows reaches the plan's result, as above, or a window without
/// partitions and order, which counts rows as they come (row_number() OVER ()).
bool needs_source_order(const plan::Plan& plan, uint32_t source);

}  // namespace weft::sql
