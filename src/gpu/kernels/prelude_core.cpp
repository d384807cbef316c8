#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// Head, In and Out are the kernel's parameters: all fields are 8 bytes, in the order that expr/kernel_parameters.cpp
// writes them.
const char* const kCoreText = R"cuda(
#ifdef __CUDACC_RTC__
#define FN static __device__ __forceinline__
#define CALL static __device__ __noinline__
#define TABLE static __device__ const
#define RANGE_FN __device__ __forceinline__ constexpr
#else
#include <cmath>
#include <cstring>
#define FN static inline
#define CALL static
#define TABLE static const
#define RANGE_FN inline constexpr
#endif
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef __int128 i128;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef float f32;
typedef double f64;

struct Head {
  i64 rows;
  u64* failure;    // the smallest (row << 16 | slot) that failed
  u64* counts;     // one per output: NULLs of a column, TRUEs of a mask
  u64* arena_used; // bytes of new text asked for, also beyond arena_bytes
  char* arena;
  u64 arena_bytes;
};
struct In {
  const void* data;  // text: the offsets
  const u32* valid;  // null: no NULLs
  const char* chars;
  u64 wide;          // text: offsets have 64 bits
};
struct Out {
  void* data;  // text: pairs of pointer and length
  u32* valid;  // null: this output has no NULLs
};
struct Text {
  const char* p;
  i32 n;
};
struct Span {  // an INTERVAL
  i32 months, days;
  i64 micros;
};

FN void fail(const Head& h, i64 row, u32 slot) {
  const u64 where = ((u64)row << 16) | slot;
#ifdef __CUDACC_RTC__
  atomicMin(h.failure, where);
#else
  if (where < *h.failure) *h.failure = where;
#endif
}
FN bool is_valid(const In& c, i64 i) { return c.valid == 0 || ((c.valid[i >> 5] >> (i & 31)) & 1u) != 0; }
template <class T>
FN T load(const In& c, i64 i) {
  return ((const T*)c.data)[i];
}
FN Text load_text(const In& c, i64 i) {
  i64 begin, end;
  if (c.wide) {
    begin = ((const i64*)c.data)[i];
    end = ((const i64*)c.data)[i + 1];
  } else {
    begin = ((const i32*)c.data)[i];
    end = ((const i32*)c.data)[i + 1];
  }
  Text t;
  t.p = c.chars + begin;
  t.n = (i32)(end - begin);
  return t;
}
FN i128 make128(u64 low, u64 high) { return (i128)(((u128)high << 64) | low); }
FN f64 as_f64(u64 bits) {
#ifdef __CUDACC_RTC__
  return __longlong_as_double((i64)bits);
#else
  f64 x;
  memcpy(&x, &bits, 8);
  return x;
#endif
}
FN i64 bits_of(f64 x) {
#ifdef __CUDACC_RTC__
  return __double_as_longlong(x);
#else
  i64 b;
  memcpy(&b, &x, 8);
  return b;
#endif
}
FN i32 bits_of(f32 x) {
#ifdef __CUDACC_RTC__
  return __float_as_int(x);
#else
  i32 b;
  memcpy(&b, &x, 4);
  return b;
#endif
}
FN f32 as_f32(i32 bits) {
#ifdef __CUDACC_RTC__
  return __int_as_float(bits);
#else
  f32 x;
  memcpy(&x, &bits, 4);
  return x;
#endif
}
FN i32 low_bit(u64 x) {
#ifdef __CUDACC_RTC__
  return __ffsll((i64)x) - 1;
#else
  return __builtin_ctzll(x);
#endif
}
FN i32 ones(u64 x) {
#ifdef __CUDACC_RTC__
  return __popcll(x);
#else
  return __builtin_popcountll(x);
#endif
}
FN Text text(const char* p, i64 n) {
  Text t;
  t.p = p;
  t.n = (i32)n;
  return t;
}
// Room for n bytes of new text; null if the arena is full: the host then runs the kernel again with arena_used bytes.
CALL char* arena_take(const Head& h, i64 n) {
  if (n <= 0) return h.arena;
  u64 at;
#ifdef __CUDACC_RTC__
  const u32 active = __activemask();
  const int lane = threadIdx.x & 31;
  u64 before = 0, total = 0;
  for (u32 rest = active; rest; rest &= rest - 1) {
    const int other = __ffs(rest) - 1;
    const u64 bytes = __shfl_sync(active, (u64)n, other);
    if (other < lane) before += bytes;
    total += bytes;
  }
  const int leader = __ffs(active) - 1;
  u64 base = 0;
  if (lane == leader) base = atomicAdd(h.arena_used, total);
  at = __shfl_sync(active, base, leader) + before;
#else
  at = *h.arena_used;
  *h.arena_used += (u64)n;
#endif
  return at + (u64)n <= h.arena_bytes ? h.arena + at : 0;
}
#ifdef __CUDACC_RTC__
FN void store_valid(const Out& out, i64 i, i64 rows, bool live, bool ok, u32& nulls) {
  const u32 word = __ballot_sync(~0u, live && ok);
  const u32 lives = __ballot_sync(~0u, live);
  if ((threadIdx.x & 31) == 0 && i < rows) {
    out.valid[i >> 5] = word;
    nulls += __popc(lives & ~word);
  }
}
#else
FN void store_valid(const Out& out, i64 i, bool ok, u64& nulls) {
  const u32 bit = 1u << (i & 31);
  if (ok) {
    out.valid[i >> 5] |= bit;
  } else {
    out.valid[i >> 5] &= ~bit;
    ++nulls;
  }
}
#endif
FN void store_text(const Out& out, i64 i, Text t, bool ok, const Head& h) {
  Text stored = t;
  if (!ok) {
    stored.p = 0;
    stored.n = 0;
  } else if (stored.n == 0 || stored.p == 0) {
    stored.p = (const char*)h.failure;  // any address that is not null: text without bytes is not NULL
    stored.n = 0;
  }
  ((Text*)out.data)[i] = stored;
}
)cuda";

