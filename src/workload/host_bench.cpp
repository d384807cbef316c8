#include "workload/host_bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <filesystem>
#include <map>
#include <ostream>

#include "workload/duckdb_text.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kResultBatches = 10000;
constexpr uint64_t kOneRowSources = 256;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// What went through the stand-in.
struct Traffic {
  std::atomic<uint64_t> rows{0}, batches{0}, bytes{0};
};

/// Bytes of a column's Arrow buffers.
uint64_t column_bytes(const ArrowArray& column, const plan::Type& type) {
  const auto rows = static_cast<uint64_t>(column.length);
  const uint64_t validity = column.null_count != 0 && column.buffers[0] != nullptr ? (rows + 7) / 8 : 0;
  switch (type.carrier().id) {
    case plan::TypeId::Boolean:
      return validity + (rows + 7) / 8;
    case plan::TypeId::TinyInt:
    case plan::TypeId::UTinyInt:
      return validity + rows;
    case plan::TypeId::SmallInt:
    case plan::TypeId::USmallInt:
      return validity + rows * 2;
    case plan::TypeId::Integer:
    case plan::TypeId::UInteger:
    case plan::TypeId::Float:
    case plan::TypeId::Date:
      return validity + rows * 4;
    case plan::TypeId::Decimal:
    case plan::TypeId::HugeInt:
      return validity + rows * 16;
    case plan::TypeId::Varchar: {
      const auto* offsets = static_cast<const int32_t*>(column.buffers[1]);
      return validity + (rows + 1) * 4 + static_cast<uint64_t>(offsets[rows] - offsets[0]);
    }
    default:
      return validity + rows * 8;
  }
}

/// One BIGINT.
engine::HostBatch one_row() {
  struct Owned {
    int64_t value = 1;
    const void* buffers[2] = {nullptr, nullptr};
    const void* no_buffers[1] = {nullptr};
    ArrowArray child{};
    ArrowArray* child_pointer = nullptr;
  };
  auto* owned = new Owned;
  owned->buffers[1] = &owned->value;
  owned->child.length = 1;
  owned->child.n_buffers = 2;
  owned->child.buffers = owned->buffers;
  owned->child.release = [](ArrowArray* array) { array->release = nullptr; };
  owned->child_pointer = &owned->child;
  ArrowArray array{};
  array.length = 1;
  array.n_buffers = 1;
  array.buffers = owned->no_buffers;
  array.n_children = 1;
  array.children = &owned->child_pointer;
  array.private_data = owned;
  array.release = [](ArrowArray* released) {
    delete static_cast<Owned*>(released->private_data);
    released->release = nullptr;
  };
  return engine::HostBatch(array);
}

/// Drops what the sources give, one after the other, then answers with `results` batches of one row.
class StandInStream final : public engine::ResultStream {
 public:
  StandInStream(engine::QueryRequest request, Traffic& traffic, uint64_t results)
      : request_(std::move(request)), traffic_(traffic), results_(results) {
    find_sources(*request_.plan->root);
  }

  Result<engine::Poll> poll(engine::HostBatch& batch, engine::Waker waker) override {
    while (source_ < request_.sources.size()) {
      engine::HostBatch rows;
      auto polled = request_.sources[source_]->poll(rows, waker);
      if (!polled.ok() || polled.value() == engine::Poll::Pending) return polled;
      if (polled.value() == engine::Poll::Ready) {
        count(*rows.get(), columns_.at(source_));
      } else {
        ++source_;
      }
    }
    if (given_ == results_) return engine::Poll::Done;
    ++given_;
    batch = one_row();
    return engine::Poll::Ready;
  }
  void cancel() noexcept override {
    for (const auto& source : request_.sources) source->cancel();
  }
  engine::QueryProfile profile() const override { return {}; }
  double progress() const noexcept override { return -1; }

 private:
  void find_sources(const plan::Node& node) {
    if (const auto* host = node.as<plan::HostSource>()) columns_.emplace(host->source, node.output);
    for (const plan::NodePtr& child : node.children) find_sources(*child);
  }
  void count(const ArrowArray& rows, const std::vector<plan::Column>& columns) {
    traffic_.rows += static_cast<uint64_t>(rows.length);
    traffic_.batches += 1;
    for (size_t i = 0; i < columns.size(); ++i) traffic_.bytes += column_bytes(*rows.children[i], columns[i].type);
  }

  const engine::QueryRequest request_;
  Traffic& traffic_;
  const uint64_t results_;
  std::map<uint32_t, std::vector<plan::Column>> columns_;  // by source
  uint32_t source_ = 0;
  uint64_t given_ = 0;
};

class StandIn final : public engine::Backend {
 public:
  Traffic traffic;
  uint64_t results = 0;

  std::string name() const override { return "stand-in"; }
  engine::DeviceInfo device() const override { return {}; }
  Result<std::unique_ptr<engine::ResultStream>> submit(engine::QueryRequest request) override {
    return std::unique_ptr<engine::ResultStream>(std::make_unique<StandInStream>(std::move(request), traffic, results));
  }
};

struct HostQuery {
  std::string name;
  std::string sql;  // ends in a sort: the part of a GPU, above host sources
  uint64_t results = 0;
};

std::string one_row_sources() {
  std::string sql = "SELECT a FROM one";
  for (uint64_t i = 1; i < kOneRowSources; ++i) sql += " UNION ALL SELECT a FROM one";
  return "FROM (" + sql + ") ORDER BY a";
}

