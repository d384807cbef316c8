// What bad_contents.cu does with a chunk of pages that are not compressed, on the CPU, for tests.
#pragma once

#include <utility>
#include <vector>

#include "gpu/kernels/page_bytes.hpp"
#include "gpu/kernels/page_contents.hpp"

namespace weft::gpu::kernels {

/// The first page with a problem, and which; its headers' problem if they have one.
inline std::pair<uint64_t, PageProblem> contents_problem_on_host(const ChunkToWalk& chunk) {
  std::vector<StoredPage> pages;
  const ChunkWalk walk = walk_pages(chunk, [&](uint64_t, const StoredPage& page) { pages.push_back(page); });
  if (walk.problem != PageProblem::None) return {walk.pages == 0 ? 0 : walk.pages - 1, walk.problem};
  std::vector<uint32_t> lengths;
  Dictionary dictionary;
  for (size_t i = 0; i < pages.size(); ++i) {
    const PageParts parts = parts_of(pages[i], nullptr);
    HostBytes bytes;
    PageProblem problem = PageProblem::None;
    if (pages[i].kind == kDictionaryPage) {
      lengths.resize(static_cast<size_t>(pages[i].values));
      if (chunk.type == PhysicalType::ByteArray) dictionary.lengths = lengths.data();
      problem = check_dictionary(chunk, pages[i], parts, bytes, dictionary);
    } else {
      problem = check_data_page(chunk, pages[i], parts, dictionary, bytes);
    }
    if (problem != PageProblem::None) return {i, problem};
  }
  return {0, PageProblem::None};
}

}  // namespace weft::gpu::kernels
