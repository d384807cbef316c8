// Parquet footers, kept by file identity.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <variant>

#include <cudf/io/parquet_schema.hpp>

#include "plan/node.hpp"

namespace weft::gpu {

using Footer = std::shared_ptr<const cudf::io::parquet::FileMetaData>;

/// Thread-safe. A footer is read again when the file's size or modification time is another one.
class FooterCache {
 public:
  explicit FooterCache(std::size_t limit_files = 65536) : limit_files_(limit_files) {}
  /// The footer of the file that the plan saw. Throws SourceChanged when it is another file now, IoError when it cannot
  /// be opened, CorruptFile when it is no Parquet file or says what cannot be. It has no page index.
  Footer get(const plan::ScanFile& file);

 private:
  struct Entry {
    uint64_t size_bytes;
    int64_t mtime_ns;
    Footer footer;
    std::list<std::string>::iterator used;
  };
  const std::size_t limit_files_;
  std::mutex mutex_;
  std::list<std::string> recently_used_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace weft::gpu
