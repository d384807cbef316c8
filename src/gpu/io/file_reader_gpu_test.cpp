#include "gpu/io/file_reader.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.hpp"

namespace weft::gpu {
namespace {

constexpr uint64_t kBlock = 64 << 10;

class FileReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("weft_file_reader_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    for (size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<char>((i * 2654435761U) >> 13);
    std::ofstream(path(), std::ios::binary).write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "data").string(); }

  /// Device memory that is given back.
  struct Target {
    explicit Target(uint64_t bytes) { EXPECT_EQ(cudaMalloc(&memory, bytes), cudaSuccess); }
    ~Target() { cudaFree(memory); }
    std::string text(uint64_t bytes) const {
      std::string out(bytes, '\0');
      EXPECT_EQ(cudaMemcpy(out.data(), memory, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
      return out;
    }
    void* memory = nullptr;
  };

  std::filesystem::path folder_;
  std::string bytes_ = std::string(5 * kBlock + 12345, '\0');
};

TEST_F(FileReaderTest, PartsOfEverySizeArrive) {
  FileReader reader(0, 3, kBlock);
  const CancellationToken cancellation;
  for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, kBlock - 1, 2 * kBlock}) {
    for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, kBlock - 1, kBlock, kBlock + 1, 3 * kBlock + 7}) {
      const Target target(bytes + 1);
      reader.read({{path(), offset, bytes, target.memory}}, cancellation);
      EXPECT_EQ(target.text(bytes), bytes_.substr(offset, bytes)) << offset << " " << bytes;
    }
  }
}

TEST_F(FileReaderTest, ManyCallersAtOnceGetTheirOwn) {
  FileReader reader(0, 4, kBlock);
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> callers;
  for (unsigned c = 0; c < 8; ++c) {
    callers.emplace_back([&, c] {
      cudaSetDevice(0);
      const CancellationToken cancellation;
      const Target first(2 * kBlock);
      const Target second(kBlock);
      for (unsigned i = 0; i < 20; ++i) {
        const uint64_t offset = (c * 20 + i) * 997 % (3 * kBlock);
        reader.read({{path(), offset, 2 * kBlock, first.memory}, {path(), offset / 2, kBlock, second.memory}},
                    cancellation);
        if (first.text(2 * kBlock) != bytes_.substr(offset, 2 * kBlock)) ++wrong;
        if (second.text(kBlock) != bytes_.substr(offset / 2, kBlock)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0U);
}

TEST_F(FileReaderTest, ErrorsNameTheFileAndTheNextReadWorks) {
  FileReader reader(0, 2, kBlock);
  const CancellationToken cancellation;
  const Target target(8 * kBlock);
  const auto code = [&](const std::string& file, uint64_t bytes) {
    try {
      reader.read({{file, 0, bytes, target.memory}}, cancellation);
    } catch (const Exception& e) {
      EXPECT_NE(e.error().message.find(file), std::string::npos) << e.error().message;
      return e.code();
    }
    return ErrorCode::InternalError;
  };
  EXPECT_EQ(code(path(), bytes_.size() + 1), ErrorCode::CorruptFile);
  EXPECT_EQ(code(path() + ".missing", 10), ErrorCode::IoError);
  reader.read({{path(), 0, kBlock, target.memory}}, cancellation);
  EXPECT_EQ(target.text(kBlock), bytes_.substr(0, kBlock));
}

TEST_F(FileReaderTest, ACancelledReadEnds) {
  FileReader reader(0, 1, kBlock);
  const CancellationToken cancellation;
  cancellation.cancel();
  const Target target(5 * kBlock);
  try {
    reader.read({{path(), 0, 5 * kBlock, target.memory}}, cancellation);
    ADD_FAILURE() << "not cancelled";
  } catch (const Exception& e) {
    EXPECT_EQ(e.code(), ErrorCode::Cancelled);
  }
}

}  // namespace
}  // namespace weft::gpu
