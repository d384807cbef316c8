#include "gpu/io/compressed_check.hpp"

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

/// Byte 3 of a gzip header (RFC 1952): which optional fields follow its ten bytes.
bool has_optional_gzip_fields(const kernels::StoredPage& page) {
  return page.codec == kernels::PageCodec::Gzip && page.stored_bytes > 3 && page.bytes[3] != 0;
}

bool decompresses(const kernels::StoredPage& page, std::vector<uint8_t>& target) {
  target.resize(std::max<size_t>(page.page_bytes, 1));
  const auto codec =
      page.codec == kernels::PageCodec::Gzip ? cudf::io::compression_type::GZIP : cudf::io::compression_type::ZSTD;
  try {
    return cudf::io::detail::decompress(codec, {page.bytes, page.stored_bytes}, {target.data(), page.page_bytes}) ==
           page.page_bytes;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return false;  // libcudf's error says no more
  }
}

}  // namespace

bool is_checked_on_host(kernels::PageCodec codec) {
  return codec == kernels::PageCodec::Zstd || codec == kernels::PageCodec::Gzip;
}

std::optional<kernels::BadPage> find_bad_compressed_page(std::span<const kernels::ChunkToWalk> chunks) {
  std::vector<Page> pages;
  for (size_t i = 0; i < chunks.size(); ++i) {
    kernels::walk_pages(chunks[i], [&](uint64_t number, const kernels::StoredPage& page) {
      if (is_checked_on_host(page.codec)) pages.push_back({i, number, page});
    });
  }
  std::atomic<size_t> next{0};
  std::atomic<size_t> first_bad{pages.size()};
  const auto work = [&] {
    std::vector<uint8_t> target;
    for (size_t i = next++; i < first_bad.load(); i = next++) {
      if (!has_optional_gzip_fields(pages[i].stored) && decompresses(pages[i].stored, target)) continue;
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
  const auto problem =
      has_optional_gzip_fields(bad.stored) ? kernels::PageProblem::GzipFields : kernels::PageProblem::Compressed;
  return kernels::BadPage{bad.chunk, bad.number, problem};
}

}  // namespace weft::gpu
