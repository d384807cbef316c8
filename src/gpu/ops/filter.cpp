#include "gpu/expr/expressions.hpp"
#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

class FilterOperator final : public StepOperator {
 public:
  FilterOperator(KernelCache& kernels, const pipeline::RowType& input, const pipeline::FilterStep& step)
      : predicate_(step.conjuncts.empty() ? nullptr : Predicate::make(kernels, input.columns, step.conjuncts)),
        projection_(step.projection) {}

  void run(const TaskContext& context, Batch input, const Emit& emit) override {
    // A filter may carry nothing but its projection.
    Batch passed =
        predicate_ == nullptr ? select_columns(input, projection_) : predicate_->filter(context, input, projection_);
    if (passed.rows > 0) emit(std::move(passed));
  }

 private:
  std::unique_ptr<Predicate> predicate_;
  std::vector<uint32_t> projection_;
};

}  // namespace

std::unique_ptr<StepOperator> make_filter(const OperatorServices& services, const pipeline::RowType& input,
                                          const pipeline::FilterStep& step) {
  return std::make_unique<FilterOperator>(services.kernels, input, step);
}

}  // namespace weft::gpu
