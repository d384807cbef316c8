#include "gpu/io/stored_chunks.hpp"

#include <algorithm>
#include <future>
#include <rmm/device_buffer.hpp>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"
#include "gpu/io/page_check.hpp"

namespace weft::gpu {
namespace {

using cudf::io::datasource;

using Buffer = std::shared_ptr<const rmm::device_buffer>;

struct LoadedRange {
  FileRange range;
  const uint8_t* bytes = nullptr;
  Buffer owner;
};

/// Of one file, sorted by offset.
using LoadedRanges = std::vector<LoadedRange>;

/// Places that no file has: decompressed chunks are served from there. The gap keeps the reader from taking the last
/// chunk and the first of these for neighbours.
constexpr uint64_t kGapBehindFile = 4096;

const LoadedRange* holding(const LoadedRanges& loaded, uint64_t offset, uint64_t bytes) {
  auto after = std::upper_bound(loaded.begin(), loaded.end(), offset,
                                [](uint64_t place, const LoadedRange& l) { return place < l.range.offset; });
  if (after == loaded.begin()) return nullptr;
  const LoadedRange& found = *std::prev(after);
  return offset + bytes <= found.range.offset + found.range.bytes ? &found : nullptr;
}

const uint8_t* address(const LoadedRange& loaded, uint64_t offset) {
  return loaded.bytes + (offset - loaded.range.offset);
}

std::vector<StoredChunk> stored_chunks(const FileRequest& request, const LoadedRanges& loaded) {
  std::vector<StoredChunk> chunks;
  for (const ChunkRequest& chunk : request.chunks) {
    const LoadedRange* range = holding(loaded, chunk.range.offset, chunk.range.bytes);
    WEFT_INVARIANT(range != nullptr, "a chunk is in one of the ranges that were made of the chunks");
    chunks.push_back({request.file, chunk.column, chunk.range.offset, address(*range, chunk.range.offset),
                      chunk.range.bytes, chunk.codec, chunk.type, chunk.values, chunk.page_bytes});
  }
  return chunks;
}

class StoredChunksSource final : public datasource {
 public:
  StoredChunksSource(const plan::ScanFile& file, LoadedRanges loaded)
      : path_(file.path), size_(file.size_bytes), loaded_(std::move(loaded)) {
    if (!loaded_.empty()) end_ = loaded_.back().range.offset + loaded_.back().range.bytes;
    end_ = std::max<uint64_t>(end_, size_);
  }

  size_t size() const override { return end_; }

  std::unique_ptr<buffer> host_read(size_t offset, size_t bytes) override { return file().host_read(offset, bytes); }
  size_t host_read(size_t offset, size_t bytes, uint8_t* target) override {
    return file().host_read(offset, bytes, target);
  }

  bool supports_device_read() const override { return true; }
  bool is_device_read_preferred(size_t) const override { return true; }

  std::unique_ptr<buffer> device_read(size_t offset, size_t bytes, cuda::stream_ref stream) override {
    rmm::device_buffer copy(std::min(bytes, end_ - std::min(offset, end_)), stream);
    device_read(offset, copy.size(), static_cast<uint8_t*>(copy.data()), stream);
    return buffer::create(std::move(copy));
  }
  size_t device_read(size_t offset, size_t bytes, uint8_t* target, cuda::stream_ref stream) override {
    const LoadedRange* loaded = holding(loaded_, offset, bytes);
    if (loaded == nullptr) {
      const auto read = file().host_read(offset, bytes);
      check_cuda(cudaMemcpyAsync(target, read->data(), read->size(), cudaMemcpyHostToDevice, stream.get()));
      check_cuda(cudaStreamSynchronize(stream.get()));
      return read->size();
    }
    check_cuda(cudaMemcpyAsync(target, address(*loaded, offset), bytes, cudaMemcpyDeviceToDevice, stream.get()));
    return bytes;
  }
  std::future<size_t> device_read_async(size_t offset, size_t bytes, uint8_t* target,
                                        cuda::stream_ref stream) override {
    std::promise<size_t> done;
    done.set_value(device_read(offset, bytes, target, stream));
    return done.get_future();
  }

 private:
  datasource& file() {
    if (!file_) file_ = datasource::create(path_, 0, 0, size_);
    return *file_;
  }

  const std::string path_;
  const size_t size_;  // of the file
  size_t end_ = 0;     // with the places behind it
  LoadedRanges loaded_;
  std::unique_ptr<datasource> file_;  // opened when something else is asked for
};

}  // namespace

std::vector<FileRange> merged_ranges(std::vector<FileRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const FileRange& a, const FileRange& b) { return a.offset < b.offset; });
  std::vector<FileRange> merged;
  for (const FileRange& range : ranges) {
    if (merged.empty() || merged.back().offset + merged.back().bytes < range.offset) {
      merged.push_back(range);
      continue;
    }
    const uint64_t end = std::max(merged.back().offset + merged.back().bytes, range.offset + range.bytes);
    merged.back().bytes = end - merged.back().offset;
  }
  return merged;
}