/// Numbers of every width, a date, a decimal, and texts of 1, 4 and 18 bytes, one of them with NULLs.
std::string mixed_rows(uint64_t rows) {
  return fmt::format(
      "SELECT i AS id, (i * 7919 % 100000)::INTEGER AS part, (i % 50)::SMALLINT AS quantity, i * 0.37::DOUBLE AS "
      "weight, "
      "((i * 31 % 10000000) / 100)::DECIMAL(15, 2) AS price, DATE '1992-01-01' + (i % 2500)::INTEGER AS day, "
      "['A', 'N', 'R'][1 + i % 3] AS flag, 'Customer#' || lpad((i % 150000)::VARCHAR, 9, '0') AS customer, "
      "CASE WHEN i % 10 = 0 THEN NULL ELSE ['SHIP', 'RAIL', 'MAIL'][1 + i % 3] END AS mode FROM range({}) t(i)",
      rows);
}

class TemporaryData {
 public:
  TemporaryData() : path_(fs::temp_directory_path() / fmt::format("weft-host-bench-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~TemporaryData() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryData(const TemporaryData&) = delete;
  TemporaryData& operator=(const TemporaryData&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

QueryResult measure(session::Connection& connection, StandIn& backend, const HostQuery& query, uint32_t iterations) {
  QueryResult result;
  result.query = query.name;
  backend.results = query.results;
  for (uint32_t i = 0; i <= iterations; ++i) {
    const uint64_t rows = backend.traffic.rows;
    const uint64_t batches = backend.traffic.batches;
    const uint64_t bytes = backend.traffic.bytes;
    const auto stream = connection.execute(query.sql);
    const double start = cpu_ms();
    engine::HostBatch batch;
    uint64_t results = 0;
    while (stream->next(batch)) ++results;
    const double ms = cpu_ms() - start;
    if (i == 0) {
      result.cold_ms = ms;
    } else {
      result.ms.push_back(ms);
    }
    result.rows = query.results > 0 ? results : backend.traffic.rows - rows;
    result.batches = query.results > 0 ? results : backend.traffic.batches - batches;
    result.bytes = backend.traffic.bytes - bytes;
  }
  const auto report = connection.last_report();
  result.where = report.where;
  result.planning_ms = report.planning_ms;
  return result;
}

void print(const QueryResult& query, std::ostream& out) {
  const double ms = median(query.ms);
  out << fmt::format("  {:<13} {:>9.1f} ms  {:>6} batches  {:>8.4f} ms a batch  {:>6.2f} GB/s\n", query.query, ms,
                     query.batches, ms / static_cast<double>(std::max<uint64_t>(1, query.batches)),
                     static_cast<double>(query.bytes) / 1e6 / std::max(1e-6, ms))
      << std::flush;
}

}  // namespace

Report host_bench(const HostBenchOptions& options, std::ostream& out) {
  if (!(options.million_rows > 0) || options.iterations == 0) {
    throw Exception(ErrorCode::InvalidInput, "--million-rows must be above 0 and --iterations at least 1");
  }
  const TemporaryData data;
  const auto backend = std::make_shared<StandIn>();
  session::OpenOptions open;
  open.database = data.file("table.duckdb");
  open.shared_backend = backend;
  const auto engine = session::open_engine(open);
  const auto connection = engine->connect();
  const auto rows = static_cast<uint64_t>(options.million_rows * 1e6);
  connection->set("mode", "functions_only");
  run_query(*connection, "CREATE TABLE mixed AS " + mixed_rows(rows));
  run_query(*connection, "CREATE TABLE one AS SELECT 1::BIGINT AS a");
  run_query(*connection, "CHECKPOINT");
  run_query(*connection, "ATTACH ':memory:' AS memory_data");
  run_query(*connection, "CREATE TABLE memory_data.mixed AS FROM mixed");
  run_query(*connection, "COPY (FROM mixed LIMIT " + std::to_string(std::max<uint64_t>(1, rows / 10)) + ") TO " +
                             sql_text(data.file("mixed.csv")));
  run_query(*connection, "SET threads = 1");
  connection->set("mode", "native_required");

  Report report = new_report("host", "cpu", *connection);
  report.sf = options.million_rows;
  report.data.sf = report.sf;
  report.settings = {
      {"clock", "processor time of the process"},
      {"threads", "1"},
      {"iterations", std::to_string(options.iterations)},
      {"columns", "BIGINT, INTEGER, SMALLINT, DOUBLE, DECIMAL(15,2), DATE, VARCHAR of 1, 18 and 4 bytes"}};
  const std::vector<HostQuery> queries = {
      {"table", "FROM mixed ORDER BY id"},
      {"memory_table", "FROM memory_data.mixed ORDER BY id"},
      {"csv", "FROM read_csv(" + sql_text(data.file("mixed.csv")) + ") ORDER BY id"},
      {"batches_in", one_row_sources()},
      {"batches_out", "FROM one ORDER BY a", kResultBatches},
  };
  for (const auto& query : queries) {
    report.queries.push_back(measure(*connection, *backend, query, options.iterations));
    print(report.queries.back(), out);
    report.data.rows += report.queries.back().rows;
    report.data.bytes += report.queries.back().bytes;
  }
  report.data.files = 2;
  if (!options.out.empty()) write_report(report, options.out);
  return report;
}

}  // namespace weft::workload
