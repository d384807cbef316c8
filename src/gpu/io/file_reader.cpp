#include "gpu/io/file_reader.hpp"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {

class FileReader::OpenFile {
 public:
  explicit OpenFile(std::string path) : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw Exception(ErrorCode::IoError, "cannot open " + path_ + ": " + std::strerror(errno));
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const std::string& path() const { return path_; }

  void read(uint64_t offset, uint64_t bytes, char* target) const {
    while (bytes > 0) {
      const ssize_t got = pread(descriptor_, target, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Exception(ErrorCode::IoError, path_ + " cannot be read: " + std::strerror(errno));
      if (got == 0) throw Exception(ErrorCode::CorruptFile, path_ + " ends before its columns do: the file is damaged");
      offset += static_cast<uint64_t>(got);
      bytes -= static_cast<uint64_t>(got);
      target += got;
    }
  }

 private:
  const std::string path_;
  const int descriptor_;
};

struct FileReader::Request {
  size_t blocks_left = 0;
  std::exception_ptr error;  // the first
};

/// Pinned memory, and the means to copy from it and to know when that is done.
class FileReader::Buffer {
 public:
  explicit Buffer(uint64_t bytes) {
    void* memory = nullptr;
    check_cuda(cudaMallocHost(&memory, bytes));
    memory_.reset(static_cast<char*>(memory));
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check_cuda(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync | cudaEventDisableTiming));
  }
  ~Buffer() {
    if (event_ != nullptr) cudaEventDestroy(event_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  char* memory() const { return memory_.get(); }
  void start_copy(uint64_t bytes, void* target) {
    check_cuda(cudaMemcpyAsync(target, memory_.get(), bytes, cudaMemcpyHostToDevice, stream_));
    check_cuda(cudaEventRecord(event_, stream_));
  }
  void finish_copy() { check_cuda(cudaEventSynchronize(event_)); }

 private:
  struct FreeHost {
    void operator()(char* memory) const { cudaFreeHost(memory); }
  };
  std::unique_ptr<char, FreeHost> memory_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

/// What one thread works with.
class FileReader::Thread {
 public:
  explicit Thread(FileReader& reader) : reader_(reader) {}

  void run() {
    Block block;
    size_t turn = 0;
    // With a copy under way there is something better to do than to wait for work: to finish that copy.
    while (true) {
      Copy& other = copies_[1 - turn];
      if (!reader_.next_block(block, !other.block.request)) {
        if (!other.block.request) return;
        finish(other);
        continue;
      }
      Copy& copy = copies_[turn];
      start(copy, std::move(block));
      if (other.block.request) finish(other);
      turn = 1 - turn;
    }
  }

 private:
  struct Copy {
    std::unique_ptr<Buffer> buffer;
    Block block;  // on its way to the device; request: null if none
  };

  void start(Copy& copy, Block block) {
    try {
      check_cuda(cudaSetDevice(reader_.device_));
      copy.buffer = reader_.take_buffer();
      block.file->read(block.offset, block.bytes, copy.buffer->memory());
      copy.buffer->start_copy(block.bytes, block.target);
    } catch (...) {
      reader_.give_back(std::move(copy.buffer));
      reader_.done(block, std::current_exception());
      return;
    }
    copy.block = std::move(block);
  }

  void finish(Copy& copy) {
    std::exception_ptr error;
    try {
      copy.buffer->finish_copy();
    } catch (...) {
      error = std::current_exception();
    }
    reader_.give_back(std::move(copy.buffer));
    reader_.done(std::exchange(copy.block, {}), error);
  }

  FileReader& reader_;
  std::array<Copy, 2> copies_;
};

FileReader::FileReader(int device, unsigned threads, uint64_t block_bytes)
    : device_(device), thread_count_(threads), block_bytes_(block_bytes) {}

FileReader::~FileReader() {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void FileReader::start_threads() {
  while (threads_.size() < thread_count_) {
    threads_.emplace_back([this] { Thread(*this).run(); });
  }
}

std::unique_ptr<FileReader::Buffer> FileReader::take_buffer() {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!idle_.empty()) {
      auto buffer = std::move(idle_.back());
      idle_.pop_back();
      return buffer;
    }
  }
  return std::make_unique<Buffer>(block_bytes_);
}

void FileReader::give_back(std::unique_ptr<Buffer> buffer) {
  if (buffer == nullptr) return;
  const std::lock_guard<std::mutex> guard(mutex_);
  idle_.push_back(std::move(buffer));
}

bool FileReader::next_block(Block& block, bool may_wait) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (may_wait) work_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  if (queue_.empty()) return false;
  block = std::move(queue_.front());
  queue_.pop_front();
  return true;
}

void FileReader::done(const Block& block, std::exception_ptr error) noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  Request& request = *block.request;
  if (error && !request.error) request.error = std::move(error);
  if (--request.blocks_left == 0) finished_.notify_all();
}

void FileReader::read(const std::vector<FilePart>& parts, const CancellationToken& cancellation) {
  constexpr std::chrono::milliseconds kCancellationInterval(5);
  Request request;
  std::deque<Block> blocks;
  std::shared_ptr<OpenFile> file;
  for (const FilePart& part : parts) {
    if (file == nullptr || file->path() != part.path) file = std::make_shared<OpenFile>(part.path);
    for (uint64_t at = 0; at < part.bytes; at += block_bytes_) {
      blocks.push_back({&request, file, part.offset + at, std::min(block_bytes_, part.bytes - at),
                        static_cast<char*>(part.target) + at});
    }
  }
  std::unique_lock<std::mutex> lock(mutex_);
  start_threads();
  request.blocks_left = blocks.size();
  std::move(blocks.begin(), blocks.end(), std::back_inserter(queue_));
  work_.notify_all();
  while (request.blocks_left > 0) {
    finished_.wait_for(lock, kCancellationInterval);
    if (!request.error && !cancellation.cancelled()) continue;
    // Blocks that nobody has begun are taken back; those under way are waited for.
    const auto taken_back =
        std::remove_if(queue_.begin(), queue_.end(), [&](const Block& block) { return block.request == &request; });
    request.blocks_left -= static_cast<size_t>(queue_.end() - taken_back);
    queue_.erase(taken_back, queue_.end());
  }
  lock.unlock();
  if (request.error) std::rethrow_exception(request.error);
  cancellation.check();
}

}  // namespace weft::gpu
