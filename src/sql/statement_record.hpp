// What one statement of a session does, shared by the hook that plans it, the operators that run it and the stream that
// the user reads. Outlives all of them.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend.hpp"
#include "sql/database.hpp"

namespace weft::sql {

/// Something that runs on the backend for this statement.
class Running {
 public:
  virtual ~Running() = default;
  virtual void cancel() noexcept = 0;
  virtual double progress() const noexcept = 0;
};

/// How the hook treats the statement.
enum class Treatment : unsigned char {
  ByMode,    // what the session's mode says
  OnCpu,     // no part on the GPU: `cpu_reason` says why
  Explain,   // as ByMode, but refusals are no error and the plan is never executed
  PlanOnly,  // as if there were a backend, in any mode; the plan is never executed
};

/// A line of EXPLAIN's tree.
struct ExplainLine {
  uint32_t depth = 0;
  std::string text;
  int part = -1;      // the GPU part that the line belongs to; -1: CPU
  uint32_t node = 0;  // plan::Node::id of a GPU line
};

/// Thread-safe.
class StatementRecord {
 public:
  StatementRecord(std::string query_id, Treatment treatment, Mode mode) : treatment(treatment) {
    report_.query_id = std::move(query_id);
    report_.mode = mode;
  }

  const Treatment treatment;
  std::optional<support::Refusal> cpu_reason;  // OnCpu
  bool profile = false;                        // EXPLAIN ANALYZE
  bool passthrough = false;                    // the stream takes the backend's batches as they are

  /// Adds a part that the backend will run; returns its number.
  size_t add_part(std::shared_ptr<const plan::Plan> plan);
  void set_where(std::string where);
  void add_refusals(const std::vector<support::Refusal>& refusals);
  void set_explain(std::vector<ExplainLine> lines);
  void set_planning_ms(double ms);
  void set_cpu_plan(std::string text);
  void set_error(std::string code);
  void add_rows(uint64_t rows);
  void finish(double total_ms);
  void finish_part(size_t part, engine::QueryProfile profile);

  /// Takes over what was planned for the same statement: report and tree.
  void adopt(const StatementRecord& planned);

  StatementReport report() const;
  std::vector<ExplainLine> explain() const;
  bool has_parts() const;

  /// The hook saw the statement's plan.
  std::atomic<bool> hook_ran{false};

  void add_running(std::weak_ptr<Running> running);
  /// Cancels what runs on the backend now and whatever is added later.
  void cancel() noexcept;
  bool cancelled() const noexcept { return cancelled_.load(); }
  /// Of the parts that run; negative: unknown.
  double progress() const noexcept;

  /// Batches of a root part that skip DuckDB's chunks: pushed by the operator, popped by the result format, in order.
  void push_batch(engine::HostBatch batch);
  engine::HostBatch pop_batch();
  void drop_batches();

 private:
  mutable std::mutex mutex_;
  StatementReport report_;
  std::vector<ExplainLine> explain_;
  std::vector<std::weak_ptr<Running>> running_;
  std::deque<engine::HostBatch> batches_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace weft::sql
