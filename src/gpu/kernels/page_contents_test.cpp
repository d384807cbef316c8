#include "gpu/kernels/page_contents.hpp"

#include <gtest/gtest.h>

#include <random>

#include "gpu/kernels/guarded_bytes.hpp"
#include "gpu/kernels/page_content_writer.hpp"
#include "gpu/kernels/page_contents_host.hpp"

namespace weft::gpu::kernels {
namespace {

struct Column {
  PhysicalType type = PhysicalType::Int32;
  bool nullable = false;
  uint32_t type_length = 0;
  bool text = false;
};
constexpr Column kInts{PhysicalType::Int32};
constexpr Column kNullableInts{PhysicalType::Int32, true};
constexpr Column kBigInts{PhysicalType::Int64};
constexpr Column kTexts{PhysicalType::ByteArray, false, 0, true};
constexpr Column kNullableTexts{PhysicalType::ByteArray, true, 0, true};
constexpr Column kFlags{PhysicalType::Boolean};
constexpr Column kFixedTexts{PhysicalType::FixedLenByteArray, false, 5, true};
constexpr Column kDecimals{PhysicalType::FixedLenByteArray, false, 5, false};

PageProblem problem(const Column& column, int64_t values, const PageContent& pages) {
  const GuardedBytes bytes(pages);
  return contents_problem_on_host({bytes.data(), bytes.size(), values, column.type, PageCodec::None, column.type_length,
                                   column.nullable, column.text})
      .second;
}

PageContent zeros(size_t size) { return PageContent(size, 0); }
std::vector<uint64_t> numbers(size_t count) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < count; ++i) out.push_back(i % 2);
  return out;
}

TEST(PageContents, Levels) {
  const auto v1 = [](const PageContent& levels, size_t bytes, int64_t values = 20, int encoding = kRle) {
    return problem(kNullableInts, values, data_page(values, kPlain, levels + zeros(bytes), encoding));
  };
  const PageContent all = with_size(repeated_run(20, 1, 1));
  const PageContent none = with_size(repeated_run(20, 0, 1));
  const PageContent half = with_size(literal_run(numbers(20), 1));
  EXPECT_EQ(v1(all, 80), PageProblem::None);
  EXPECT_EQ(v1(all, 79), PageProblem::TooShort);
  EXPECT_EQ(v1(none, 0), PageProblem::None);
  EXPECT_EQ(v1(half, 40), PageProblem::None);
  EXPECT_EQ(v1(half, 39), PageProblem::TooShort);
  EXPECT_EQ(v1(with_size(repeated_run(5, 1, 1) + repeated_run(0, 1, 1) + literal_run(numbers(15), 1)), 48),
            PageProblem::None);
  EXPECT_EQ(v1(with_size(repeated_run(20, 0, 1) + zeros(3)), 0), PageProblem::None) << "padding";
  EXPECT_EQ(v1(all, 80, 20, 4), PageProblem::Levels) << "BIT_PACKED";
  EXPECT_EQ(v1(zeros(4), 0), PageProblem::Levels) << "no levels";
  EXPECT_EQ(v1({}, 0), PageProblem::Levels);
  EXPECT_EQ(v1(zeros(4), 80), PageProblem::Levels) << "a size of 0";
  EXPECT_EQ(v1(little_endian(200, 4), 80), PageProblem::Levels);
  EXPECT_EQ(v1(little_endian(0xffffffff, 4), 80), PageProblem::Levels);
  EXPECT_EQ(v1(with_size(repeated_run(19, 0, 1)), 80), PageProblem::Levels) << "a level is missing";
  EXPECT_EQ(v1(with_size(literal_run(numbers(16), 1)), 80), PageProblem::Levels);
  EXPECT_EQ(v1(with_size(repeated_run(20, 2, 1)), 80), PageProblem::Levels) << "a level of 2";
  EXPECT_EQ(v1(with_size(varint(20 << 1)), 80), PageProblem::Levels) << "a run without its value";
  EXPECT_EQ(v1(with_size({7, 0, 0}), 80), PageProblem::Levels) << "literals that are not there";
  EXPECT_EQ(v1(with_size({0x80, 0x80}), 80), PageProblem::Levels) << "half a varint";
  EXPECT_EQ(v1(with_size(repeated_run(20, 1, 1) + PageContent{0xff, 0xff, 0xff, 0xff, 0x0f}), 80), PageProblem::Levels);
  EXPECT_EQ(v1(with_size(repeated_run(20, 1, 1) + varint(uint64_t{0x7fffffff})), 80), PageProblem::Levels)
      << "a run of more than an int32_t";
  const PageContent long_run = repeated_run(0x3fffffff, 1, 1);
  EXPECT_EQ(v1(with_size(repeated_run(20, 1, 1) + long_run), 80), PageProblem::None);
  EXPECT_EQ(v1(with_size(repeated_run(20, 1, 1) + long_run + long_run), 80), PageProblem::Levels)
      << "runs of more than an int32_t";
  EXPECT_EQ(v1(with_size(PageContent{1} + literal_run(numbers(20), 1)), 40), PageProblem::Levels) << "an empty run";
}

