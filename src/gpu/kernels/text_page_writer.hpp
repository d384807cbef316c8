// Pages of PLAIN texts for tests, and what is in them.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gpu/kernels/page_bytes.hpp"
#include "gpu/kernels/page_content_writer.hpp"
#include "gpu/kernels/page_runs.hpp"

namespace weft::gpu::kernels {

using Texts = std::vector<std::optional<std::string>>;

inline ChunkToWalk text_chunk(std::span<const uint8_t> bytes, int64_t values, bool nullable) {
  return {bytes.data(), bytes.size(), values, PhysicalType::ByteArray, PageCodec::None, 0, nullable, true};
}

/// `nulls`: 0 none, 1 none though there could be, 2 some here and there, 3 long stretches.
inline Texts some_texts(std::mt19937& random, size_t rows, unsigned nulls) {
  Texts texts(rows);
  bool stretch = false;
  for (auto& text : texts) {
    if (random() % 500 == 0) stretch = !stretch;
    if ((nulls == 2 && random() % 4 == 0) || (nulls == 3 && stretch)) continue;
    text = std::string(random() % 100 == 0 ? random() % 3000 : random() % 20, static_cast<char>('a' + random() % 26));
  }
  return texts;
}

/// Runs of literals and of repeated levels, in turns of random lengths.
inline PageContent level_runs(std::mt19937& random, const Texts& texts) {
  PageContent out;
  for (size_t at = 0; at < texts.size();) {
    size_t same = at;
    while (same < texts.size() && texts[same].has_value() == texts[at].has_value()) ++same;
    if (random() % 2 == 0 && same - at >= 8) {
      out = out + repeated_run(same - at, texts[at] ? 1 : 0, 1);
      at = same;
      continue;
    }
    const size_t end = std::min(texts.size(), at + 8 * (1 + random() % 40));  // only the last run may be padded
    std::vector<uint64_t> levels;
    for (; at < end; ++at) levels.push_back(texts[at] ? 1 : 0);
    out = out + literal_run(levels, 1);
  }
  return out;
}

inline PageContent text_page(std::mt19937& random, const Texts& texts, bool nullable, bool v2) {
  PageContent values;
  for (const auto& text : texts) {
    if (!text) continue;
    const PageContent length = little_endian(text->size(), 4);
    values.insert(values.end(), length.begin(), length.end());
    values.insert(values.end(), text->begin(), text->end());
  }
  const PageContent levels = nullable ? level_runs(random, texts) : PageContent{};
  const auto rows = static_cast<int64_t>(texts.size());
  if (v2) return data_page_v2(rows, kPlain, levels, values);
  return data_page(rows, kPlain, nullable ? with_size(levels) + values : values);
}

/// What a plain decoder makes of a chunk of sound pages of PLAIN texts.
inline Texts texts_in(const PageContent& bytes, int64_t values, bool nullable) {
  Texts texts;
  walk_pages(text_chunk(bytes, values, nullable), [&](uint64_t, const StoredPage& page) {
    std::vector<bool> defined(static_cast<size_t>(page.values), true);
    HostBytes content;
    content.open(page.bytes, page.page_bytes);
    uint32_t at = 0;
    if (nullable) {
      const bool v2 = page.kind == kDataPageV2;
      HostBytes levels;
      const uint32_t level_bytes = v2 ? page.level_bytes : content.word(0);
      levels.open(v2 ? page.levels : page.bytes + 4, level_bytes);
      walk_runs(levels, 0, level_bytes, 1, page.values, [&](const Run& run, int64_t taken) {
        for (int64_t i = 0; i < taken; ++i) {
          defined[static_cast<size_t>(run.first + i)] =
              (run.literal ? literal_value(levels, run, 1, i) : repeated_value(levels, run)) != 0;
        }
        return true;
      });
      at = v2 ? 0 : 4 + level_bytes;
    }
    for (const bool one : defined) {
      if (!one) {
        texts.emplace_back();
        continue;
      }
      const uint32_t length = content.word(at);
      texts.emplace_back(std::string(page.bytes + at + 4, page.bytes + at + 4 + length));
      at += 4 + length;
    }
  });
  return texts;
}

}  // namespace weft::gpu::kernels
