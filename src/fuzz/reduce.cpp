#include "fuzz/reduce.hpp"

#include <algorithm>
#include <set>

namespace weft::fuzz {
namespace {

class Reducer {
 public:
  Reducer(Trial& trial, Reproduction found, const ReduceLimits& limits)
      : trial_(trial),
        best_(std::move(found)),
        tries_(limits.tries),
        end_(std::chrono::steady_clock::now() + limits.time) {}

  Reproduction run() {
    loaded_ = false;
    bool smaller = true;
    while (smaller && has_time()) {
      smaller = drop_tables();
      smaller = drop_rows() || smaller;
      smaller = simplify_query() || smaller;
      smaller = drop_columns() || smaller;
      smaller = plain_storage() || smaller;
      smaller = simplify_values() || smaller;
    }
    load(best_.tables);
    return std::move(best_);
  }

 private:
  bool has_time() const { return tries_ > 0 && std::chrono::steady_clock::now() < end_; }

  bool load(const std::vector<Table>& tables) {
    try {
      trial_.load(tables);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  /// Keeps the candidate if it still shows the mismatch. Its tables are loaded.
  bool accept(const std::vector<Table>& tables, const QueryPtr& query) {
    --tries_;
    const Judgement judgement = trial_.judge(to_sql(*query), best_.judgement.side);
    const bool same = judgement.outcome == Outcome::Mismatch && judgement.side == best_.judgement.side &&
                      judgement.kind == best_.judgement.kind;
    if (same) best_ = {tables, query, judgement};
    return same;
  }

  bool try_tables(const std::vector<Table>& tables) {
    const bool accepted = load(tables) && accept(tables, best_.query);
    loaded_ = accepted;
    return accepted;
  }

  void ensure_loaded() {
    if (!loaded_) load(best_.tables);
    loaded_ = true;
  }

  bool simplify_query() {
    bool smaller = false;
    size_t next = 0;
    ensure_loaded();
    while (has_time()) {
      QueryPtr candidate = clone(best_.query);
      const auto steps = simplifications(candidate);
      if (next >= steps.size()) break;
      const std::string before = to_sql(*candidate);
      steps[next]();
      const std::string after = to_sql(*candidate);
      // A literal in the place of a literal is no progress.
      const bool simpler = after != before && after.size() <= before.size() + 8 && seen_.count(after) == 0;
      if (simpler && accept(best_.tables, candidate)) {
        seen_.insert(before);
        smaller = true;
      } else {
        seen_.insert(after);
        ++next;
      }
    }
    return smaller;
  }

  bool drop_tables() {
    bool smaller = false;
    for (size_t i = best_.tables.size(); i-- > 0 && best_.tables.size() > 1 && has_time();) {
      auto tables = best_.tables;
      tables.erase(tables.begin() + static_cast<std::ptrdiff_t>(i));
      smaller = try_tables(tables) || smaller;
    }
    return smaller;
  }

  bool drop_rows() {
    bool smaller = false;
    for (size_t t = 0; t < best_.tables.size(); ++t) {
      for (size_t chunk = (best_.tables[t].rows.size() + 1) / 2; chunk > 0; chunk /= 2) {
        for (size_t begin = 0; begin < best_.tables[t].rows.size() && has_time();) {
          auto tables = best_.tables;
          auto& rows = tables[t].rows;
          const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin);
          rows.erase(first, rows.begin() + static_cast<std::ptrdiff_t>(std::min(begin + chunk, rows.size())));
          if (try_tables(tables)) {
            smaller = true;
          } else {
            begin += chunk;
          }
        }
      }
    }
    return smaller;
  }

  bool drop_columns() {
    bool smaller = false;
    for (size_t t = 0; t < best_.tables.size(); ++t) {
      for (size_t c = best_.tables[t].columns.size(); c-- > 0 && best_.tables[t].columns.size() > 1 && has_time();) {
        auto tables = best_.tables;
        const auto place = static_cast<std::ptrdiff_t>(c);
        tables[t].columns.erase(tables[t].columns.begin() + place);
        for (auto& row : tables[t].rows) row.erase(row.begin() + place);
        smaller = try_tables(tables) || smaller;
      }
    }
    return smaller;
  }

  /// A table of DuckDB in place of Parquet files, or at least one file.
  bool plain_storage() {
    bool smaller = false;
    for (size_t t = 0; t < best_.tables.size() && has_time(); ++t) {
      if (!best_.tables[t].parquet) continue;
      auto tables = best_.tables;
      tables[t].parquet = false;
      if (try_tables(tables)) {
        smaller = true;
        continue;
      }
      const bool simple = best_.tables[t].files == 1 && best_.tables[t].parquet_options.empty();
      if (simple) continue;
      tables = best_.tables;
      tables[t].files = 1;
      tables[t].parquet_options.clear();
      smaller = try_tables(tables) || smaller;
    }
    return smaller;
  }

  bool simplify_values() {
    size_t values = 0;
    for (const auto& table : best_.tables) values += table.rows.size() * table.columns.size();
    constexpr size_t kMostValues = 60;
    if (values > kMostValues) return false;
    bool smaller = false;
    for (size_t t = 0; t < best_.tables.size(); ++t) {
      for (size_t r = 0; r < best_.tables[t].rows.size(); ++r) {
        for (size_t c = 0; c < best_.tables[t].columns.size() && has_time(); ++c) {
          if (!best_.tables[t].rows[r][c]) continue;
          auto tables = best_.tables;
          tables[t].rows[r][c].reset();
          smaller = try_tables(tables) || smaller;
        }
      }
    }
    return smaller;
  }

  Trial& trial_;
  Reproduction best_;
  size_t tries_;
  std::chrono::steady_clock::time_point end_;
  bool loaded_ = false;
  std::set<std::string> seen_;
};

}  // namespace

Reproduction reduce(Trial& trial, Reproduction found, const ReduceLimits& limits) {
  return Reducer(trial, std::move(found), limits).run();
}

}  // namespace weft::fuzz
