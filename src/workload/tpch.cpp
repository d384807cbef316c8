#include "workload/tpch.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "workload/process.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

constexpr double kSuppliersPerScale = 10000;

std::string find_tpchgen() {
  std::vector<fs::path> candidates;
  if (const char* given = std::getenv("WEFT_TPCHGEN"); given != nullptr && *given != '\0')
    candidates.emplace_back(given);
  candidates.push_back(cache_dir() / "venv" / "bin" / "tpchgen-cli");
  std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) candidates.push_back(fs::path(folder) / "tpchgen-cli");
  for (const auto& candidate : candidates) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  throw Exception(ErrorCode::LibraryMissing,
                  "tpchgen-cli was not found: run tools/deps, or install it with 'pip install tpchgen-cli'");
}

void write_tpch(const GenerateOptions& options, std::ostream&) {
  const int status =
      run_program({find_tpchgen(), "parquet", "--scale-factor", scale_text(options.sf), "--output-dir", options.out,
                   "--parts", std::to_string(options.parts), "--row-group-bytes", options.row_group, "--overwrite"});
  if (status != 0) {
    throw Exception(ErrorCode::IoError, "tpchgen-cli failed with status " + std::to_string(status) +
                                            "; its message is above (is there room in " + options.out + "?)");
  }
}

double scale_of_suppliers(uint64_t rows) { return static_cast<double>(rows) / kSuppliersPerScale; }

Suite describe() {
  Suite suite;
  suite.name = "tpch";
  suite.title = "TPC-H";
  suite.tables = {"region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"};
  suite.queries = 22;
  suite.query_function = "tpch_queries()";
  suite.answer_prefix = "q";
  suite.answers_variable = "WEFT_TPCH_ANSWERS";
  suite.scale_table = "supplier";
  suite.scale_of = scale_of_suppliers;
  suite.bytes_per_scale = 0.35e9;
  suite.row_group_setting = "row_group_bytes";
  suite.row_group_help = "Size of a row group, such as 128MB";
  suite.row_group_default = "128MB";
  suite.write = write_tpch;
  return suite;
}

}  // namespace

const Suite& tpch() {
  static const Suite suite = describe();
  return suite;
}

}  // namespace weft::workload
