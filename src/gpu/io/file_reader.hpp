// Parts of files to device memory, through pinned buffers, by threads of its own.
//
// A thread copies a block from the page cache into a pinned buffer while the block before it travels to the device.
// Blocks are read in the order of the requests, so that the first request is complete early and is decoded while the
// next ones are read: workers that read for themselves would all copy at once and then all decode at once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/cancellation.hpp"

namespace weft::gpu {

struct FilePart {
  std::string path;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  void* target = nullptr;  // device memory, `bytes` long, no other work on it
};

/// Thread-safe. One per backend.
class FileReader {
 public:
  /// The threads start with the first request. Pinned memory is made as it is needed and kept: at most 2 x block_bytes
  /// a thread.
  FileReader(int device, unsigned threads, uint64_t block_bytes);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  /// Blocks until all parts are in device memory. Throws IoError (a file cannot be opened or read), CorruptFile (it
  /// ends before a part does), Cancelled; afterwards nothing writes to the targets any more.
  void read(const std::vector<FilePart>& parts, const CancellationToken& cancellation);

 private:
  class Buffer;
  class OpenFile;
  struct Request;
  struct Block {
    Request* request = nullptr;
    std::shared_ptr<OpenFile> file;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    void* target = nullptr;
  };
  class Thread;

  void start_threads();
  std::unique_ptr<Buffer> take_buffer();
  void give_back(std::unique_ptr<Buffer> buffer);
  bool next_block(Block& block, bool may_wait);
  void done(const Block& block, std::exception_ptr error) noexcept;

  const int device_;
  const unsigned thread_count_;
  const uint64_t block_bytes_;
  std::mutex mutex_;
  std::condition_variable work_;      // a block came, or the end
  std::condition_variable finished_;  // a request has no blocks left
  std::deque<Block> queue_;
  std::vector<std::unique_ptr<Buffer>> idle_;  // the last one used is the first one taken: making one takes 2 ms
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weft::gpu
