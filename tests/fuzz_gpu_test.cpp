// A fixed share of the fuzzer on the GPU, under settings that change how the engine works but no answer.
#include <gtest/gtest.h>

#include <sstream>

#include "fuzz/fuzz.hpp"
#include "support/gpu_environment.hpp"
#include "support/temporary_folder.hpp"

namespace weft::tests {
namespace {

struct Setup {
  std::string name;
  uint64_t seed;
  std::map<std::string, std::string> settings;
};

class GpuFuzz : public ::testing::TestWithParam<Setup> {};

TEST_P(GpuFuzz, AgreesWithDuckDbAndLeavesNoBytes) {
  if (!kGpu->backend) GTEST_SKIP() << kGpu->reason;
  const TemporaryFolder folder;
  fuzz::FuzzOptions options;
  options.seed = GetParam().seed;
  options.queries = 200;
  options.shared_backend = kGpu->backend;
  options.settings = GetParam().settings;
  options.out = folder.path().string();
  options.most_mismatches = 5;
  const uint64_t before = kGpu->backend->device().used_bytes;
  std::ostringstream out;
  EXPECT_TRUE(fuzz::run_fuzz(options, out).ok()) << out.str();
  EXPECT_EQ(kGpu->backend->device().used_bytes, before);
  EXPECT_FALSE(kGpu->backend->device().lost);
}

INSTANTIATE_TEST_SUITE_P(Setups, GpuFuzz,
                         ::testing::Values(Setup{"plain", 21, {}}, Setup{"tiny_batches", 22, {{"batch_bytes", "4KiB"}}},
                                           Setup{"spilling", 23, {{"batch_bytes", "16KiB"}, {"force_spill", "true"}}}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace weft::tests
