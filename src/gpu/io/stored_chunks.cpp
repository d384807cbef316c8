#include "gpu/io/stored_chunks.hpp"

#include <algorithm>
#include <future>
#include <rmm/device_buffer.hpp>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {
namespace {

using cudf::io::datasource;

struct LoadedRange {
  FileRange range;
  rmm::device_buffer bytes;
};

class StoredChunksSource final : public datasource {
 public:
  StoredChunksSource(const plan::ScanFile& file, std::vector<LoadedRange> loaded)
      : path_(file.path), size_(file.size_bytes), loaded_(std::move(loaded)) {}

  size_t size() const override { return size_; }

  std::unique_ptr<buffer> host_read(size_t offset, size_t bytes) override { return file().host_read(offset, bytes); }
  size_t host_read(size_t offset, size_t bytes, uint8_t* target) override {
    return file().host_read(offset, bytes, target);
  }

  bool supports_device_read() const override { return true; }
  bool is_device_read_preferred(size_t) const override { return true; }

  std::unique_ptr<buffer> device_read(size_t offset, size_t bytes, cuda::stream_ref stream) override {
    rmm::device_buffer copy(std::min(bytes, size_ - std::min(offset, size_)), stream);
    device_read(offset, copy.size(), static_cast<uint8_t*>(copy.data()), stream);
    return buffer::create(std::move(copy));
  }
  size_t device_read(size_t offset, size_t bytes, uint8_t* target, cuda::stream_ref stream) override {
    const LoadedRange* loaded = holding(offset, bytes);
    if (loaded == nullptr) {
      const auto read = file().host_read(offset, bytes);
      check_cuda(cudaMemcpyAsync(target, read->data(), read->size(), cudaMemcpyHostToDevice, stream.get()));
      check_cuda(cudaStreamSynchronize(stream.get()));
      return read->size();
    }
    const auto* from = static_cast<const uint8_t*>(loaded->bytes.data()) + (offset - loaded->range.offset);
    check_cuda(cudaMemcpyAsync(target, from, bytes, cudaMemcpyDeviceToDevice, stream.get()));
    return bytes;
  }
  std::future<size_t> device_read_async(size_t offset, size_t bytes, uint8_t* target,
                                        cuda::stream_ref stream) override {
    std::promise<size_t> done;
    done.set_value(device_read(offset, bytes, target, stream));
    return done.get_future();
  }

 private:
  const LoadedRange* holding(size_t offset, size_t bytes) const {
    auto after = std::upper_bound(loaded_.begin(), loaded_.end(), offset,
                                  [](size_t place, const LoadedRange& l) { return place < l.range.offset; });
    if (after == loaded_.begin()) return nullptr;
    const LoadedRange& found = *std::prev(after);
    return offset + bytes <= found.range.offset + found.range.bytes ? &found : nullptr;
  }

  datasource& file() {
    if (!file_) file_ = datasource::create(path_, 0, 0, size_);
    return *file_;
  }

  const std::string path_;
  const size_t size_;
  std::vector<LoadedRange> loaded_;   // sorted by offset
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

std::vector<std::unique_ptr<datasource>> read_stored_chunks(const TaskContext& context, FileReader& reader,
                                                            const std::vector<FileRequest>& requests) {
  std::vector<std::vector<LoadedRange>> loaded;
  std::vector<FilePart> parts;
  for (const FileRequest& request : requests) {
    loaded.emplace_back();
    for (const FileRange& range : merged_ranges(request.ranges)) {
      if (range.offset + range.bytes > request.file->size_bytes) {
        throw Exception(ErrorCode::CorruptFile,
                        request.file->path + " ends before its columns do: the file is damaged");
      }
      loaded.back().push_back({range, rmm::device_buffer(range.bytes, context.stream, context.mr)});
      parts.push_back({request.file->path, range.offset, range.bytes, loaded.back().back().bytes.data()});
    }
  }
  check_cuda(cudaStreamSynchronize(context.stream.get()));  // the reader writes to the buffers on streams of its own
  reader.read(parts, context.cancellation);
  std::vector<std::unique_ptr<datasource>> sources;
  for (size_t i = 0; i < requests.size(); ++i) {
    sources.push_back(std::make_unique<StoredChunksSource>(*requests[i].file, std::move(loaded[i])));
  }
  return sources;
}

}  // namespace weft::gpu