TEST(PageContents, LevelsOfV2) {
  const auto v2 = [](const Column& column, const PageContent& levels, size_t bytes) {
    return problem(column, 20, data_page_v2(20, kPlain, levels, zeros(bytes)));
  };
  EXPECT_EQ(v2(kNullableInts, literal_run(numbers(20), 1), 40), PageProblem::None);
  EXPECT_EQ(v2(kNullableInts, literal_run(numbers(20), 1), 39), PageProblem::TooShort);
  EXPECT_EQ(v2(kNullableInts, {}, 80), PageProblem::Levels);
  EXPECT_EQ(v2(kNullableInts, repeated_run(19, 1, 1), 80), PageProblem::Levels);
  EXPECT_EQ(v2(kInts, {}, 80), PageProblem::None);
  EXPECT_EQ(v2(kInts, repeated_run(20, 1, 1), 80), PageProblem::None) << "levels that nobody needs";
}

TEST(PageContents, PlainValues) {
  const auto plain = [](const Column& column, const PageContent& content, int encoding = kPlain) {
    return problem(column, 20, data_page(20, encoding, content));
  };
  EXPECT_EQ(plain(kInts, zeros(80)), PageProblem::None);
  EXPECT_EQ(plain(kInts, zeros(79)), PageProblem::TooShort);
  EXPECT_EQ(plain(kBigInts, zeros(159)), PageProblem::TooShort);
  EXPECT_EQ(plain(kBigInts, zeros(160), kByteStreamSplit), PageProblem::None);
  EXPECT_EQ(plain(kBigInts, zeros(159), kByteStreamSplit), PageProblem::TooShort);
  EXPECT_EQ(plain(kFixedTexts, zeros(100)), PageProblem::None);
  EXPECT_EQ(plain(kFixedTexts, zeros(99)), PageProblem::TooShort);
  EXPECT_EQ(plain(kDecimals, zeros(99)), PageProblem::TooShort);
  EXPECT_EQ(plain(kFlags, zeros(3)), PageProblem::None);
  EXPECT_EQ(plain(kFlags, zeros(2)), PageProblem::TooShort);
  EXPECT_EQ(plain(kFlags, with_size(repeated_run(20, 1, 1)), kRle), PageProblem::None);
  EXPECT_EQ(plain(kFlags, with_size(repeated_run(19, 1, 1)), kRle), PageProblem::TooShort);
  EXPECT_EQ(plain(kFlags, zeros(3), kRle), PageProblem::TooShort);
  EXPECT_EQ(plain(kFlags, little_endian(3, 4) + repeated_run(20, 1, 1), kRle), PageProblem::TooShort);
  EXPECT_EQ(plain(kFlags, little_endian(0xfffffff0, 4) + repeated_run(20, 1, 1), kRle), PageProblem::TooShort);
}

TEST(PageContents, PlainTexts) {
  const auto plain = [](int64_t values, const PageContent& content) {
    return problem(kTexts, values, data_page(values, kPlain, content));
  };
  EXPECT_EQ(plain(3, plain_texts({"", "one", "another"})), PageProblem::None);
  EXPECT_EQ(plain(3, plain_texts({"", "one", "another"}) + zeros(1)), PageProblem::None);
  EXPECT_EQ(plain(4, plain_texts({"", "one", "another"})), PageProblem::Lengths);
  EXPECT_EQ(plain(1, little_endian(4, 4) + zeros(3)), PageProblem::Lengths);
  EXPECT_EQ(plain(1, little_endian(0xffffffff, 4) + zeros(3)), PageProblem::Lengths);
  EXPECT_EQ(plain(1, zeros(3)), PageProblem::Lengths);
  const PageContent levels = with_size(literal_run({1, 0, 1, 0, 0}, 1));
  EXPECT_EQ(problem(kNullableTexts, 5, data_page(5, kPlain, levels + plain_texts({"a", "b"}))), PageProblem::None);
  EXPECT_EQ(problem(kNullableTexts, 5, data_page(5, kPlain, levels + plain_texts({"a"}))), PageProblem::Lengths);
}

