#include "gpu/expr/expressions.hpp"
#include "gpu/ops/make_operators.hpp"

namespace weft::gpu {
namespace {

class ProjectOperator final : public StepOperator {
 public:
  ProjectOperator(KernelCache& kernels, const pipeline::RowType& input, const pipeline::ProjectStep& step)
      : expressions_(Expressions::make(kernels, input.columns, step.expressions)) {}

  void run(const TaskContext& context, Batch input, const Emit& emit) override {
    Batch output;
    output.rows = input.rows;
    output.sequence = input.sequence;
    output.columns = expressions_->evaluate(context, input);
    emit(std::move(output));
  }

 private:
  std::unique_ptr<Expressions> expressions_;
};

}  // namespace

std::unique_ptr<StepOperator> make_project(const OperatorServices& services, const pipeline::RowType& input,
                                           const pipeline::ProjectStep& step) {
  return std::make_unique<ProjectOperator>(services.kernels, input, step);
}

}  // namespace weft::gpu
