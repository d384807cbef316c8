#include "pipeline/range_search.hpp"

#include <algorithm>
#include <utility>

namespace weft::pipeline {
namespace {

using plan::ExprKind;
using plan::ExprPtr;

// Columns [begin, begin + count) of left ++ right, and the sides' columns in it.
struct Side {
  size_t begin = 0;
  size_t count = 0;
};

enum class Reads : uint8_t { Nothing, Probe, Build, Both };

class RangeFinder {
 public:
  explicit RangeFinder(const JoinSpec& spec) {
    const Side left{0, (spec.build_is_left ? spec.build_row : spec.probe_row).columns.size()};
    const Side right{left.count, (spec.build_is_left ? spec.probe_row : spec.build_row).columns.size()};
    probe_ = spec.build_is_left ? right : left;
    build_ = spec.build_is_left ? left : right;
  }

  // The conjunct as a condition that a search can answer.
  std::optional<RangeCondition> condition(const ExprPtr& conjunct) const {
    if (conjunct->kind != ExprKind::Comparison || !plan::is_order(conjunct->compare)) return std::nullopt;
    const ExprPtr& a = conjunct->children[0];
    const ExprPtr& b = conjunct->children[1];
    if (a->type != b->type) return std::nullopt;
    if (reads(*a) == Reads::Probe && reads(*b) == Reads::Build) {
      return RangeCondition{of_side(a, probe_), of_side(b, build_), conjunct->compare};
    }
    if (reads(*a) == Reads::Build && reads(*b) == Reads::Probe) {
      return RangeCondition{of_side(b, probe_), of_side(a, build_), plan::mirrored(conjunct->compare)};
    }
    return std::nullopt;
  }

 private:
  Reads reads(const plan::Expr& expr) const {
    std::vector<bool> used(probe_.count + build_.count, false);
    plan::collect_columns(expr, used);
    const auto any = [&](const Side& side) {
      const auto begin = used.begin() + static_cast<std::ptrdiff_t>(side.begin);
      return std::find(begin, begin + static_cast<std::ptrdiff_t>(side.count), true) !=
             begin + static_cast<std::ptrdiff_t>(side.count);
    };
    if (any(probe_)) return any(build_) ? Reads::Both : Reads::Probe;
    return any(build_) ? Reads::Build : Reads::Nothing;
  }

  // An expression that reads the side alone, over the side's row.
  ExprPtr of_side(const ExprPtr& expr, const Side& side) const {
    std::vector<uint32_t> map(probe_.count + build_.count, 0);
    for (size_t i = 0; i < side.count; ++i) map[side.begin + i] = static_cast<uint32_t>(i);
    return plan::remap(expr, map);
  }

  Side probe_;
  Side build_;
};

bool is_upward(plan::CompareOp compare) {
  return compare == plan::CompareOp::Less || compare == plan::CompareOp::LessEqual;
}

// Running minima and maxima are taken of these, and no text or 128-bit number.
bool has_running_extremes(const plan::Type& column) {
  const plan::Type type = column.carrier();
  if (type.id == plan::TypeId::Decimal) return type.width <= 18;
  return type.id != plan::TypeId::Varchar && type.id != plan::TypeId::Boolean && type.id != plan::TypeId::HugeInt;
}

using Found = std::vector<std::pair<size_t, RangeCondition>>;  // conditions with their conjuncts' places

// What to search for among the conditions found, as positions in that list.
struct Choice {
  size_t first = 0;
  std::optional<size_t> second;
  std::optional<size_t> reach;
  std::vector<size_t> all() const {
    std::vector<size_t> positions{first};
    if (second) positions.push_back(*second);
    if (reach) positions.push_back(*reach);
    return positions;
  }
};

// The first pair that bounds one build expression from both sides; else the first condition, and a reach.
Choice choose(const Found& found) {
  Choice choice;
  for (size_t i = 0; i < found.size(); ++i) {
    for (size_t j = i + 1; j < found.size(); ++j) {
      const RangeCondition& a = found[i].second;
      const RangeCondition& b = found[j].second;
      if (!plan::same(*a.build, *b.build) || is_upward(a.compare) == is_upward(b.compare)) continue;
      choice.first = i;
      choice.second = j;
      return choice;
    }
  }
  for (size_t i = 1; i < found.size() && !choice.reach; ++i) {
    const plan::Expr& build = *found[i].second.build;
    if (!plan::same(build, *found[0].second.build) && has_running_extremes(build.type)) choice.reach = i;
  }
  return choice;
}

std::vector<ExprPtr> conjuncts_of(const ExprPtr& condition) {
  return condition->kind == ExprKind::And ? condition->children : std::vector<ExprPtr>{condition};
}

// The place of a conjunct that can raise and is not searched, and that stands before one that is; nullopt: none.
std::optional<size_t> missed(const std::vector<ExprPtr>& conjuncts, const Found& found, const Choice& choice) {
  std::vector<bool> searched(conjuncts.size(), false);
  for (const size_t i : choice.all()) searched[found[i].first] = true;
  size_t last = conjuncts.size();
  while (!searched[last - 1]) --last;
  for (size_t i = 0; i < last; ++i) {
    if (!searched[i] && plan::any_can_throw(*conjuncts[i])) return i;
  }
  return std::nullopt;
}

void choose_ranges(JoinSpec& spec) {
  const RangeFinder finder(spec);
  const std::vector<ExprPtr> conjuncts = conjuncts_of(spec.residual);
  Found found;
  for (size_t i = 0; i < conjuncts.size(); ++i) {
    if (auto condition = finder.condition(conjuncts[i])) found.emplace_back(i, std::move(*condition));
  }
  Choice choice;
  while (!found.empty()) {
    choice = choose(found);
    const auto place = missed(conjuncts, found, choice);
    if (!place) break;
    while (!found.empty() && found.back().first >= *place) found.pop_back();
  }
  if (found.empty()) return;

  RangeSearch search;
  search.first = found[choice.first].second;
  if (choice.second) search.second = found[*choice.second].second;
  if (choice.reach) search.reach = found[*choice.reach].second;
  bool raises = false;
  for (const size_t i : choice.all()) raises = raises || plan::any_can_throw(*conjuncts[found[i].first]);
  if (raises) search.otherwise = spec.residual;
  std::vector<ExprPtr> rest;
  for (size_t i = 0; i < conjuncts.size(); ++i) {
    const bool answered =
        i == found[choice.first].first || (choice.second && i == found[*choice.second].first);  // the reach is not
    if (!answered) rest.push_back(conjuncts[i]);
  }
  spec.search = std::move(search);
  spec.residual = rest.empty() ? nullptr : plan::conjunction(std::move(rest));
}

}  // namespace

void choose_search(JoinSpec& spec) {
  if (spec.join->asof) {
    const plan::AsofOrder& order = *spec.join->asof;
    RangeSearch search;
    search.first = RangeCondition{order.left, order.right, order.compare};
    search.nearest = true;
    spec.search = std::move(search);
    return;
  }
  const bool asks_nulls = spec.emit == JoinSpec::Emit::ProbeMark && spec.mark == MarkKind::ThreeValued;
  if (!spec.residual || !spec.probe_keys.empty()) return;
  if (asks_nulls && (spec.residual->kind == ExprKind::And || plan::any_can_throw(*spec.residual))) return;
  choose_ranges(spec);
}

}  // namespace weft::pipeline
