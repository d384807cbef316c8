#include "gpu/expr/kernel_parameters.hpp"

#include "base/error.hpp"

namespace weft::gpu {
namespace {

uint64_t word(const void* pointer) { return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer)); }

}  // namespace

std::vector<uint64_t> pack(const GeneratedKernel& kernel, const KernelParameters& parameters) {
  WEFT_INVARIANT(parameters.inputs.size() == kernel.inputs.size(), "a kernel's inputs");
  WEFT_INVARIANT(parameters.outputs.size() == kernel.outputs.size(), "a kernel's outputs");
  std::vector<uint64_t> words{static_cast<uint64_t>(parameters.rows),
                              word(parameters.failure),
                              word(parameters.counts),
                              word(parameters.arena_used),
                              word(parameters.arena),
                              parameters.arena_bytes};
  for (const KernelInput& input : parameters.inputs) {
    words.insert(words.end(), {word(input.data), word(input.valid), word(input.chars), input.wide_offsets ? 1u : 0u});
  }
  if (parameters.inputs.empty()) words.insert(words.end(), 4, 0);
  for (const KernelOutput& output : parameters.outputs)
    words.insert(words.end(), {word(output.data), word(output.valid)});
  words.insert(words.end(), kernel.constants.begin(), kernel.constants.end());
  return words;
}

}  // namespace weft::gpu
