#include "support/tpch_data.hpp"

#include <filesystem>

#include "workload/result_table.hpp"

namespace weft::tests {
namespace {

struct Table {
  const char* name;
  const char* key;  // splits the table in two; null: one file
};
constexpr Table kTables[] = {{"region", nullptr},       {"nation", nullptr},       {"supplier", "s_suppkey"},
                             {"customer", "c_custkey"}, {"part", "p_partkey"},     {"partsupp", "ps_partkey"},
                             {"orders", "o_orderkey"},  {"lineitem", "l_orderkey"}};

}  // namespace

void write_tpch(const std::string& folder, const std::string& sf) {
  session::OpenOptions open;
  open.engine = "duckdb";
  const auto engine = session::open_engine(open);
  const auto connection = engine->connect();
  workload::run_query(*connection, "CALL dbgen(sf = " + sf + ")");
  for (const auto& table : kTables) {
    const std::string name = table.name;
    std::filesystem::create_directories(folder + "/" + name);
    const int parts = table.key == nullptr ? 1 : 2;
    for (int part = 0; part < parts; ++part) {
      std::string select = "SELECT * FROM " + name;
      if (table.key != nullptr) select += std::string(" WHERE ") + table.key + " % 2 = " + std::to_string(part);
      workload::run_query(*connection, "COPY (" + select + ") TO '" + folder + "/" + name + "/part." +
                                           std::to_string(part + 1) + ".parquet' (FORMAT parquet)");
    }
  }
}

}  // namespace weft::tests
