#include "gpu/expr/host_harness.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "gpu/expr/kernel_parameters.hpp"

namespace weft::gpu::test {
namespace {

constexpr size_t kArenaPadding = 16;  // text is read in whole words

using plan::Type;
using plan::TypeId;
using plan::Value;

size_t width_of(const Type& type) {
  const std::string_view name = c_type(type);
  if (name == "bool" || name == "i8" || name == "u8") return 1;
  if (name == "i16" || name == "u16") return 2;
  if (name == "i32" || name == "u32" || name == "f32") return 4;
  return name == "i64" || name == "u64" || name == "f64" ? 8 : 16;
}

// One input column in the device's form.
struct HostColumn {
  std::vector<char> data;
  std::vector<int32_t> offsets{0};
  std::vector<uint32_t> valid;
  bool any_null = false;
};

void append(HostColumn& column, const Type& type, const Value& value, size_t row) {
  if (row % 32 == 0) column.valid.push_back(0);
  if (!value.is_null()) column.valid.back() |= 1u << (row % 32);
  column.any_null |= value.is_null();
  if (type.is_bytes()) {
    if (!value.is_null()) column.data.insert(column.data.end(), value.as_text().begin(), value.as_text().end());
    column.offsets.push_back(static_cast<int32_t>(column.data.size()));
    return;
  }
  const size_t width = width_of(type);
  std::vector<char> bytes(width, static_cast<char>(0x5a));  // what stands below a NULL is garbage
  if (!value.is_null() && type.id == TypeId::Float) {
    const auto single = static_cast<float>(value.as_double());
    std::memcpy(bytes.data(), &single, sizeof single);
  } else if (!value.is_null() && type.id == TypeId::Double) {
    const double wide = value.as_double();
    std::memcpy(bytes.data(), &wide, sizeof wide);
  } else if (!value.is_null()) {
    const plan::Int128 integer = value.as_int();
    std::memcpy(bytes.data(), &integer, width);
  }
  column.data.insert(column.data.end(), bytes.begin(), bytes.end());
}

struct OutputText {
  const char* pointer;
  int32_t length;
};

Value read(const Type& type, const char* data, const uint32_t* valid, size_t row) {
  if (type.is_bytes()) {
    const OutputText& text = reinterpret_cast<const OutputText*>(data)[row];
    return text.pointer == nullptr ? Value::null(type)
                                   : Value{type, std::string(text.pointer, static_cast<size_t>(text.length))};
  }
  if (valid != nullptr && (valid[row / 32] >> (row % 32) & 1u) == 0) return Value::null(type);
  const size_t width = width_of(type);
  const char* at = data + row * width;
  if (type.id == TypeId::Float) {
    float single;
    std::memcpy(&single, at, sizeof single);
    return Value::floating(type, single);
  }
  if (type.id == TypeId::Double) {
    double wide;
    std::memcpy(&wide, at, sizeof wide);
    return Value::floating(type, wide);
  }
  plan::Int128 integer = 0;
  std::memcpy(&integer, at, width);
  if (!type.carrier().is_unsigned() && type.id != TypeId::Boolean && width < 16) {
    const unsigned shift = static_cast<unsigned>(128 - 8 * width);
    integer = static_cast<plan::Int128>(static_cast<unsigned __int128>(integer) << shift) >> shift;
  }
  return Value::integer(type, integer);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A library of generated kernels, each in a namespace of its own.
class Library {
 public:
  explicit Library(const std::vector<GeneratedKernel>& kernels) {
    char pattern[] = "/tmp/weft_host_kernel_XXXXXX";
    if (mkdtemp(pattern) == nullptr) throw std::runtime_error("no temporary directory");
    folder_ = pattern;
    const std::string base = folder_.string();
    std::ofstream(folder_ / "kernel.cpp") << source(kernels);
    const std::string command =
        "c++ -std=c++20 -O0 -w -shared -fPIC -o " + base + "/kernel.so " + base + "/kernel.cpp 2> " + base + "/errors";
    if (std::system(command.c_str()) != 0) throw std::runtime_error(read_file(folder_ / "errors"));
    handle_ = dlopen((base + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove_all(folder_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  void run(size_t index, const void* parameters) const {
    reinterpret_cast<void (*)(const void*)>(dlsym(handle_, entry(index).c_str()))(parameters);
  }

 private:
  static std::string entry(size_t index) { return "weft_host_" + std::to_string(index); }
  static std::string source(const std::vector<GeneratedKernel>& kernels) {
    std::string text = "#include <cmath>\n#include <cstring>\n";
    for (size_t k = 0; k < kernels.size(); ++k) {
      std::string one = kernels[k].source;
      one.replace(one.rfind("weft_host"), 9, entry(k));
      text += "namespace kernel_" + std::to_string(k) + " {\n" + one + "}\n";
    }
    return text;
  }
  std::filesystem::path folder_;
  void* handle_ = nullptr;
};

HostResult run_kernel(const Library& library, size_t index, const GeneratedKernel& kernel,
                      const std::vector<plan::Column>& input, const Rows& rows) {
  std::vector<HostColumn> columns(kernel.inputs.size());
  KernelParameters parameters;
  parameters.rows = static_cast<int64_t>(rows.size());
  for (size_t k = 0; k < columns.size(); ++k) {
    const uint32_t column = kernel.inputs[k];
    for (size_t r = 0; r < rows.size(); ++r) append(columns[k], input[column].type, rows[r][column], r);
    columns[k].data.resize(columns[k].data.size() + 16);
    const bool text = input[column].type.is_bytes();
    parameters.inputs.push_back({text ? static_cast<const void*>(columns[k].offsets.data()) : columns[k].data.data(),
                                 columns[k].any_null ? columns[k].valid.data() : nullptr,
                                 text ? columns[k].data.data() : nullptr, false});
  }
  std::vector<std::vector<char>> data;
  std::vector<std::vector<uint32_t>> valid;
  for (const GeneratedKernel::Output& output : kernel.outputs) {
    data.emplace_back((rows.size() + 1) * width_of(output.type));
    valid.emplace_back(rows.size() / 32 + 1, ~0u);
    const bool nulls = output.makes_nulls || !output.null_sources.empty();
    parameters.outputs.push_back({data.back().data(), nulls ? valid.back().data() : nullptr});
  }
  uint64_t failure = kNoFailure;
  uint64_t arena_used = 0;
  std::vector<uint64_t> counts(kernel.outputs.size(), 0);
  std::vector<char> arena(kArenaPadding);  // empty at first, on purpose
  parameters.failure = &failure;
  parameters.counts = counts.data();
  parameters.arena_used = &arena_used;
  // As on the device: again with more room until all new text fits.
  do {
    failure = kNoFailure;
    arena.resize(std::max<size_t>(arena.size(), arena_used + kArenaPadding));
    arena_used = 0;
    std::fill(counts.begin(), counts.end(), 0);
    parameters.arena = arena.data();
    parameters.arena_bytes = arena.size() - kArenaPadding;
    library.run(index, pack(kernel, parameters).data());
  } while (arena_used > parameters.arena_bytes);
  HostResult result;
  for (size_t k = 0; k < kernel.outputs.size(); ++k) {
    std::vector<Value> cells;
    for (size_t r = 0; r < rows.size(); ++r) {
      cells.push_back(
          read(kernel.outputs[k].type, data[k].data(), static_cast<const uint32_t*>(parameters.outputs[k].valid), r));
    }
    result.columns.push_back(std::move(cells));
  }
  if (failure != kNoFailure) {
    result.failed_row = failure >> kFailureSlotBits;
    result.failed_id = kernel.slots.at(failure & ((1u << kFailureSlotBits) - 1));
  }
  return result;
}

}  // namespace

std::vector<HostResult> run_on_host(const std::vector<HostRun>& runs) {
  std::vector<GeneratedKernel> kernels;
  for (const HostRun& run : runs) {
    kernels.push_back(run.filter ? generate_mask(run.input, run.expressions)
                                 : generate_columns(run.input, run.expressions));
  }
  const Library library(kernels);
  std::vector<HostResult> results;
  for (size_t k = 0; k < runs.size(); ++k) {
    HostResult all = run_kernel(library, k, kernels[k], runs[k].input, runs[k].rows);
    for (const auto& row : runs[k].row_by_row ? runs[k].rows : Rows{}) {
      all.rows_alone.push_back(run_kernel(library, k, kernels[k], runs[k].input, {row}));
    }
    results.push_back(std::move(all));
  }
  return results;
}

HostResult run_on_host(const std::vector<plan::Column>& input, const Rows& rows,
                       const std::vector<plan::ExprPtr>& expressions) {
  return run_on_host({HostRun{input, rows, expressions}}).front();
}

HostResult filter_on_host(const std::vector<plan::Column>& input, const Rows& rows,
                          const std::vector<plan::ExprPtr>& conjuncts) {
  return run_on_host({HostRun{input, rows, conjuncts, true}}).front();
}

}  // namespace weft::gpu::test
