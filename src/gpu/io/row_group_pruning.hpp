// Leaving out row groups whose statistics prove that no row passes the filters.
#pragma once

#include <optional>
#include <vector>

#include "gpu/io/file_columns.hpp"
#include "plan/expression.hpp"

namespace weft::gpu {

/// False only if no row of the group can make every filter TRUE. Conservative: what it does not understand may match.
/// Bounds of text may be truncated (they still bound); upper bounds of FLOAT and DOUBLE are not used, since NaN is
/// greatest and no bound includes it.
bool may_match(const std::vector<plan::ExprPtr>& filters, const plan::Scan& scan,
               const std::vector<std::optional<FileColumn>>& columns, const cudf::io::parquet::RowGroup& group);

}  // namespace weft::gpu
