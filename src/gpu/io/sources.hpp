// Sources of rows: Parquet files, the host, constants.
#pragma once

#include <memory>
#include <vector>

#include "engine/batch_source.hpp"
#include "gpu/expr/expressions.hpp"
#include "gpu/ops/operator.hpp"
#include "plan/node.hpp"

namespace weft::gpu {

class SharedReads;  // io/shared_reads.hpp
class FooterCache;  // io/footer_cache.hpp: one per backend, keyed by file identity (path, size, mtime)
class FileReader;   // io/file_reader.hpp: one per backend

/// Parquet: footers read in parallel at make (cached), row groups pruned by statistics, morsels of about batch_bytes of
/// decoded rows, columns cast to their bound types, filters applied. Errors name file and column. `shared` (null:
/// none): with other scans of the same files, among which this one is number `reader`.
std::unique_ptr<SourceOperator> make_parquet_scan(FooterCache& footers, FileReader& file_reader, KernelCache& kernels,
                                                  const plan::Scan& scan, uint64_t batch_bytes,
                                                  std::shared_ptr<SharedReads> shared, size_t reader);
std::unique_ptr<SourceOperator> make_host_rows(std::shared_ptr<engine::BatchSource> source,
                                               std::vector<plan::Column> columns, uint64_t batch_bytes);
std::unique_ptr<SourceOperator> make_values(const plan::Values& values, std::vector<plan::Column> columns);

}  // namespace weft::gpu
