#include "engine/library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace weft::engine {
namespace {

class LibraryTest : public ::testing::Test {
 protected:
  ~LibraryTest() override { unsetenv("WEFT_GPU_LIBRARY"); }
};

TEST_F(LibraryTest, ANamedLibraryThatIsMissingIsNamed) {
  setenv("WEFT_GPU_LIBRARY", "no/such/library.so", 1);
  const auto opened = open_gpu_backend({}, {null_logger()});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::LibraryMissing);
  EXPECT_NE(opened.error().message.find("no/such/library.so"), std::string::npos);
  EXPECT_NE(opened.error().message.find("unset"), std::string::npos);
}

TEST_F(LibraryTest, AFileThatIsNoLibraryGivesTheLoadersWords) {
  const auto path = std::filesystem::temp_directory_path() / "weft_library_test.so";
  std::ofstream(path) << "not an ELF file";
  setenv("WEFT_GPU_LIBRARY", path.c_str(), 1);
  const auto opened = open_gpu_backend({}, {null_logger()});
  std::filesystem::remove(path);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::LibraryMissing);
  EXPECT_NE(opened.error().message.find("cannot be loaded"), std::string::npos);
}

TEST_F(LibraryTest, AnotherLibraryIsNoGpuLibrary) {
  setenv("WEFT_GPU_LIBRARY", "/lib/x86_64-linux-gnu/libm.so.6", 1);
  if (!std::filesystem::exists("/lib/x86_64-linux-gnu/libm.so.6")) GTEST_SKIP() << "no libm.so.6 at Debian's place";
  const auto opened = open_gpu_backend({}, {null_logger()});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::BuildMismatch);
  EXPECT_NE(opened.error().message.find("weft_gpu_open"), std::string::npos);
}

}  // namespace
}  // namespace weft::engine
