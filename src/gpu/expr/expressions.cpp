#include "gpu/expr/expressions.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <cudf/column/column_factories.hpp>
#include <cudf/copying.hpp>
#include <cudf/null_mask.hpp>
#include <cudf/strings/strings_column_view.hpp>
#include <cudf/utilities/traits.hpp>
#include <rmm/device_buffer.hpp>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"
#include "gpu/expr/failure_text.hpp"
#include "gpu/expr/generator.hpp"
#include "gpu/expr/kernel_cache.hpp"
#include "gpu/expr/kernel_parameters.hpp"
#include "gpu/kernels/select.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned kBlockThreads = 256;
constexpr unsigned kBlocksPerMultiprocessor = 16;
constexpr size_t kTextPairBytes = 16;

// A generated kernel with its inputs, ready to run on batches.
class Kernel {
 public:
  Kernel(KernelCache& cache, std::vector<plan::Column> input, GeneratedKernel generated)
      : input_(std::move(input)), generated_(std::move(generated)), compiled_(cache.get(generated_.source)) {
    generated_.source = {};
    generated_.source.shrink_to_fit();
  }

  // The words that a kernel writes beside its columns: failure, arena_used, a count per output.
  struct Report {
    uint64_t failure = kNoFailure;
    uint64_t arena_used = 0;
    std::vector<uint64_t> counts;
  };

  const std::vector<GeneratedKernel::Output>& outputs() const { return generated_.outputs; }
  bool must_report() const { return !generated_.slots.empty() || generated_.uses_arena; }

  // Runs over a batch; `read_report`: synchronizes and reads the report, and raises what failed. The arena holds the
  // new text that outputs point to.
  Report run(const TaskContext& context, const Batch& batch, std::vector<KernelOutput> outputs, bool read_report,
             std::optional<rmm::device_buffer>& arena) const;

 private:
  std::vector<KernelInput> inputs(const Batch& batch, uint64_t& text_bytes, const TaskContext& context) const;
  void launch(const TaskContext& context, std::vector<uint64_t> words, int64_t rows) const;
  [[noreturn]] void raise(const TaskContext& context, const Batch& batch, uint64_t failure) const;

  std::vector<plan::Column> input_;
  GeneratedKernel generated_;
  std::shared_ptr<const CompiledKernel> compiled_;
};

std::vector<KernelInput> Kernel::inputs(const Batch& batch, uint64_t& text_bytes, const TaskContext& context) const {
  WEFT_INVARIANT(batch.columns.size() == input_.size(), "a batch has the columns that an expression was made for");
  std::vector<KernelInput> inputs;
  for (const uint32_t index : generated_.inputs) {
    const cudf::column_view column = batch.columns[index]->view();
    WEFT_INVARIANT(column.size() == batch.rows && column.offset() == 0, "a batch holds whole columns");
    WEFT_INVARIANT(column.type() == device_type(input_[index].type), "a column has the device form of its type");
    KernelInput input;
    input.valid = column.null_count() > 0 ? column.null_mask() : nullptr;
    if (input_[index].type.is_bytes()) {
      const cudf::strings_column_view strings(column);
      input.wide_offsets = strings.offsets().type().id() == cudf::type_id::INT64;
      input.data = input.wide_offsets ? static_cast<const void*>(strings.offsets().head<int64_t>())
                                      : strings.offsets().head<int32_t>();
      input.chars = strings.chars_begin(context.stream);
      text_bytes += static_cast<uint64_t>(batch.columns[index]->alloc_size());
    } else {
      input.data = column.head<char>();
    }
    inputs.push_back(input);
  }
  return inputs;
}

