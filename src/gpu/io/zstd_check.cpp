#include "gpu/io/zstd_check.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include <cudf/io/detail/codec.hpp>

namespace weft::gpu {
namespace {

constexpr size_t kMaxThreads = 16;

struct Page {
  size_t chunk = 0;
  uint64_t number = 0;
  kernels::StoredPage stored;
};

bool decompresses(const kernels::StoredPage& page, std::vector<uint8_t>& target) {
  target.resize(std::max<size_t>(page.page_bytes, 1));
  try {
    return cudf::io::detail::decompress(cudf::io::compression_type::ZSTD, {page.bytes, page.stored_bytes},
                                        {target.data(), page.page_bytes}) == page.page_bytes;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return false;  // libcudf's error says no more
  }
}

}  // namespace

std::optional<kernels::BadPage> find_bad_zstd_page(std::span<const kernels::ChunkToWalk> chunks) {
  std::vector<Page> pages;
  for (size_t i = 0; i < chunks.size(); ++i) {
    kernels::walk_pages(chunks[i], [&](uint64_t number, const kernels::StoredPage& page) {
      if (page.codec == kernels::PageCodec::Zstd) pages.push_back({i, number, page});
    });
  }
  std::atomic<size_t> next{0};
  std::atomic<size_t> first_bad{pages.size()};
  const auto work = [&] {
    std::vector<uint8_t> target;
    for (size_t i = next++; i < first_bad.load(); i = next++) {
      if (decompresses(pages[i].stored, target)) continue;
      for (size_t known = first_bad.load(); i < known && !first_bad.compare_exchange_weak(known, i);) {
      }
    }
  };
  std::vector<std::future<void>> helpers;
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const size_t threads = std::min({kMaxThreads, cores, pages.size()});
  for (size_t i = 1; i < threads; ++i) helpers.push_back(std::async(std::launch::async, work));
  work();
  for (auto& helper : helpers) helper.get();
  if (first_bad.load() == pages.size()) return std::nullopt;
  const Page& bad = pages[first_bad.load()];
  return kernels::BadPage{bad.chunk, bad.number, kernels::PageProblem::Compressed};
}

}  // namespace weft::gpu
