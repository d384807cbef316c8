// NVRTC needs no GPU: these tests compile for sm_90 wherever they run.
#include "gpu/expr/kernel_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "gpu/expr/generator.hpp"

namespace weft::gpu {
namespace {

constexpr int kCapability = 90;

class Folder {
 public:
  Folder() {
    char pattern[] = "/tmp/weft_kernel_cache_XXXXXX";
    path_ = mkdtemp(pattern);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::vector<std::filesystem::path> files() const {
    return {std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()};
  }

 private:
  std::string path_;
};

class CountingLogger final : public Logger {
 public:
  void log(LogLevel level, std::string_view) noexcept override { count_ += level >= LogLevel::Warning ? 1 : 0; }
  int count() const { return count_; }

 private:
  std::atomic<int> count_{0};
};

std::string source_of(int conjuncts) {
  const plan::Type type = plan::Type::of(plan::TypeId::Integer);
  std::vector<plan::ExprPtr> filter;
  for (int i = 0; i < conjuncts; ++i) {
    filter.push_back(plan::comparison(plan::CompareOp::NotEqual, plan::column_ref(0, type, true),
                                      plan::constant(plan::Value::integer(type, i))));
  }
  return generate_mask({{"c", type, true}}, filter).source;
}

TEST(KernelCacheTest, CompilesOnceAndKeepsTheCubinOnDisk) {
  const Folder folder;
  std::string cubin;
  {
    KernelCache cache(folder.path(), kCapability, null_logger());
    const auto first = cache.get(source_of(1));
    EXPECT_EQ(first, cache.get(source_of(1)));
    EXPECT_NE(first, cache.get(source_of(2)));
    cubin = first->cubin();
    EXPECT_EQ(cubin.substr(1, 3), "ELF");
    cache.get(source_of(2))->cubin();
    EXPECT_EQ(cache.statistics().compiled, 2u);
    EXPECT_EQ(cache.statistics().memory_hits, 2u);
  }
  EXPECT_EQ(folder.files().size(), 2u);
  KernelCache again(folder.path(), kCapability, null_logger());
  EXPECT_EQ(again.get(source_of(1))->cubin(), cubin);
  EXPECT_EQ(again.statistics().disk_hits, 1u);
  EXPECT_EQ(again.statistics().compiled, 0u);
}

TEST(KernelCacheTest, DamagedFilesAreCompiledAgain) {
  const Folder folder;
  { KernelCache(folder.path(), kCapability, null_logger()).get(source_of(1))->cubin(); }
  for (const int damage : {0, 1, 2}) {
    const auto files = folder.files();
    ASSERT_EQ(files.size(), 1u);
    if (damage == 0) std::filesystem::resize_file(files[0], std::filesystem::file_size(files[0]) / 2);
    if (damage == 1) std::ofstream(files[0], std::ios::trunc) << "";
    if (damage == 2) {
      std::fstream file(files[0], std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(500);
      file.put('!');
    }
    const auto logger = std::make_shared<CountingLogger>();
    KernelCache cache(folder.path(), kCapability, logger);
    EXPECT_EQ(cache.get(source_of(1))->cubin().substr(1, 3), "ELF");
    EXPECT_EQ(cache.statistics().compiled, 1u) << damage;
    EXPECT_EQ(logger->count(), 1) << damage;
  }
}

TEST(KernelCacheTest, WorksWithoutADisk) {
  KernelCache nowhere("", kCapability, null_logger());
  EXPECT_EQ(nowhere.get(source_of(1))->cubin().substr(1, 3), "ELF");
  const auto logger = std::make_shared<CountingLogger>();
  KernelCache unwritable("/proc/no/such/folder", kCapability, logger);
  EXPECT_EQ(unwritable.get(source_of(1))->cubin().substr(1, 3), "ELF");
  EXPECT_EQ(logger->count(), 1);
}

TEST(KernelCacheTest, BadSourceIsAnErrorWithTheLog) {
  KernelCache cache("", kCapability, null_logger());
  const auto kernel = cache.get("this is no kernel");
  try {
    kernel->cubin();
    FAIL();
  } catch (const Exception& error) {
    EXPECT_EQ(error.code(), ErrorCode::InternalError);
    EXPECT_NE(std::string(error.what()).find("weft.cu"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::gpu
