// Whether zstd and gzip pages can be decompressed, found out by doing it on the host with libzstd and zlib.
//
// nvCOMP's decompressors take what the codes say on trust: damaged pages were seen to keep a kernel running for ever. A
// walk over the codes is a decoder, and the libraries' are good ones; they cost a core a second (libzstd) to three
// (zlib) a gigabyte, once for each chunk that is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gpu/kernels/bad_page.hpp"

namespace weft::gpu {

/// Whether pages of this codec are for find_bad_compressed_page.
bool is_checked_on_host(kernels::PageCodec codec);

/// The first zstd or gzip page that does not decompress to exactly the bytes that its header says, or whose gzip header
/// has optional fields, which decoders read differently; nothing if there is none. The chunks' bytes are host memory; a
/// chunk with bad headers is looked at as far as they are good. Uses several threads.
std::optional<kernels::BadPage> find_bad_compressed_page(std::span<const kernels::ChunkToWalk> chunks);

}  // namespace weft::gpu
