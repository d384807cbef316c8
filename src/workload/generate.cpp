#include "workload/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = "unfinished\n";

uint32_t parts_of(double sf) {
  if (sf < 0.5) return 2;
  if (sf < 5) return 4;
  if (sf < 50) return 16;
  return 64;
}

std::string marker_text(const Suite& suite, const GenerateOptions& options) {
  return fmt::format("sf {}\nparts {}\n{} {}\n", scale_text(options.sf), options.parts, suite.row_group_setting,
                     options.row_group);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> parquet_files(const Suite& suite, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& table : suite.tables) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder / table, missing)) {
      if (entry.path().extension() == ".parquet") files.push_back(entry.path());
    }
  }
  return files;
}

bool has_every_table(const Suite& suite, const fs::path& folder) {
  return std::all_of(suite.tables.begin(), suite.tables.end(), [&](const auto& table) {
    std::error_code missing;
    const fs::directory_iterator files(folder / table, missing);
    return std::any_of(begin(files), end(files),
                       [](const auto& entry) { return entry.path().extension() == ".parquet"; });
  });
}

void check_space(const Suite& suite, const GenerateOptions& options) {
  std::error_code unknown;
  const auto space = fs::space(options.out, unknown);
  const double needed = suite.bytes_per_scale * options.sf;
  if (unknown || static_cast<double>(space.available) >= needed) return;
  throw Exception(
      ErrorCode::IoError,
      fmt::format("the disk of {} has {:.1f} GB free, and {} SF{} needs about {:.1f} GB", options.out,
                  static_cast<double>(space.available) / 1e9, suite.title, scale_text(options.sf), needed / 1e9));
}

}  // namespace

void generate(const Suite& suite, const GenerateOptions& given, std::ostream& out) {
  GenerateOptions options = given;
  if (!(options.sf > 0)) throw Exception(ErrorCode::InvalidInput, "--sf must be above 0");
  if (options.out.empty()) throw Exception(ErrorCode::InvalidInput, "--out needs a folder");
  if (options.parts == 0) options.parts = parts_of(options.sf);
  if (options.row_group.empty()) options.row_group = suite.row_group_default;
  const fs::path folder = options.out;
  const fs::path marker = folder / ("weft_" + suite.name + ".txt");
  const std::string found = fs::exists(marker) ? read_file(marker) : "";
  std::string found_whole = found;
  if (found == marker_text(suite, options) && !has_every_table(suite, folder)) {
    out << "Files are missing in " << folder.string() << ": they are made again\n";
    found_whole = kUnfinished;
  }
  if (found_whole == marker_text(suite, options) && !options.overwrite) {
    out << suite.title << " SF" << scale_text(options.sf) << " is already in " << folder.string() << "\n";
    return;
  }
  const auto old_files = parquet_files(suite, folder);
  if (!old_files.empty() && found_whole != kUnfinished && !options.overwrite) {
    throw Exception(ErrorCode::InvalidInput, folder.string() + " holds other " + suite.title +
                                                 " data: name another folder, or give --overwrite");
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw Exception(ErrorCode::IoError, "cannot make the folder " + folder.string() + ": " + failed.message());
  }
  std::ofstream(marker) << kUnfinished;
  for (const auto& file : old_files) fs::remove(file);
  check_space(suite, options);
  out << fmt::format("Making {} SF{} in {}, {} files a large table\n", suite.title, scale_text(options.sf),
                     folder.string(), options.parts)
      << std::flush;
  suite.write(options, out);
  std::ofstream done(marker);
  done << marker_text(suite, options);
  done.close();
  if (!done) throw Exception(ErrorCode::IoError, "cannot write " + marker.string());
}

}  // namespace weft::workload
