#include "gpu/io/checked_chunks.hpp"

namespace weft::gpu {

CheckedChunks::Entry* CheckedChunks::find(const plan::ScanFile& file) {
  const auto found = entries_.find(file.path);
  if (found == entries_.end()) return nullptr;
  Entry& entry = found->second;
  if (entry.size_bytes != file.size_bytes || entry.mtime_ns != file.mtime_ns) return nullptr;
  recently_used_.splice(recently_used_.begin(), recently_used_, entry.used);
  return &entry;
}

void CheckedChunks::forget(std::unordered_map<std::string, Entry>::iterator entry) {
  chunks_ -= entry->second.pages.size();
  recently_used_.erase(entry->second.used);
  entries_.erase(entry);
}

std::optional<uint64_t> CheckedChunks::pages(const plan::ScanFile& file, uint64_t offset) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const Entry* entry = find(file);
  if (entry == nullptr) return std::nullopt;
  const auto found = entry->pages.find(offset);
  return found == entry->pages.end() ? std::nullopt : std::optional(found->second);
}

void CheckedChunks::add(const plan::ScanFile& file, uint64_t offset, uint64_t pages) {
  const std::lock_guard<std::mutex> guard(mutex_);
  Entry* entry = find(file);
  if (entry == nullptr) {
    if (const auto old = entries_.find(file.path); old != entries_.end()) forget(old);
    recently_used_.push_front(file.path);
    entry = &entries_[file.path];
    *entry = {file.size_bytes, file.mtime_ns, {}, recently_used_.begin()};
  }
  if (entry->pages.insert({offset, pages}).second) ++chunks_;
  while (chunks_ > limit_chunks_) forget(entries_.find(recently_used_.back()));
}

}  // namespace weft::gpu
