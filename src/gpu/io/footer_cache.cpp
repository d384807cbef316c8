#include "gpu/io/footer_cache.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <cudf/io/datasource.hpp>
#include <cudf/io/parquet_metadata.hpp>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace weft::gpu {
namespace {

namespace parquet = cudf::io::parquet;

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

/// Sizes, counts and places, which are signed in the format, and of which the reader makes unsigned ones.
void check_places(const plan::ScanFile& file, const parquet::FileMetaData& footer) {
  const auto damaged = [&](const std::string& what) {
    throw Exception(ErrorCode::CorruptFile, file.path + ": " + what + ": the file is damaged");
  };
  const auto is_leaf = [](const parquet::SchemaElement& element) { return element.num_children == 0; };
  const auto leaves = std::count_if(footer.schema.begin() + !footer.schema.empty(), footer.schema.end(), is_leaf);
  if (footer.num_rows < 0) damaged("its footer says that it has fewer than 0 rows");
  const auto size = static_cast<int64_t>(file.size_bytes);
  for (size_t g = 0; g < footer.row_groups.size(); ++g) {
    const parquet::RowGroup& group = footer.row_groups[g];
    const std::string where = "row group " + std::to_string(g);
    if (group.num_rows < 0) damaged(where + " has fewer than 0 rows");
    if (std::cmp_not_equal(group.columns.size(), leaves)) damaged(where + " has other columns than the file");
    for (const parquet::ColumnChunk& column : group.columns) {
      const parquet::ColumnChunkMetaData& chunk = column.meta_data;
      const int64_t begin = chunk.dictionary_page_offset > 0
                                ? std::min(chunk.dictionary_page_offset, chunk.data_page_offset)
                                : chunk.data_page_offset;
      if (chunk.num_values < 0 || chunk.total_compressed_size < 0 || chunk.total_uncompressed_size < 0 ||
          chunk.dictionary_page_offset < 0 || chunk.data_page_offset < 0 || begin > size ||
          chunk.total_compressed_size > size - begin) {
        damaged(where + " has a column that is not in the file");
      }
    }
  }
}

/// The reader takes sizes of pages and of their texts from the page index and does not check them against the pages:
/// without one, it counts.
void forget_page_index(parquet::FileMetaData& footer) {
  for (parquet::RowGroup& group : footer.row_groups) {
    for (parquet::ColumnChunk& column : group.columns) {
      column.offset_index.reset();
      column.column_index.reset();
    }
  }
}

Footer read_footer(const plan::ScanFile& file) {
  try {
    std::vector<std::unique_ptr<cudf::io::datasource>> sources;
    sources.push_back(cudf::io::datasource::create(file.path, 0, 0, file.size_bytes));
    auto footers = cudf::io::read_parquet_footers(
        std::span<std::unique_ptr<cudf::io::datasource> const>(sources.data(), sources.size()));
    check_places(file, footers.front());
    forget_page_index(footers.front());
    return std::make_shared<const parquet::FileMetaData>(std::move(footers.front()));
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
