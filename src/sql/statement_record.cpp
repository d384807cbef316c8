#include "sql/statement_record.hpp"

#include <algorithm>
#include <utility>

namespace weft::sql {

using Guard = std::lock_guard<std::mutex>;

size_t StatementRecord::add_part(std::shared_ptr<const plan::Plan> plan) {
  const Guard guard(mutex_);
  report_.gpu_plans.push_back(std::move(plan));
  report_.profiles.emplace_back();
  return report_.gpu_plans.size() - 1;
}

void StatementRecord::set_where(std::string where) {
  const Guard guard(mutex_);
  report_.where = std::move(where);
}

void StatementRecord::add_refusals(const std::vector<support::Refusal>& refusals) {
  const Guard guard(mutex_);
  for (const auto& refusal : refusals) {
    const bool known = std::find(report_.refusals.begin(), report_.refusals.end(), refusal) != report_.refusals.end();
    if (!known) report_.refusals.push_back(refusal);
  }
}

void StatementRecord::set_explain(std::vector<ExplainLine> lines) {
  const Guard guard(mutex_);
  explain_ = std::move(lines);
}

void StatementRecord::set_planning_ms(double ms) {
  const Guard guard(mutex_);
  report_.planning_ms = ms;
}

void StatementRecord::set_cpu_plan(std::string text) {
  const Guard guard(mutex_);
  report_.cpu_plan = std::move(text);
}

void StatementRecord::set_error(std::string code) {
  const Guard guard(mutex_);
  report_.error_code = std::move(code);
}

void StatementRecord::add_rows(uint64_t rows) {
  const Guard guard(mutex_);
  report_.rows += rows;
}

void StatementRecord::finish(double total_ms) {
  const Guard guard(mutex_);
  report_.total_ms = total_ms;
}

void StatementRecord::finish_part(size_t part, engine::QueryProfile profile) {
  const Guard guard(mutex_);
  if (part < report_.profiles.size()) report_.profiles[part] = std::move(profile);
}

void StatementRecord::adopt(const StatementRecord& planned) {
  auto report = planned.report();
  auto lines = planned.explain();
  const Guard guard(mutex_);
  report_ = std::move(report);
  explain_ = std::move(lines);
}

StatementReport StatementRecord::report() const {
  const Guard guard(mutex_);
  return report_;
}

std::vector<ExplainLine> StatementRecord::explain() const {
  const Guard guard(mutex_);
  return explain_;
}

bool StatementRecord::has_parts() const {
  const Guard guard(mutex_);
  return !report_.gpu_plans.empty();
}

void StatementRecord::add_running(std::weak_ptr<Running> running) {
  std::shared_ptr<Running> late;
  {
    const Guard guard(mutex_);
    if (cancelled_.load()) late = running.lock();
    running_.push_back(std::move(running));
  }
  if (late) late->cancel();
}

void StatementRecord::cancel() noexcept {
  std::vector<std::shared_ptr<Running>> running;
  {
    const Guard guard(mutex_);
    cancelled_.store(true);
    for (const auto& weak : running_) {
      if (auto strong = weak.lock()) running.push_back(std::move(strong));
    }
  }
  for (const auto& one : running) one->cancel();
}

double StatementRecord::progress() const noexcept {
  std::vector<std::shared_ptr<Running>> running;
  {
    const Guard guard(mutex_);
    for (const auto& weak : running_) {
      if (auto strong = weak.lock()) running.push_back(std::move(strong));
    }
  }
  double least = -1;
  for (const auto& one : running) {
    const double progress = one->progress();
    if (progress >= 0 && (least < 0 || progress < least)) least = progress;
  }
  return least;
}

void StatementRecord::push_batch(engine::HostBatch batch) {
  const Guard guard(mutex_);
  batches_.push_back(std::move(batch));
}

engine::HostBatch StatementRecord::pop_batch() {
  const Guard guard(mutex_);
  if (batches_.empty()) return {};
  auto batch = std::move(batches_.front());
  batches_.pop_front();
  return batch;
}

void StatementRecord::drop_batches() {
  std::deque<engine::HostBatch> dropped;
  const Guard guard(mutex_);
  dropped.swap(batches_);
}

}  // namespace weft::sql
