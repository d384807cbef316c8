// The generated kernels' own library, as source text: a kernel includes no header, because headers cost NVRTC 800 ms.
// The text compiles as CUDA (NVRTC) and as host C++ (tests run generated code without a GPU). A generated source takes
// only the sections that it needs; a section comes after those that it builds on, in the order of the enum.
#pragma once

#include <cstdint>
#include <string>

namespace weft::gpu::kernels {

enum class Section : uint8_t {
  Core,        // types, kernel parameters, validity bits, failures, loads, the arena for new text
  Numbers,     // checked arithmetic of every width, powers of ten, float comparison, number casts
  Math,        // rounding and the libm functions
  Dates,       // calendar fields, truncation, intervals, timestamps
  Text,        // comparison, UTF-8, views: substring, trim
  Search,      // substring search, LIKE
  Unicode,     // lower and upper case of code points
  Compose,     // functions that make text in the arena
  Format,      // numbers and dates to text
  Big,         // integers of 1152 bits, the parts of a DOUBLE
  FloatText,   // FLOAT and DOUBLE to text
  Parse,       // text to integers, decimals and dates
  FloatParse,  // text to FLOAT and DOUBLE
  Integers,    // divisors, factorials, shifts
  Reshape,     // text that is padded, repeated, translated, escaped, cut out of paths
  Radix,       // numbers to text of other bases, sizes in words, bars
  Distance,    // how far two texts are apart
  Digest,      // MD5, SHA-1, SHA-256
  Calendar,    // dates and intervals of numbers, whole units, buckets, strftime
  Moments,     // strptime
  Grapheme,    // what a reader takes for one character
  Glob,        // GLOB
  Hash,        // hash()
};
inline constexpr unsigned kSections = 23;

/// The prelude with the given sections (a bit per Section) and what they build on. Core is always there.
std::string prelude(uint32_t sections);

// One string per section; they live in prelude_*.cpp.
extern const char* const kCoreText;
extern const char* const kNumbersText;
extern const char* const kMathText;
extern const char* const kDatesText;
extern const char* const kTextText;
extern const char* const kSearchText;
extern const char* const kUnicodeText;
extern const char* const kComposeText;
extern const char* const kFormatText;
extern const char* const kBigText;
extern const char* const kFloatTextText;
extern const char* const kParseText;
extern const char* const kFloatParseText;
extern const char* const kIntegersText;
extern const char* const kReshapeText;
extern const char* const kRadixText;
extern const char* const kDistanceText;
extern const char* const kDigestText;
extern const char* const kCalendarText;
extern const char* const kMomentsText;
extern const char* const kGraphemeText;
extern const char* const kGlobText;
extern const char* const kHashText;

}  // namespace weft::gpu::kernels
