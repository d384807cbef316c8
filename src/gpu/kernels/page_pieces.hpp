// The pages that a page of texts is cut into (text_cuts.hpp), as what is written one behind the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/kernels/page_walk.hpp"
#include "gpu/kernels/text_cuts.hpp"

namespace weft::gpu::kernels {

/// Bytes of its own, then definition levels, then content.
struct PagePiece {
  static constexpr uint32_t kMostPrefixBytes = 64;
  uint8_t prefix[kMostPrefixBytes] = {};  // of a cut page: its header, and what is in front of its levels
  uint32_t prefix_bytes = 0;
  uint32_t level_bytes = 0;
  const uint8_t* levels = nullptr;
  const uint8_t* content = nullptr;
  uint64_t content_bytes = 0;
  uint64_t target = 0;

  uint64_t bytes() const { return prefix_bytes + uint64_t{level_bytes} + content_bytes; }
};

/// The pieces that a page becomes: version 1 data pages of PLAIN texts. `cuts` as cut_texts() has filled it; `levels`
/// of a nullable column, where the pieces will be written. Targets are not set.
std::vector<PagePiece> pieces_of(const StoredPage& page, bool nullable, std::span<const TextCut> cuts,
                                 const uint32_t* levels);

}  // namespace weft::gpu::kernels