namespace {

std::vector<LoadedRanges> read_ranges(const TaskContext& context, FileReader& reader,
                                      const std::vector<FileRequest>& requests) {
  std::vector<LoadedRanges> loaded;
  std::vector<FilePart> parts;
  for (const FileRequest& request : requests) {
    loaded.emplace_back();
    std::vector<FileRange> ranges;
    for (const ChunkRequest& chunk : request.chunks) ranges.push_back(chunk.range);
    for (const FileRange& range : merged_ranges(std::move(ranges))) {
      if (range.offset + range.bytes > request.file->size_bytes) {
        throw Exception(ErrorCode::CorruptFile,
                        request.file->path + " ends before its columns do: the file is damaged");
      }
      const auto buffer = std::make_shared<rmm::device_buffer>(range.bytes, context.stream, context.mr);
      loaded.back().push_back({range, static_cast<const uint8_t*>(buffer->data()), buffer});
      parts.push_back({request.file->path, range.offset, range.bytes, buffer->data()});
    }
  }
  check_cuda(cudaStreamSynchronize(context.stream.get()));  // the reader writes to the buffers on streams of its own
  reader.read(parts, context.cancellation);
  return loaded;
}

/// A chunk that was written again: what the reader gets in place of the file's.
struct Rewritten {
  const uint8_t* bytes = nullptr;
  uint64_t size_bytes = 0;
  Buffer owner;  // null: the chunk is read as it is stored
};

/// Those chunks of one file that were rewritten move to places behind the file; chunks that lie one behind the other
/// do so there too, for the reader to take them in one piece.
void take_rewritten(const FileRequest& request, const Rewritten* rewritten, LoadedRanges& loaded,
                    std::vector<ChunkRequest>& chunks) {
  LoadedRanges kept;
  LoadedRanges behind;
  uint64_t place = request.file->size_bytes + kGapBehindFile;
  for (size_t i = 0; i < chunks.size(); ++i) {
    ChunkRequest& chunk = chunks[i];
    if (rewritten[i].owner == nullptr) {
      const LoadedRange* range = holding(loaded, chunk.range.offset, chunk.range.bytes);
      if (kept.empty() || kept.back().bytes != range->bytes) kept.push_back(*range);
      continue;
    }
    const bool follows = !behind.empty() && behind.back().bytes + behind.back().range.bytes == rewritten[i].bytes;
    if (!follows) {
      if (!behind.empty()) place += kGapBehindFile;
      behind.push_back({{place, 0}, rewritten[i].bytes, rewritten[i].owner});
    }
    behind.back().range.bytes += rewritten[i].size_bytes;
    chunk.codec = cudf::io::parquet::Compression::UNCOMPRESSED;
    chunk.range = {place, rewritten[i].size_bytes};
    place += rewritten[i].size_bytes;
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.range.offset < b.range.offset; });
  std::move(behind.begin(), behind.end(), std::back_inserter(kept));
  loaded = std::move(kept);
}

/// Decompresses and cuts what is better decoded so; checks everything.
std::vector<Rewritten> rewrite(const TaskContext& context, CheckedChunks& checked, std::vector<StoredChunk>& chunks) {
  std::vector<Rewritten> rewritten(chunks.size());
  const auto take = [&](size_t chunk, const auto& result, const Buffer& owner, size_t number) {
    chunks[chunk].bytes = static_cast<const uint8_t*>(owner->data()) + result.offsets[number];
    chunks[chunk].size_bytes = result.offsets[number + 1] - result.offsets[number];
    chunks[chunk].codec = cudf::io::parquet::Compression::UNCOMPRESSED;
    rewritten[chunk] = {chunks[chunk].bytes, chunks[chunk].size_bytes, owner};
  };
  const std::vector<bool> chosen = choose_expanded(chunks, checked);
  std::vector<StoredChunk> to_check;
  std::vector<StoredChunk> to_expand;
  for (size_t i = 0; i < chunks.size(); ++i) (chosen[i] ? to_expand : to_check).push_back(chunks[i]);
  check_pages(to_check, checked, context.stream, context.mr);
  kernels::ExpandedChunks expanded = expand_chunks(to_expand, checked, context.stream, context.mr);
  const auto expanded_bytes = std::make_shared<rmm::device_buffer>(std::move(expanded.bytes));
  size_t next = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (chosen[i]) take(i, expanded, expanded_bytes, next++);
  }
  kernels::CutChunks cut = cut_chunks(chunks, checked, context.stream, context.mr);
  const auto cut_bytes = std::make_shared<rmm::device_buffer>(std::move(cut.bytes));
  for (size_t i = 0; i < cut.chunks.size(); ++i) take(cut.chunks[i], cut, cut_bytes, i);
  return rewritten;
}

}  // namespace

std::vector<LoadedFile> read_stored_chunks(const TaskContext& context, FileReader& reader, CheckedChunks& checked,
                                           const std::vector<FileRequest>& requests) {
  std::vector<LoadedRanges> loaded = read_ranges(context, reader, requests);
  std::vector<StoredChunk> chunks;
  for (size_t i = 0; i < requests.size(); ++i) {
    for (StoredChunk& chunk : stored_chunks(requests[i], loaded[i])) chunks.push_back(std::move(chunk));
  }
  const std::vector<Rewritten> rewritten = rewrite(context, checked, chunks);
  std::vector<LoadedFile> files;
  const Rewritten* of_file = rewritten.data();
  for (size_t i = 0; i < requests.size(); ++i) {
    files.push_back({nullptr, requests[i].chunks});
    take_rewritten(requests[i], of_file, loaded[i], files.back().chunks);
    of_file += requests[i].chunks.size();
    files.back().source = std::make_unique<StoredChunksSource>(*requests[i].file, std::move(loaded[i]));
  }
  return files;
}

}  // namespace weft::gpu
