// Constant rows: VALUES, SELECT without FROM, empty results. The rows are laid out as an Arrow array on the host and
// take the way of host rows to the device.
#include <cstring>
#include <string>

#include "gpu/column/arrow_export.hpp"
#include "gpu/io/sources.hpp"

namespace weft::gpu {
namespace {

struct ColumnBuffers {
  std::vector<uint8_t> validity;
  std::vector<char> data;
  std::vector<int32_t> offsets;
  int64_t nulls = 0;
  const void* pointers[3] = {nullptr, nullptr, nullptr};
  ArrowArray array{};
};

void release_nothing(ArrowArray* array) { array->release = nullptr; }

void append_value(const plan::Value& value, std::size_t row, ColumnBuffers& out) {
  using plan::TypeId;
  if (value.is_null()) {
    ++out.nulls;
  } else {
    out.validity[row / 8] |= static_cast<uint8_t>(1U << (row % 8));
  }
  const auto append = [&](const void* bytes, std::size_t size) {
    const auto* begin = static_cast<const char*>(bytes);
    out.data.insert(out.data.end(), begin, begin + size);
  };
  if (value.type.is_bytes()) {
    if (!value.is_null()) append(value.as_text().data(), value.as_text().size());
    out.offsets.push_back(static_cast<int32_t>(out.data.size()));
    return;
  }
  if (value.type.id == TypeId::Boolean) {
    if (row % 8 == 0) out.data.push_back(0);
    if (!value.is_null() && value.as_int() != 0)
      out.data[row / 8] = static_cast<char>(out.data[row / 8] | (1 << (row % 8)));
    return;
  }
  if (value.type.is_floating()) {
    const double number = value.is_null() ? 0 : value.as_double();
    const auto narrow = static_cast<float>(number);
    value.type.id == TypeId::Float ? append(&narrow, 4) : append(&number, 8);
    return;
  }
  const plan::Int128 number = value.is_null() ? 0 : value.as_int();
  const cudf::data_type type = device_type(value.type);
  // Arrow has decimals of 128 bits only; other fixed-width types have their device width, little-endian.
  append(&number, value.type.is_decimal() ? 16 : cudf::size_of(type));
}

class ValuesOperator final : public SourceOperator {
 public:
  ValuesOperator(const plan::Values& values, std::vector<plan::Column> columns)
      : values_(values), columns_(std::move(columns)) {}

  Next next(Morsel& morsel, const std::function<void()>&) override {
    if (taken_ || values_.rows.empty()) return Next::Done;
    taken_ = true;
    morsel = Morsel{};
    return Next::Morsel;
  }

  Batch read(const TaskContext& context, const Morsel&) override {
    const std::size_t rows = values_.rows.size();
    std::vector<ColumnBuffers> buffers(columns_.size());
    std::vector<ArrowArray*> children;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      ColumnBuffers& column = buffers[c];
      column.validity.assign((rows + 7) / 8, 0);
      const bool text = columns_[c].type.is_bytes();
      if (text) column.offsets.push_back(0);
      for (std::size_t r = 0; r < rows; ++r) append_value(values_.rows[r][c], r, column);
      column.data.resize(column.data.size() + 16);
      column.pointers[0] = column.validity.data();
      column.pointers[1] = text ? static_cast<const void*>(column.offsets.data()) : column.data.data();
      column.pointers[2] = text ? column.data.data() : nullptr;
      column.array.length = static_cast<int64_t>(rows);
      column.array.null_count = column.nulls;
      column.array.n_buffers = text ? 3 : 2;
      column.array.buffers = column.pointers;
      column.array.release = release_nothing;
      children.push_back(&column.array);
    }
    const void* no_validity[1] = {nullptr};
    ArrowArray root{};
    root.length = static_cast<int64_t>(rows);
    root.n_buffers = 1;
    root.buffers = no_validity;
    root.n_children = static_cast<int64_t>(children.size());
    root.children = children.data();
    root.release = release_nothing;
    return import_batch(context, columns_, root);
  }

 private:
  const plan::Values& values_;
  const std::vector<plan::Column> columns_;
  bool taken_ = false;
};

}  // namespace

std::unique_ptr<SourceOperator> make_values(const plan::Values& values, std::vector<plan::Column> columns) {
  return std::make_unique<ValuesOperator>(values, std::move(columns));
}

}  // namespace weft::gpu
