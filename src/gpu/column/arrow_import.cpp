#include <cudf/interop.hpp>
#include <cudf/table/table.hpp>
#include <cudf/unary.hpp>

#include "engine/arrow_schema.hpp"
#include "gpu/column/arrow_export.hpp"
#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {

Batch import_batch(const TaskContext& context, const std::vector<plan::Column>& columns, const ArrowArray& array) {
  const auto rows = static_cast<cudf::size_type>(array.length);
  std::vector<std::unique_ptr<cudf::column>> out;
  if (!columns.empty()) {
    const engine::HostSchema schema = engine::arrow_schema(columns);
    out = cudf::from_arrow(schema.get(), &array, context.stream, context.mr)->release();
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const cudf::data_type wanted = device_type(columns[i].type);
    if (out[i]->type() != wanted) out[i] = cudf::cast(out[i]->view(), wanted, context.stream, context.mr);
  }
  check_cuda(cudaStreamSynchronize(context.stream.get()));
  return make_batch(std::move(out), rows);
}

}  // namespace weft::gpu
