// Every case file and TPC-H on the GPU against DuckDB, under settings that change how the engine works but no answer.
// Without a GPU every test is skipped, with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/gpu_environment.hpp"
#include "support/temporary_folder.hpp"
#include "support/tpch_data.hpp"
#include "workload/parity.hpp"
#include "workload/suite.hpp"
#include "workload/tpch.hpp"
#include "workload/verify.hpp"

namespace weft::tests {
namespace {

const std::string kSource = WEFT_SOURCE_DIR;

struct Setup {
  std::string name;
  std::map<std::string, std::string> settings;
};

const std::vector<Setup>& setups() {
  static const std::vector<Setup> all = {{"plain", {}},
                                         {"tiny_batches", {{"batch_bytes", "4KiB"}}},
                                         {"spilling", {{"force_spill", "true"}}},
                                         {"one_worker", {{"workers", "1"}}},
                                         {"tiny_and_spilling", {{"batch_bytes", "16KiB"}, {"force_spill", "true"}}}};
  return all;
}

std::vector<std::string> case_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/tests/sql")) {
    if (entry.path().extension() == ".sql") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GpuCases : public ::testing::TestWithParam<std::tuple<Setup, std::string>> {};

TEST_P(GpuCases, AreRightAndPlacedAsExpectedAndLeaveNoBytes) {
  if (!kGpu->backend) GTEST_SKIP() << kGpu->reason;
  const auto& [setup, file] = GetParam();
  workload::VerifyOptions options;
  options.files = {kSource + "/tests/sql/" + file + ".sql"};
  options.shared_backend = kGpu->backend;
  options.settings = setup.settings;
  options.expect_dir = kSource + "/tests/expected";
  const uint64_t before = kGpu->backend->device().used_bytes;
  std::ostringstream out;
  EXPECT_TRUE(workload::verify(options, out).ok()) << out.str();
  EXPECT_EQ(kGpu->backend->device().used_bytes, before);
  EXPECT_FALSE(kGpu->backend->device().lost);
}

INSTANTIATE_TEST_SUITE_P(Files, GpuCases,
                         ::testing::Combine(::testing::ValuesIn(setups()), ::testing::ValuesIn(case_files())),
                         [](const auto& info) { return std::get<0>(info.param).name + "_" + std::get<1>(info.param); });

class GpuTpch : public ::testing::TestWithParam<Setup> {};

TEST_P(GpuTpch, EveryQueryIsNativeAndEqual) {
  if (!kGpu->backend) GTEST_SKIP() << kGpu->reason;
  const TemporaryFolder folder;
  write_tpch(folder.path().string(), "0.1");
  workload::ParityOptions options;
  options.data = folder.path().string();
  options.shared_backend = kGpu->backend;
  options.settings = GetParam().settings;
  options.settings["mode"] = "native_required";
  if (options.settings.count("batch_bytes") != 0) options.settings["batch_bytes"] = "1MiB";
  std::ostringstream out;
  const auto result = workload::parity(options, out);
  EXPECT_EQ(result.native(), workload::tpch().queries) << out.str();
  EXPECT_TRUE(result.ok()) << out.str();
  EXPECT_EQ(kGpu->backend->device().used_bytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(Setups, GpuTpch, ::testing::ValuesIn(setups()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace weft::tests
