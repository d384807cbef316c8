// A real fault on the device, in a program of its own because CUDA never recovers from one: the query that meets it and
// every later one on the GPU give device_lost, mode auto goes on with the CPU, and the program lives.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "workload/result_table.hpp"

namespace weft::tests {
namespace {

constexpr const char* kTrap = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry weft_test_trap() { trap; }
)";

/// Runs a kernel that traps, in the device's primary context: the one that libweft_gpu.so uses. CUDA's driver is opened
/// here, so that this test needs no CUDA to build. Gives the result of the synchronization: 0 would be no fault.
int fault_the_device() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return 0;
  const auto call = [&]<typename... A>(const char* name, A... arguments) {
    auto function = reinterpret_cast<int (*)(A...)>(dlsym(driver, name));
    return function == nullptr ? -1 : function(arguments...);
  };
  void* context = nullptr;
  void* module = nullptr;
  void* kernel = nullptr;
  void** const none = nullptr;
  void* const stream = nullptr;
  if (call("cuDevicePrimaryCtxRetain", &context, 0) != 0) return 0;
  if (call("cuCtxSetCurrent", context) != 0) return 0;
  if (call("cuModuleLoadData", &module, static_cast<const void*>(kTrap)) != 0) return 0;
  if (call("cuModuleGetFunction", &kernel, module, "weft_test_trap") != 0) return 0;
  if (call("cuLaunchKernel", kernel, 1U, 1U, 1U, 1U, 1U, 1U, 0U, stream, none, none) != 0) return 0;
  return call("cuCtxSynchronize");
}

TEST(DeviceLost, AfterAKernelFaultTheCpuGoesOn) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.parquet");
  session::OpenOptions options;
  options.load_tpc = false;
  options.settings = {{"small_on_cpu", "false"}};
  const auto engine = session::open_engine(options);
  const auto connection = engine->connect();
  if (!engine->backend()) GTEST_SKIP() << connection->no_device_reason();
  const auto run = [&](const std::string& sql) { return workload::run_query(*connection, sql); };
  const auto code = [&](const std::string& sql) {
    try {
      run(sql);
    } catch (const Exception& e) {
      return e.error();
    }
    return Error{ErrorCode::InternalError, "no error", std::nullopt};
  };
  run("COPY (SELECT i AS a, i % 7 AS b FROM range(100000) x(i)) TO '" + file + "' (FORMAT parquet)");
  run("CREATE VIEW t AS SELECT * FROM '" + file + "'");
  const std::string query = "SELECT b, sum(a) FROM t GROUP BY b ORDER BY b";
  const auto before = run(query);
  ASSERT_EQ(connection->last_report().where, "gpu");

  ASSERT_NE(fault_the_device(), 0) << "the kernel did not trap";

  connection->set("mode", "native_required");
  for (int i = 0; i < 2; ++i) {
    const Error error = code(query);
    EXPECT_EQ(error.code, ErrorCode::DeviceLost) << error.message;
    EXPECT_NE(error.message.find("restart"), std::string::npos) << error.message;
  }
  EXPECT_TRUE(engine->backend()->device().lost);

  connection->set("mode", "auto");
  const auto after = run(query);
  EXPECT_EQ(connection->last_report().where, "cpu");
  ASSERT_FALSE(connection->last_report().refusals.empty());
  ASSERT_EQ(after.rows.size(), before.rows.size());
  for (size_t row = 0; row < after.rows.size(); ++row) {
    for (size_t column = 0; column < after.rows[row].size(); ++column) {
      EXPECT_EQ(after.rows[row][column].text, before.rows[row][column].text);
    }
  }
  EXPECT_EQ(run("SELECT 42").rows.at(0).at(0).text, "42");
}

}  // namespace
}  // namespace weft::tests
