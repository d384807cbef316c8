#include "gpu/io/footer_cache.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <cudf/io/datasource.hpp>
#include <cudf/io/parquet_metadata.hpp>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace weft::gpu {
namespace {

void check_identity(const plan::ScanFile& file) {
  struct stat now {};
  if (::stat(file.path.c_str(), &now) != 0) {
    throw Exception(ErrorCode::IoError, "cannot open " + file.path + ": " + std::strerror(errno));
  }
  const int64_t mtime_ns = int64_t{now.st_mtim.tv_sec} * 1000000000 + now.st_mtim.tv_nsec;
  if (static_cast<uint64_t>(now.st_size) != file.size_bytes || mtime_ns != file.mtime_ns) {
    throw Exception(ErrorCode::SourceChanged, file.path + " changed while the query was planned: run the query again");
  }
}

Footer read_footer(const plan::ScanFile& file) {
  try {
    std::vector<std::unique_ptr<cudf::io::datasource>> sources;
    sources.push_back(cudf::io::datasource::create(file.path, 0, 0, file.size_bytes));
    auto footers = cudf::io::read_parquet_footers(
        std::span<std::unique_ptr<cudf::io::datasource> const>(sources.data(), sources.size()));
    return std::make_shared<const cudf::io::parquet::FileMetaData>(std::move(footers.front()));
  } catch (const Exception&) {
    throw;
  } catch (const std::exception& e) {
    throw Exception(ErrorCode::CorruptFile, file.path + " has no valid Parquet footer (" + e.what() +
                                                "): write the file again, or leave it out of the query");
  }
}

}  // namespace

Footer FooterCache::get(const plan::ScanFile& file) {
  check_identity(file);
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    auto found = entries_.find(file.path);
    if (found != entries_.end() && found->second.size_bytes == file.size_bytes &&
        found->second.mtime_ns == file.mtime_ns) {
      recently_used_.splice(recently_used_.begin(), recently_used_, found->second.used);
      return found->second.footer;
    }
  }
  Footer footer = read_footer(file);
  const std::lock_guard<std::mutex> guard(mutex_);
  auto found = entries_.find(file.path);
  if (found != entries_.end()) {
    recently_used_.erase(found->second.used);
    entries_.erase(found);
  }
  recently_used_.push_front(file.path);
  entries_[file.path] = {file.size_bytes, file.mtime_ns, footer, recently_used_.begin()};
  if (entries_.size() > limit_files_) {
    entries_.erase(recently_used_.back());
    recently_used_.pop_back();
  }
  return footer;
}

}  // namespace weft::gpu