void Kernel::launch(const TaskContext& context, std::vector<uint64_t> words, int64_t rows) const {
  int device = 0;
  int multiprocessors = 0;
  check_cuda(cudaGetDevice(&device));
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const auto blocks = static_cast<uint64_t>((rows + kBlockThreads - 1) / kBlockThreads);
  const uint64_t limit = static_cast<uint64_t>(multiprocessors) * kBlocksPerMultiprocessor;
  std::array<void*, 1> arguments{words.data()};
  check_cuda(cudaLaunchKernel(reinterpret_cast<const void*>(compiled_->kernel()),
                              dim3(static_cast<unsigned>(std::min(blocks, limit))), dim3(kBlockThreads),
                              arguments.data(), 0, context.stream.get()));
}

Kernel::Report Kernel::run(const TaskContext& context, const Batch& batch, std::vector<KernelOutput> outputs,
                           bool read_report, std::optional<rmm::device_buffer>& arena) const {
  const cudaStream_t stream = context.stream.get();
  uint64_t text_bytes = 0;
  KernelParameters parameters;
  parameters.rows = batch.rows;
  parameters.inputs = inputs(batch, text_bytes, context);
  parameters.outputs = std::move(outputs);
  const size_t words = 2 + generated_.outputs.size();
  rmm::device_buffer report(words * sizeof(uint64_t), context.stream, context.mr);
  auto* const cells = static_cast<uint64_t*>(report.data());
  parameters.failure = cells;
  parameters.arena_used = cells + 1;
  parameters.counts = cells + 2;
  if (generated_.uses_arena)
    arena.emplace(text_bytes + 32 * static_cast<uint64_t>(batch.rows), context.stream, context.mr);
  for (;;) {
    context.cancellation.check();
    if (arena) {
      parameters.arena = static_cast<char*>(arena->data());
      parameters.arena_bytes = arena->size();
    }
    check_cuda(cudaMemsetAsync(cells, 0xff, sizeof(uint64_t), stream));
    check_cuda(cudaMemsetAsync(cells + 1, 0, (words - 1) * sizeof(uint64_t), stream));
    launch(context, pack(generated_, parameters), batch.rows);
    Report result;
    if (!read_report && !must_report()) return result;
    std::vector<uint64_t> host(words);
    check_cuda(cudaMemcpyAsync(host.data(), cells, words * sizeof(uint64_t), cudaMemcpyDeviceToHost, stream));
    check_cuda(cudaStreamSynchronize(stream));
    result.failure = host[0];
    result.arena_used = host[1];
    result.counts.assign(host.begin() + 2, host.end());
    if (!arena || result.arena_used <= arena->size()) {
      if (result.failure != kNoFailure) raise(context, batch, result.failure);
      return result;
    }
    // The new text did not fit; now its size is known.
    arena.reset();
    arena.emplace(result.arena_used, context.stream, context.mr);
  }
}

void Kernel::raise(const TaskContext& context, const Batch& batch, uint64_t failure) const {
  const auto row = static_cast<cudf::size_type>(failure >> kFailureSlotBits);
  const size_t slot = failure & ((uint64_t{1} << kFailureSlotBits) - 1);
  Error error{ErrorCode::ExpressionError, "a value made an expression fail (overflow, cast or division by zero)",
              std::nullopt};
  error.failure = ExpressionFailure{generated_.slots.at(slot), row_text(context, input_, batch, row)};
  throw Exception(std::move(error));
}

bool can_be_null(const GeneratedKernel::Output& output, const Batch& batch) {
  return output.makes_nulls || std::any_of(output.null_sources.begin(), output.null_sources.end(),
                                           [&](uint32_t column) { return batch.columns[column]->null_count() > 0; });
}

// Expressions whose kernel computes what is not a plain column.
class KernelExpressions final : public Expressions {
 public:
  KernelExpressions(KernelCache& kernels, std::vector<plan::Column> input,
                    const std::vector<plan::ExprPtr>& expressions) {
    std::vector<plan::ExprPtr> computed;
    for (const plan::ExprPtr& expr : expressions) {
      if (expr->kind == plan::ExprKind::ColumnRef) {
        WEFT_INVARIANT(expr->column < input.size(), "a column reference outside the row");
        sources_.push_back({true, expr->column});
        continue;
      }
      const auto same = std::find_if(computed.begin(), computed.end(),
                                     [&](const plan::ExprPtr& other) { return plan::same(*other, *expr); });
      sources_.push_back({false, static_cast<size_t>(same - computed.begin())});
      if (same == computed.end()) computed.push_back(expr);
    }
    if (!computed.empty()) {
      GeneratedKernel generated = generate_columns(input, computed);
      kernel_.emplace(kernels, std::move(input), std::move(generated));
    }
  }

