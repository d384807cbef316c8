// Which stored column chunks were found sound, so that each is checked once, and of how many pages they are.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "plan/node.hpp"

namespace weft::gpu {

/// Thread-safe. A file with another size or modification time is another file: what was known of the old one is
/// forgotten. At most limit_chunks are remembered (about 50 bytes each); the files used least recently are forgotten
/// first, and a single file with more chunks than that too.
class CheckedChunks {
 public:
  explicit CheckedChunks(size_t limit_chunks = size_t{4} << 20) : limit_chunks_(limit_chunks) {}

  /// The pages of the chunk that begins at `offset` of the file; nothing if it was not added.
  std::optional<uint64_t> pages(const plan::ScanFile& file, uint64_t offset);
  void add(const plan::ScanFile& file, uint64_t offset, uint64_t pages);

 private:
  struct Entry {
    uint64_t size_bytes = 0;
    int64_t mtime_ns = 0;
    std::unordered_map<uint64_t, uint64_t> pages;  // by the offset of the chunk
    std::list<std::string>::iterator used;
  };
  /// The file's entry, now the most recently used; null if there is none for this size and modification time.
  Entry* find(const plan::ScanFile& file);
  void forget(std::unordered_map<std::string, Entry>::iterator entry);

  const size_t limit_chunks_;
  std::mutex mutex_;
  size_t chunks_ = 0;
  std::list<std::string> recently_used_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace weft::gpu
