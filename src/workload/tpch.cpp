#include "workload/tpch.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <vector>

#include "workload/process.hpp"
#include "workload/suite.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

fs::path cache_dir() {
  if (const char* given = std::getenv("WEFT_CACHE_DIR"); given != nullptr && *given != '\0') return given;
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".cache" / "weft";
}

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

uint32_t parts_of(double sf) {
  if (sf < 0.5) return 2;
  if (sf < 5) return 4;
  if (sf < 50) return 16;
  return 64;
}

std::string marker_text(const TpchGenerate& options, uint32_t parts) {
  return "sf " + scale_text(options.sf) + "\nparts " + std::to_string(parts) + "\nrow_group_bytes " +
         options.row_group_bytes + "\n";
}

}  // namespace

void generate_tpch(const TpchGenerate& options, std::ostream& out) {
  if (!(options.sf > 0)) throw Exception(ErrorCode::InvalidInput, "--sf must be above 0");
  if (options.out.empty()) throw Exception(ErrorCode::InvalidInput, "--out needs a folder");
  const uint32_t parts = options.parts > 0 ? options.parts : parts_of(options.sf);
  const Suite& suite = find_suite("tpch");
  const std::string marker = marker_text(options, parts);
  if (holds_data(suite, options.out, marker, options.sf, options.overwrite, out)) return;
  const std::string program = find_tpchgen();
  out << "Making TPC-H SF" << scale_text(options.sf) << " in " << options.out << ", " << parts << " files a large table"
      << std::endl;
  // --overwrite: without our marker the folder holds at most an interrupted run.
  const int status =
      run_program({program, "parquet", "--scale-factor", scale_text(options.sf), "--output-dir", options.out, "--parts",
                   std::to_string(parts), "--row-group-bytes", options.row_group_bytes, "--overwrite"});
  if (status != 0) {
    throw Exception(ErrorCode::IoError, "tpchgen-cli failed with status " + std::to_string(status) +
                                            "; its message is above (is there room in " + options.out + "?)");
  }
  write_marker(suite, options.out, marker);
}

}  // namespace weft::workload
