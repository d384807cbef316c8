// Whether zstd pages can be decompressed, found out by doing it on the host with libzstd.
//
// nvCOMP's decompressor takes what zstd's codes say on trust: damaged pages were seen to keep a kernel running for
// ever. A walk over the codes is a decoder, and libzstd's is a good one; it costs a core about a second a gigabyte,
// once for each chunk that is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gpu/kernels/bad_page.hpp"

namespace weft::gpu {

/// The first page that does not decompress to exactly the bytes that its header says; nothing if there is none. The
/// chunks' bytes are host memory; a chunk with bad headers is looked at as far as they are good. Uses several threads.
std::optional<kernels::BadPage> find_bad_zstd_page(std::span<const kernels::ChunkToWalk> chunks);

}  // namespace weft::gpu