  std::vector<ColumnPtr> evaluate(const TaskContext& context, const Batch& input) const override {
    std::vector<ColumnPtr> computed;
    if (kernel_) computed = compute(context, input);
    std::vector<ColumnPtr> columns;
    columns.reserve(sources_.size());
    for (const Source& source : sources_)
      columns.push_back(source.is_input ? input.columns.at(source.index) : computed[source.index]);
    return columns;
  }

 private:
  struct Source {
    bool is_input;
    size_t index;
  };
  std::vector<ColumnPtr> compute(const TaskContext& context, const Batch& input) const;

  std::vector<Source> sources_;
  std::optional<Kernel> kernel_;
};

// One output while the kernel fills it.
struct OutputBuffers {
  rmm::device_buffer data;
  std::optional<rmm::device_buffer> valid;
};

OutputBuffers allocate(const TaskContext& context, const GeneratedKernel::Output& output, const Batch& batch) {
  const auto rows = static_cast<size_t>(batch.rows);
  if (output.type.is_bytes()) {
    return {rmm::device_buffer(rows * kTextPairBytes, context.stream, context.mr), std::nullopt};
  }
  OutputBuffers buffers{rmm::device_buffer(rows * cudf::size_of(device_type(output.type)), context.stream, context.mr),
                        std::nullopt};
  if (can_be_null(output, batch)) {
    buffers.valid.emplace(cudf::bitmask_allocation_size_bytes(batch.rows), context.stream, context.mr);
  }
  return buffers;
}

std::unique_ptr<cudf::column> finish(const TaskContext& context, const GeneratedKernel::Output& output,
                                     OutputBuffers buffers, cudf::size_type rows, uint64_t nulls) {
  if (output.type.is_bytes()) {
    using Pair = cuda::std::pair<const char*, cudf::size_type>;
    static_assert(sizeof(Pair) == kTextPairBytes);
    const cudf::device_span<const Pair> pairs(static_cast<const Pair*>(buffers.data.data()), static_cast<size_t>(rows));
    return cudf::make_strings_column(pairs, context.stream, context.mr);
  }
  rmm::device_buffer mask;
  if (buffers.valid && nulls > 0) mask = std::move(*buffers.valid);
  return std::make_unique<cudf::column>(device_type(output.type), rows, std::move(buffers.data), std::move(mask),
                                        static_cast<cudf::size_type>(nulls));
}

std::vector<ColumnPtr> KernelExpressions::compute(const TaskContext& context, const Batch& input) const {
  std::vector<ColumnPtr> columns;
  if (input.rows == 0) {
    for (const GeneratedKernel::Output& output : kernel_->outputs()) {
      columns.push_back(cudf::make_empty_column(device_type(output.type)));
    }
    return columns;
  }
  std::vector<OutputBuffers> buffers;
  std::vector<KernelOutput> targets;
  bool counts_needed = false;
  for (const GeneratedKernel::Output& output : kernel_->outputs()) {
    buffers.push_back(allocate(context, output, input));
    OutputBuffers& last = buffers.back();
    targets.push_back({last.data.data(), last.valid ? last.valid->data() : nullptr});
    counts_needed |= last.valid.has_value();
  }
  std::optional<rmm::device_buffer> arena;
  const Kernel::Report report = kernel_->run(context, input, std::move(targets), counts_needed, arena);
  for (size_t k = 0; k < buffers.size(); ++k) {
    const uint64_t nulls = counts_needed ? report.counts[k] : 0;
    columns.push_back(finish(context, kernel_->outputs()[k], std::move(buffers[k]), input.rows, nulls));
  }
  return columns;
}

