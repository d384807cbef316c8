// The probe of a join: for a batch of probe rows, what pipeline::JoinSpec::Emit says. Thread-safe; reads a finalized
// HashBuild and sets its match marks. Rows come out in pieces of about context.batch_bytes, sized before they are
// gathered. A batch that failed before its first piece was emitted may be run again.
//
// How. Without a residual, semi, anti and mark joins ask a filter table or a search which rows have a match. All others
// walk over pairs of row numbers in blocks: equal keys, the build rows that a search finds, or the product. The
// residual drops pairs; what remains is gathered, and sets the marks of both sides that outer, semi, anti, mark and
// single joins need. An ASOF join keeps the nearest pair of each probe row first, over all partitions.
#pragma once

#include <memory>

#include "gpu/ops/join_pairs.hpp"

namespace weft::gpu {

class HashProbe final : public StepOperator {
 public:
  HashProbe(const OperatorServices& services, const HashBuild& build);
  void run(const TaskContext& context, Batch input, const Emit& emit) override;

  const HashBuild& build() const { return build_; }
  const JoinLayout& layout() const { return build_.layout(); }
  const Expressions* keys() const { return keys_.get(); }
  const Expressions* bounds() const { return bounds_.get(); }
  const Predicate* nearer() const { return nearer_.get(); }
  const Predicate* residual() const { return residual_.get(); }
  const Predicate* otherwise() const { return otherwise_.get(); }
  const Predicate* unknown() const { return unknown_.get(); }

 private:
  const HashBuild& build_;
  std::unique_ptr<Expressions> keys_;     // null: no keys
  std::unique_ptr<Expressions> bounds_;   // layout().bounds; null: no search
  std::unique_ptr<Predicate> nearer_;     // layout().nearer
  std::unique_ptr<Predicate> residual_;   // null: none
  std::unique_ptr<Predicate> otherwise_;  // layout().otherwise
  std::unique_ptr<Predicate> unknown_;    // layout().unknown
};

}  // namespace weft::gpu
