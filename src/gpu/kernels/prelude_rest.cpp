#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

const char* const kUnicodeText = "";
const char* const kComposeText = "";
const char* const kFormatText = "";
const char* const kParseText = "";

}  // namespace weft::gpu::kernels