class KernelPredicate final : public Predicate {
 public:
  KernelPredicate(KernelCache& kernels, std::vector<plan::Column> input, const std::vector<plan::ExprPtr>& conjuncts)
      : kernel_(make_kernel(kernels, std::move(input), conjuncts)) {}

  std::unique_ptr<cudf::column> mask(const TaskContext& context, const Batch& input) const override {
    const cudf::data_type type(cudf::type_id::BOOL8);
    if (input.rows == 0) return cudf::make_empty_column(type);
    rmm::device_buffer bytes(static_cast<size_t>(input.rows), context.stream, context.mr);
    fill(context, input, bytes, false);
    return std::make_unique<cudf::column>(type, input.rows, std::move(bytes), rmm::device_buffer{}, 0);
  }

  Batch filter(const TaskContext& context, const Batch& input, const std::vector<uint32_t>& projection) const override;

 private:
  static Kernel make_kernel(KernelCache& kernels, std::vector<plan::Column> input,
                            const std::vector<plan::ExprPtr>& conjuncts) {
    GeneratedKernel generated = generate_mask(input, conjuncts);
    return {kernels, std::move(input), std::move(generated)};
  }
  // Writes the mask; gives the number of rows that pass if `count`.
  uint64_t fill(const TaskContext& context, const Batch& input, rmm::device_buffer& bytes, bool count) const {
    std::optional<rmm::device_buffer> arena;
    const Kernel::Report report = kernel_.run(context, input, {{bytes.data(), nullptr}}, count, arena);
    return count ? report.counts[0] : 0;
  }

  Kernel kernel_;
};

Batch KernelPredicate::filter(const TaskContext& context, const Batch& input,
                              const std::vector<uint32_t>& projection) const {
  Batch output;
  output.sequence = input.sequence;
  uint64_t passed = 0;
  rmm::device_buffer bytes;
  if (input.rows > 0) {
    bytes = rmm::device_buffer(static_cast<size_t>(input.rows), context.stream, context.mr);
    passed = fill(context, input, bytes, true);
  }
  output.rows = static_cast<cudf::size_type>(passed);
  if (output.rows == input.rows) {
    for (const uint32_t column : projection) output.columns.push_back(input.columns.at(column));
    return output;
  }
  if (output.rows == 0) {
    for (const uint32_t column : projection)
      output.columns.push_back(cudf::empty_like(input.columns.at(column)->view()));
    return output;
  }
  if (projection.empty()) return output;
  const rmm::device_uvector<cudf::size_type> positions = kernels::selected_rows(
      static_cast<const uint8_t*>(bytes.data()), input.rows, output.rows, context.stream, context.mr);
  context.cancellation.check();
  std::vector<cudf::column_view> views;
  for (const uint32_t column : projection) views.push_back(input.columns.at(column)->view());
  const cudf::column_view map(cudf::data_type(cudf::type_id::INT32), output.rows, positions.data(), nullptr, 0);
  const auto table =
      cudf::gather(cudf::table_view(views), map, cudf::out_of_bounds_policy::DONT_CHECK, context.stream, context.mr);
  for (auto& column : table->release()) output.columns.push_back(std::move(column));
  return output;
}

}  // namespace

std::unique_ptr<Expressions> Expressions::make(KernelCache& kernels, std::vector<plan::Column> input,
                                               std::vector<plan::ExprPtr> expressions) {
  return std::make_unique<KernelExpressions>(kernels, std::move(input), expressions);
}

std::unique_ptr<Predicate> Predicate::make(KernelCache& kernels, std::vector<plan::Column> input,
                                           std::vector<plan::ExprPtr> conjuncts) {
  return std::make_unique<KernelPredicate>(kernels, std::move(input), conjuncts);
}

}  // namespace weft::gpu