TEST(PageContents, Dictionaries) {
  const auto chunk = [](const Column& column, int64_t entries, const PageContent& dictionary, uint32_t width,
                        const PageContent& runs) {
    return problem(column, 20,
                   dictionary_page(entries, dictionary) +
                       data_page(20, kRleDictionary, PageContent{static_cast<uint8_t>(width)} + runs));
  };
  const PageContent texts = plain_texts({"one", "another"});
  const PageContent runs = literal_run(numbers(20), 1);
  EXPECT_EQ(chunk(kTexts, 2, texts, 1, runs), PageProblem::None);
  EXPECT_EQ(chunk(kTexts, 3, texts, 1, runs), PageProblem::Entries);
  EXPECT_EQ(chunk(kTexts, 1, little_endian(100, 4) + zeros(9), 1, runs), PageProblem::Entries);
  EXPECT_EQ(chunk(kTexts, 1, little_endian(0xffffffff, 4) + zeros(9), 1, runs), PageProblem::Entries);
  EXPECT_EQ(chunk(kTexts, 9, texts, 1, runs), PageProblem::Dictionary) << "more than there is room for";
  EXPECT_EQ(chunk(kTexts, 0, texts, 1, runs), PageProblem::Indices) << "no entries";
  EXPECT_EQ(chunk(kInts, 2, zeros(8), 1, runs), PageProblem::None);
  EXPECT_EQ(chunk(kInts, 2, zeros(7), 1, runs), PageProblem::Entries);
  EXPECT_EQ(chunk(kInts, 2, zeros(9), 1, runs), PageProblem::Entries);
  EXPECT_EQ(chunk(kInts, 3, zeros(8), 1, runs), PageProblem::Entries);
  EXPECT_EQ(chunk(kDecimals, 2, zeros(10), 1, runs), PageProblem::None);
  EXPECT_EQ(chunk(kDecimals, 2, zeros(9), 1, runs), PageProblem::Entries);
  EXPECT_EQ(chunk(kFixedTexts, 2, zeros(10), 1, runs), PageProblem::None);
}

TEST(PageContents, DictionaryIndices) {
  const PageContent texts = dictionary_page(2, plain_texts({"one", "another"}));
  const PageContent ints = dictionary_page(2, zeros(8));
  const auto of = [](const Column& column, const PageContent& dictionary, const PageContent& content) {
    return problem(column, 20, dictionary + data_page(20, kRleDictionary, content));
  };
  const auto both = [&](const PageContent& content) {
    const PageProblem found = of(kTexts, texts, content);
    EXPECT_EQ(found, of(kInts, ints, content));
    return found;
  };
  EXPECT_EQ(both(PageContent{1} + repeated_run(20, 1, 1)), PageProblem::None);
  EXPECT_EQ(both(PageContent{12} + literal_run(numbers(12), 12) + repeated_run(8, 1, 12)), PageProblem::None);
  EXPECT_EQ(both({}), PageProblem::Indices) << "no width";
  EXPECT_EQ(both(PageContent{33} + literal_run(numbers(20), 33)), PageProblem::Indices);
  EXPECT_EQ(both(PageContent{1} + repeated_run(19, 1, 1)), PageProblem::Indices) << "one is missing";
  EXPECT_EQ(both(PageContent{12} + varint(20 << 1) + PageContent{1}), PageProblem::Indices) << "half a value";
  EXPECT_EQ(both(PageContent{12} + varint(3 << 1 | 1) + zeros(29)), PageProblem::Indices);
  EXPECT_EQ(both(PageContent{12} + varint(3 << 1 | 1) + zeros(30)), PageProblem::None) << "the 20 that are needed";
  EXPECT_EQ(both(PageContent{12} + repeated_run(20, 1, 12) + varint(uint64_t{1} << 29 | 1)), PageProblem::Indices)
      << "a run whose bytes are no int32_t";
  EXPECT_EQ(of(kTexts, texts, PageContent{1} + repeated_run(20, 2, 1)), PageProblem::Indices) << "wider than the width";
  EXPECT_EQ(of(kInts, ints, PageContent{1} + repeated_run(20, 2, 1)), PageProblem::None);
  EXPECT_EQ(of(kInts, ints, {0}), PageProblem::None);
  EXPECT_EQ(of(kTexts, texts, {0}), PageProblem::Indices) << "texts need runs";
  EXPECT_EQ(of(kTexts, texts, PageContent{0} + repeated_run(20, 0, 0)), PageProblem::None);
  EXPECT_EQ(of(kTexts, texts, PageContent{0} + repeated_run(19, 0, 0)), PageProblem::Indices);
  EXPECT_EQ(of(kTexts, texts, PageContent{25} + literal_run(numbers(20), 25)), PageProblem::None);
  EXPECT_EQ(of(kTexts, texts, PageContent{25} + literal_run({1, 0, 2}, 25) + repeated_run(20, 0, 25)),
            PageProblem::Indices);
  EXPECT_EQ(of(kTexts, texts, PageContent{25} + repeated_run(20, 2, 25)), PageProblem::Indices);
  EXPECT_EQ(of(kInts, ints, PageContent{25} + repeated_run(20, 2, 25)), PageProblem::None);
}

