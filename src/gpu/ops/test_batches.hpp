// For tests of the operators: batches from host values, and rows back as text. Needs a device; tests are skipped
// without one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cudf/column/column_factories.hpp>
#include <cudf/null_mask.hpp>
#include <cudf/strings/strings_column_view.hpp>
#include <cudf/utilities/default_stream.hpp>
#include <cudf/utilities/memory_resource.hpp>
#include <rmm/device_buffer.hpp>

#include "base/log.hpp"
#include "gpu/exec/cuda_check.hpp"
#include "gpu/expr/kernel_cache.hpp"
#include "gpu/memory/pinned.hpp"
#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {

template <typename T>
using Values = std::vector<std::optional<T>>;

inline const plan::Type kTestInteger = plan::Type::of(plan::TypeId::Integer);
inline const plan::Type kTestBigInt = plan::Type::of(plan::TypeId::BigInt);
inline const plan::Type kTestHugeInt = plan::Type::of(plan::TypeId::HugeInt);
inline const plan::Type kTestDouble = plan::Type::of(plan::TypeId::Double);
inline const plan::Type kTestVarchar = plan::Type::of(plan::TypeId::Varchar);
inline const plan::Type kTestBoolean = plan::Type::of(plan::TypeId::Boolean);

class OperatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU";
    int major = 0;
    int minor = 0;
    check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    check_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    pinned_ = std::make_unique<PinnedPool>(std::size_t{1} << 30);
    kernels_ = std::make_unique<KernelCache>("", major * 10 + minor, null_logger());
    make_services(uint64_t{8} << 30, false);
  }

  /// A small cap makes several partitions, parts and merges of little data.
  void make_services(uint64_t cap_bytes, bool force_spill) {
    account_ = std::make_unique<Account>("test", cap_bytes);
    services_ = std::make_unique<OperatorServices>(OperatorServices{*kernels_, *pinned_, *account_, force_spill});
    context_ = std::make_unique<TaskContext>(TaskContext{
        cudf::get_default_stream(), cudf::get_current_device_resource_ref(), token_, *account_, uint64_t{1} << 20});
  }

  const OperatorServices& services() const { return *services_; }
  const TaskContext& context() const { return *context_; }

  template <typename T>
  ColumnPtr column(const plan::Type& type, const Values<T>& values) const {
    const auto rows = static_cast<cudf::size_type>(values.size());
    std::vector<T> data;
    for (const auto& value : values) data.push_back(value.value_or(T{}));
    auto [mask, nulls] = null_mask(values);
    return std::make_shared<const cudf::column>(
        device_type(type), rows, to_device(data.data(), data.size() * sizeof(T)), std::move(mask), nulls);
  }

  ColumnPtr text(const Values<std::string>& values) const {
    std::string chars;
    std::vector<int32_t> offsets{0};
    for (const auto& value : values) {
      chars += value.value_or("");
      offsets.push_back(static_cast<int32_t>(chars.size()));
    }
    auto offset_column = std::make_unique<cudf::column>(
        cudf::data_type{cudf::type_id::INT32}, static_cast<cudf::size_type>(offsets.size()),
        to_device(offsets.data(), offsets.size() * sizeof(int32_t)), rmm::device_buffer{}, 0);
    auto [mask, nulls] = null_mask(values);
    return cudf::make_strings_column(static_cast<cudf::size_type>(values.size()), std::move(offset_column),
                                     to_device(chars.data(), chars.size()), nulls, std::move(mask));
  }

  static Batch batch(std::vector<ColumnPtr> columns, uint64_t sequence = 0) {
    Batch made;
    made.rows = columns.empty() ? 0 : columns.front()->size();
    made.columns = std::move(columns);
    made.sequence = sequence;
    return made;
  }

  /// Each row as "1|NULL|abc", in the batch's order. Decimals are unscaled.
  std::vector<std::string> rows_of(const Batch& batch) const {
    synchronize(*context_);
    std::vector<std::string> rows(static_cast<size_t>(batch.rows));
    for (size_t c = 0; c < batch.columns.size(); ++c) {
      const auto fields = fields_of(batch.columns[c]->view());
      EXPECT_EQ(fields.size(), rows.size()) << "column " << c;
      for (size_t r = 0; r < std::min(rows.size(), fields.size()); ++r) rows[r] += (c > 0 ? "|" : "") + fields[r];
    }
    return rows;
  }

  /// All rows of a finished state, in the order of its pieces.
  std::vector<std::string> rows_of(SinkState& state) const {
    std::vector<std::string> rows;
    for (size_t i = 0; i < state.pieces(); ++i) {
      for (std::string& row : rows_of(state.piece(*context_, i))) rows.push_back(std::move(row));
    }
    return rows;
  }

  static std::vector<std::string> sorted(std::vector<std::string> rows) {
    std::sort(rows.begin(), rows.end());
    return rows;
  }

 private:
  rmm::device_buffer to_device(const void* data, std::size_t bytes) const {
    rmm::device_buffer buffer(bytes, context_->stream, context_->mr);
    if (bytes > 0) {
      check_cuda(cudaMemcpyAsync(buffer.data(), data, bytes, cudaMemcpyHostToDevice, context_->stream.get()));
    }
    synchronize(*context_);
    return buffer;
  }

  template <typename T>
  std::pair<rmm::device_buffer, cudf::size_type> null_mask(const Values<T>& values) const {
    const auto rows = static_cast<cudf::size_type>(values.size());
    std::vector<uint8_t> mask(cudf::bitmask_allocation_size_bytes(rows), 0);
    cudf::size_type nulls = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].has_value()) {
        mask[i / 8] = static_cast<uint8_t>(mask[i / 8] | (1U << (i % 8)));
      } else {
        ++nulls;
      }
    }
    if (nulls == 0) return {rmm::device_buffer{}, 0};
    return {to_device(mask.data(), mask.size()), nulls};
  }

  template <typename T>
  std::vector<T> to_host(const void* data, std::size_t count) const {
    std::vector<T> values(count);
    if (count > 0) check_cuda(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  template <typename T>
  std::vector<std::string> number_fields(cudf::column_view column) const {
    std::vector<std::string> fields;
    for (const T value : to_host<T>(column.head<T>() + column.offset(), static_cast<size_t>(column.size()))) {
      if constexpr (std::is_same_v<T, __int128>) {
        fields.push_back(plan::to_string(value));
      } else if constexpr (std::is_same_v<T, double>) {
        fields.push_back(std::isnan(value) ? "nan" : std::to_string(value));  // whatever the sign of a NaN
      } else {
        fields.push_back(std::to_string(value));
      }
    }
    return fields;
  }

  std::vector<std::string> text_fields(cudf::column_view column) const {
    std::vector<std::string> fields;
    if (column.size() == 0) return fields;
    const cudf::strings_column_view strings(column);
    const auto offsets = to_host<int32_t>(strings.offsets().head<int32_t>(), static_cast<size_t>(column.size()) + 1);
    const auto chars = to_host<char>(column.head<char>(), static_cast<size_t>(offsets.back()));
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
      fields.emplace_back(chars.begin() + offsets[i], chars.begin() + offsets[i + 1]);
    }
    return fields;
  }

  std::vector<std::string> valid_fields(cudf::column_view column) const {
    switch (column.type().id()) {
      case cudf::type_id::BOOL8:
      case cudf::type_id::INT8:
        return number_fields<int8_t>(column);
      case cudf::type_id::INT32:
      case cudf::type_id::DECIMAL32:
      case cudf::type_id::TIMESTAMP_DAYS:
        return number_fields<int32_t>(column);
      case cudf::type_id::INT64:
      case cudf::type_id::DECIMAL64:
        return number_fields<int64_t>(column);
      case cudf::type_id::DECIMAL128:
        return number_fields<__int128>(column);
      case cudf::type_id::FLOAT64:
        return number_fields<double>(column);
      case cudf::type_id::STRING:
        return text_fields(column);
      default:
        ADD_FAILURE() << "a type that tests do not read";
        return {};
    }
  }

  std::vector<std::string> fields_of(cudf::column_view column) const {
    auto fields = valid_fields(column);
    if (!column.has_nulls()) return fields;
    const auto words =
        to_host<cudf::bitmask_type>(column.null_mask(), static_cast<size_t>(cudf::num_bitmask_words(column.size())));
    for (size_t i = 0; i < fields.size(); ++i) {
      if ((words[i / 32] >> (i % 32) & 1) == 0) fields[i] = "NULL";
    }
    return fields;
  }

  CancellationToken token_;
  std::unique_ptr<PinnedPool> pinned_;
  std::unique_ptr<KernelCache> kernels_;
  std::unique_ptr<Account> account_;
  std::unique_ptr<OperatorServices> services_;
  std::unique_ptr<TaskContext> context_;
};

}  // namespace weft::gpu
