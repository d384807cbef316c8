// The one GPU backend of a test program.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/library.hpp"

namespace weft::tests {

/// One backend for all tests of a program, closed before main returns.
class Gpu : public ::testing::Environment {
 public:
  void SetUp() override {
    auto opened = engine::open_gpu_backend({}, {null_logger()});
    if (opened) {
      backend = std::move(opened.value());
    } else {
      reason = opened.error().message;
    }
  }
  void TearDown() override { backend.reset(); }

  std::shared_ptr<engine::Backend> backend;  // null: there is none, as `reason` says
  std::string reason;
};

inline Gpu* const kGpu = static_cast<Gpu*>(::testing::AddGlobalTestEnvironment(new Gpu));

}  // namespace weft::tests