TEST(PageContents, TextsOfADictionaryAreNotTooLongTogether) {
  const PageContent dictionary = dictionary_page(2, plain_texts({std::string(1 << 20, 'a'), "b"}));
  const auto of = [&](uint64_t long_ones, uint64_t short_ones) {
    const auto values = static_cast<int64_t>(long_ones + short_ones);
    return problem(
        kTexts, values,
        dictionary + data_page(values, kRleDictionary,
                               PageContent{1} + repeated_run(long_ones, 0, 1) + repeated_run(short_ones, 1, 1)));
  };
  EXPECT_EQ(of(2047, 0), PageProblem::None);
  EXPECT_EQ(of(2048, 0), PageProblem::TooLong);
  EXPECT_EQ(of(2047, 100000), PageProblem::None) << "the bound is passed, the sum is not";
  EXPECT_EQ(of(2047, 1 << 20), PageProblem::TooLong);
  EXPECT_EQ(problem({PhysicalType::FixedLenByteArray, true, 1000, true}, 3000000,
                    data_page(3000000, kPlain, with_size(repeated_run(3000000, 0, 1)))),
            PageProblem::TooLong);
}

TEST(PageContents, Deltas) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 300; ++i) values.push_back(i * i % 1000 - 300);
  const auto of = [](int64_t needed, const PageContent& content) {
    return problem(kBigInts, needed, data_page(needed, kDeltaBinaryPacked, content));
  };
  const PageContent good = deltas(values);
  EXPECT_EQ(of(300, good), PageProblem::None);
  EXPECT_EQ(of(301, good), PageProblem::Deltas);
  EXPECT_EQ(of(300, deltas(values, 2, 64)), PageProblem::None);
  EXPECT_EQ(of(300, deltas(values, 16, 8)), PageProblem::Deltas) << "not as the format has it";
  EXPECT_EQ(of(300, deltas(values, 8, 256)), PageProblem::NotReadable) << "as DuckDB writes it";
  EXPECT_EQ(problem(kNullableInts, 20, data_page(20, kDeltaBinaryPacked, with_size(repeated_run(20, 0, 1)))),
            PageProblem::NotReadable)
      << "no value: pyarrow writes nothing then";
  EXPECT_EQ(of(1, deltas({7})), PageProblem::None);
  EXPECT_EQ(of(1, deltas({})), PageProblem::Deltas);
  EXPECT_EQ(of(1, {}), PageProblem::Deltas);
  EXPECT_EQ(of(1, {0, 4, 1, 0}), PageProblem::Deltas) << "empty blocks";
  EXPECT_EQ(of(1, {0x80, 1, 0, 1, 0}), PageProblem::Deltas) << "no miniblocks";
  EXPECT_EQ(of(1, {0x80, 1, 3, 1, 0}), PageProblem::Deltas) << "not a multiple";
  EXPECT_EQ(of(1, {0x80, 1, 4, 1, 0x80}), PageProblem::Deltas) << "half a varint";
  EXPECT_EQ(of(1, varint(128) + varint(4) + varint(uint64_t{1} << 31) + zigzag(0)), PageProblem::Deltas);
  EXPECT_EQ(of(1, varint(128) + varint(4) + PageContent(9, 0xff) + PageContent{2, 0}), PageProblem::Deltas)
      << "more than 64 bits";
  const PageContent head = varint(128) + varint(4) + varint(200) + zigzag(0);
  EXPECT_EQ(of(200, head), PageProblem::Deltas) << "no block";
  EXPECT_EQ(of(200, head + zigzag(0) + zeros(3)), PageProblem::Deltas) << "not all widths";
  EXPECT_EQ(of(200, head + zigzag(0) + zeros(4)), PageProblem::Deltas) << "not all blocks";
  EXPECT_EQ(of(200, head + zigzag(0) + zeros(4) + zigzag(0) + zeros(4)), PageProblem::None);
  EXPECT_EQ(of(200, head + zigzag(0) + PageContent{65, 0, 0, 0} + zeros(300)), PageProblem::Deltas);
}