std::string prelude(uint32_t sections) {
  struct Entry {
    const char* text;
    uint32_t builds_on;
  };
  const auto bit = [](Section s) { return 1u << static_cast<unsigned>(s); };
  const Entry entries[kSections] = {
      {kCoreText, 0},
      {kNumbersText, 0},
      {kMathText, bit(Section::Numbers)},
      {kDatesText, bit(Section::Numbers)},
      {kTextText, 0},
      {kSearchText, bit(Section::Text)},
      {kUnicodeText, bit(Section::Text) | bit(Section::Search)},
      {kComposeText, bit(Section::Text) | bit(Section::Search) | bit(Section::Unicode)},
      {kFormatText, bit(Section::Text) | bit(Section::Dates)},
      {kBigText, 0},
      {kFloatTextText, bit(Section::Format) | bit(Section::Big)},
      {kParseText, bit(Section::Text) | bit(Section::Dates)},
      {kFloatParseText, bit(Section::Parse) | bit(Section::Big)},
      {kIntegersText, bit(Section::Numbers)},
      {kReshapeText, bit(Section::Compose)},
      {kRadixText, bit(Section::Format) | bit(Section::Compose)},
      {kDistanceText, bit(Section::Text)},
      {kDigestText, bit(Section::Compose)},
      {kCalendarText, bit(Section::Dates)},
      {kMomentsText, bit(Section::Text) | bit(Section::Calendar)},
      {kGraphemeText, bit(Section::Compose)},
      {kGlobText, bit(Section::Text)},
      {kHashText, bit(Section::Text) | bit(Section::Numbers)},
  };
  for (unsigned i = kSections; i-- > 0;) {
    if ((sections & (1u << i)) != 0) sections |= entries[i].builds_on;
  }
  std::string source;
  for (unsigned i = 0; i < kSections; ++i) {
    if (i == 0 || (sections & (1u << i)) != 0) source += entries[i].text;
  }
  return source;
}

}  // namespace weft::gpu::kernels
