#include "workload/tpcds.hpp"

#include <filesystem>
#include <ostream>

#include "workload/suite.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRowGroupRows = 1'048'576;
constexpr uint64_t kRowsOfALargeTable = 4 * kRowGroupRows;

}  // namespace

void generate_tpcds(const TpcdsGenerate& options, std::ostream& out) {
  const Suite& suite = find_suite("tpcds");
  if (!(options.sf > 0)) throw Exception(ErrorCode::InvalidInput, "--sf must be above 0");
  if (options.out.empty()) throw Exception(ErrorCode::InvalidInput, "--out needs a folder");
  const std::string scale = scale_text(options.sf);
  const std::string marker = "sf " + scale + "\nrow_group_rows " + std::to_string(kRowGroupRows) + "\n";
  if (holds_data(suite, options.out, marker, options.sf, options.overwrite, out)) return;
  out << "Making TPC-DS SF" << scale << " in " << options.out << std::endl;
  session::OpenOptions open;
  open.engine = "duckdb";
  const auto engine = session::open_engine(open);
  const auto connection = engine->connect();
  run_query(*connection, "CALL dsdgen(sf = " + scale + ")");
  run_query(*connection, "SET preserve_insertion_order = false");
  for (const std::string& table : suite.tables) {
    const fs::path folder = fs::path(options.out) / table;
    std::error_code failed;
    fs::remove_all(folder, failed);
    fs::create_directories(folder, failed);
    if (failed)
      throw Exception(ErrorCode::IoError, "cannot make the folder " + folder.string() + ": " + failed.message());
    const uint64_t rows = std::stoull(run_query(*connection, "SELECT count(*) FROM " + table).rows.at(0).at(0).text);
    const bool large = rows > kRowsOfALargeTable;
    const fs::path target = large ? folder : folder / (table + ".parquet");
    run_query(*connection, "COPY " + table + " TO " + sql_text(target.string()) +
                               " (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE " + std::to_string(kRowGroupRows) +
                               (large ? ", PER_THREAD_OUTPUT true, OVERWRITE_OR_IGNORE true)" : ")"));
    run_query(*connection, "DROP TABLE " + table);
    out << "  " << table << ", " << rows << " rows" << std::endl;
  }
  write_marker(suite, options.out, marker);
}

}  // namespace weft::workload