TEST(PageContents, DeltaLengths) {
  std::vector<int64_t> lengths;
  size_t characters = 0;
  for (int64_t i = 0; i < 300; ++i) {
    lengths.push_back(i * 7 % 50);
    characters += static_cast<size_t>(lengths.back());
  }
  const auto of = [](int64_t needed, const PageContent& content) {
    return problem(kTexts, needed, data_page(needed, kDeltaLengthByteArray, content));
  };
  EXPECT_EQ(of(300, deltas(lengths) + zeros(characters)), PageProblem::None);
  EXPECT_EQ(of(300, deltas(lengths, 2, 64) + zeros(characters)), PageProblem::None);
  EXPECT_EQ(of(300, deltas(lengths) + zeros(characters - 1)), PageProblem::Deltas);
  EXPECT_EQ(of(301, deltas(lengths) + zeros(characters)), PageProblem::Deltas);
  EXPECT_EQ(of(300, deltas(lengths, 8, 16) + zeros(characters)), PageProblem::Deltas);
  EXPECT_EQ(of(300, deltas(lengths, 1, 128) + zeros(characters)), PageProblem::NotReadable);
  EXPECT_EQ(of(2, deltas({3, -1}) + zeros(100)), PageProblem::Deltas);
  EXPECT_EQ(of(2, deltas({-1, 3}) + zeros(100)), PageProblem::Deltas);
  EXPECT_EQ(of(2, deltas({3, int64_t{1} << 31}) + zeros(100)), PageProblem::Deltas);
  EXPECT_EQ(of(1, deltas({3, 200}) + zeros(100)), PageProblem::None) << "the second is not needed";
  EXPECT_EQ(of(300, deltas({0, 5}) + zeros(characters)), PageProblem::Deltas);
  const PageContent section = deltas(lengths);
  EXPECT_EQ(of(300, PageContent(section.begin(), section.end() - 1)), PageProblem::Deltas);
}

TEST(PageContents, DeltaTexts) {
  const auto of = [](const Column& column, const std::vector<int64_t>& prefixes, const std::vector<int64_t>& suffixes,
                     size_t characters) {
    const auto needed = static_cast<int64_t>(prefixes.size());
    return problem(column, needed,
                   data_page(needed, kDeltaByteArray, deltas(prefixes) + deltas(suffixes) + zeros(characters)));
  };
  EXPECT_EQ(of(kTexts, {0, 2, 3, 0}, {5, 1, 4, 6}, 16), PageProblem::None);
  EXPECT_EQ(of(kTexts, {0, 2, 3, 0}, {5, 1, 4, 6}, 15), PageProblem::Deltas);
  EXPECT_EQ(of(kTexts, {1, 2, 3, 0}, {5, 1, 4, 6}, 16), PageProblem::Deltas) << "a prefix of nothing";
  EXPECT_EQ(of(kTexts, {0, 6, 3, 0}, {5, 1, 4, 6}, 16), PageProblem::Deltas) << "longer than the text before";
  EXPECT_EQ(of(kTexts, {0, 2, 4, 0}, {5, 1, 4, 6}, 16), PageProblem::Deltas);
  EXPECT_EQ(of(kTexts, {0, 2, -1, 0}, {5, 1, 4, 6}, 16), PageProblem::Deltas);
  EXPECT_EQ(of(kTexts, {0, 2, 3, 0}, {5, 1, -4, 6}, 16), PageProblem::Deltas);
  EXPECT_EQ(of(kTexts, {0, 2, 3, 0}, {5, 1, 4}, 16), PageProblem::Deltas) << "one is missing";
  EXPECT_EQ(of(kFixedTexts, {0, 2, 3, 0}, {5, 3, 2, 5}, 15), PageProblem::None);
  EXPECT_EQ(of(kFixedTexts, {0, 2, 3, 0}, {5, 3, 1, 5}, 15), PageProblem::Deltas);
  EXPECT_EQ(of(kFixedTexts, {0}, {4}, 15), PageProblem::Deltas);
  EXPECT_EQ(of(kDecimals, {0}, {5}, 15), PageProblem::NotReadable);
  EXPECT_EQ(problem(kTexts, 2, data_page(2, kDeltaByteArray, deltas({0, 1}, 4, 32) + deltas({2, 1}, 2, 64) + zeros(9))),
            PageProblem::Deltas)
      << "sections of different blocks";
  std::vector<int64_t> prefixes(3000, 1000000);
  std::vector<int64_t> suffixes(3000, 0);
  prefixes[0] = 0;
  suffixes[0] = 1000000;
  EXPECT_EQ(of(kTexts, prefixes, suffixes, 1000000), PageProblem::TooLong);
}

/// A chunk of each form.
std::vector<std::pair<Column, std::pair<int64_t, PageContent>>> sound_chunks() {
  std::mt19937 random(5);
  std::vector<std::string> words;
  std::vector<int64_t> lengths;
  std::vector<int64_t> prefixes = {0};
  for (int i = 0; i < 100; ++i) {
    words.emplace_back(random() % 20, 'x');
    lengths.push_back(static_cast<int64_t>(words.back().size()));
    if (i > 0) prefixes.push_back(0);
  }
  std::string all;
  for (const std::string& word : words) all += word;
  const PageContent characters(all.begin(), all.end());
  std::vector<uint64_t> indices;
  std::vector<uint64_t> defined(120, 0);
  for (int i = 0; i < 100; ++i) indices.push_back(random() % 100);
  for (int i = 0; i < 100; ++i) defined[static_cast<size_t>(i + i / 5)] = 1;
  const PageContent levels =
      literal_run({defined.begin(), defined.begin() + 40}, 1) + literal_run({defined.begin() + 40, defined.end()}, 1);
  const PageContent runs = PageContent{7} + literal_run({indices.begin(), indices.begin() + 40}, 7) +
                           repeated_run(3, 5, 7) + literal_run({indices.begin() + 43, indices.end()}, 7);
  const PageContent dictionary = dictionary_page(100, plain_texts(words));
  return {
      {kNullableTexts, {120, dictionary + data_page(120, kRleDictionary, with_size(levels) + runs)}},
      {kNullableTexts, {120, dictionary + data_page_v2(120, kRleDictionary, levels, runs)}},
      {kNullableInts, {120, dictionary_page(100, zeros(400)) + data_page_v2(120, kRleDictionary, levels, runs)}},
      {kNullableTexts, {120, data_page(120, kPlain, with_size(levels) + plain_texts(words))}},
      {kNullableTexts, {120, data_page_v2(120, kDeltaLengthByteArray, levels, deltas(lengths) + characters)}},
      {kTexts, {100, data_page(100, kDeltaByteArray, deltas(prefixes) + deltas(lengths) + characters)}},
      {kNullableInts, {120, data_page(120, kDeltaBinaryPacked, with_size(levels) + deltas(lengths))}},
      {kFlags, {100, data_page(100, kRle, with_size(literal_run(defined, 1)))}},
  };
}

TEST(PageContents, DamageIsNeverReadPastTheEnd) {
  std::mt19937 random(6);
  for (const auto& [column, chunk] : sound_chunks()) {
    ASSERT_EQ(problem(column, chunk.first, chunk.second), PageProblem::None);
    unsigned noticed = 0;
    for (unsigned i = 0; i < 20000; ++i) {
      PageContent damaged = chunk.second;
      for (unsigned n = 1 + random() % 3; n > 0; --n) {
        const size_t place = random() % (i % 2 == 0 ? damaged.size() : std::min<size_t>(60, damaged.size()));
        damaged[place] = static_cast<uint8_t>(i % 4 < 2 ? random() : damaged[place] ^ (1U << random() % 8));
      }
      if (problem(column, chunk.first, damaged) != PageProblem::None) ++noticed;
    }
    EXPECT_GT(noticed, 2000U);
  }
}

}  // namespace
}  // namespace weft::gpu::kernels
