#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// Text is valid UTF-8. Words are read aligned, so up to 7 bytes outside of a text are read (never used).
const char* const kTextText = R"cuda(
// The first n <= 8 bytes at p, little endian; the bytes above are zero.
FN u64 load8(const char* p, i32 n) {
  if (n <= 0) return 0;
  const u64 address = (u64)p;
  const u64* word = (const u64*)(address & ~7ull);
  const u32 shift = (u32)(address & 7) * 8;
  u64 x = *word >> shift;
  if (shift != 0 && 8 - (i32)(address & 7) < n) x |= word[1] << (64 - shift);
  return n < 8 ? x & ((1ull << (8 * n)) - 1) : x;
}
FN bool bytes_equal(const char* a, const char* b, i32 n) {
  for (i32 at = 0; at < n; at += 8) {
    if (load8(a + at, n - at) != load8(b + at, n - at)) return false;
  }
  return true;
}
FN bool text_equal(Text a, Text b) { return a.n == b.n && bytes_equal(a.p, b.p, a.n); }
CALL i32 text_compare(Text a, Text b) {
  const i32 n = a.n < b.n ? a.n : b.n;
  for (i32 at = 0; at < n; at += 8) {
    const u64 x = load8(a.p + at, n - at), y = load8(b.p + at, n - at);
    if (x == y) continue;
    const i32 shift = low_bit(x ^ y) & ~7;
    return (i32)((x >> shift) & 255) - (i32)((y >> shift) & 255);
  }
  return a.n - b.n;
}
template <class T> FN bool among_sorted(const T* values, i32 n, T x) {
  i32 low = 0;
  while (n > 0) {
    const i32 half = n >> 1;
    if (values[low + half] < x) {
      low += half + 1;
      n -= half + 1;
    } else if (values[low + half] == x) {
      return true;
    } else {
      n = half;
    }
  }
  return false;
}
CALL bool among_texts(Text pool, const i32* starts, i32 n, Text t) {
  i32 low = 0;
  while (n > 0) {
    const i32 half = n >> 1;
    const i32 begin = starts[low + half];
    const i32 order = text_compare(text(pool.p + begin, starts[low + half + 1] - begin), t);
    if (order == 0) return true;
    if (order < 0) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return false;
}
FN bool has_prefix(Text t, Text prefix) { return t.n >= prefix.n && bytes_equal(t.p, prefix.p, prefix.n); }
FN bool has_suffix(Text t, Text suffix) {
  return t.n >= suffix.n && bytes_equal(t.p + (t.n - suffix.n), suffix.p, suffix.n);
}
FN bool continues(char c) { return ((u8)c & 0xc0) == 0x80; }  // a byte inside a code point
FN i32 code_point_bytes(char first) {
  const u8 c = (u8)first;
  return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}
FN i32 decode(const char* p, i32 bytes) {
  const u8* q = (const u8*)p;
  if (bytes == 1) return q[0];
  if (bytes == 2) return ((q[0] & 0x1f) << 6) | (q[1] & 0x3f);
  if (bytes == 3) return ((q[0] & 0x0f) << 12) | ((q[1] & 0x3f) << 6) | (q[2] & 0x3f);
  return ((q[0] & 0x07) << 18) | ((q[1] & 0x3f) << 12) | ((q[2] & 0x3f) << 6) | (q[3] & 0x3f);
}
CALL i64 code_points(Text t) {
  i64 inside = 0;
  for (i32 at = 0; at < t.n; at += 8) {
    const u64 x = load8(t.p + at, t.n - at);
    inside += ones((x >> 7) & ~(x >> 6) & 0x0101010101010101ull);
  }
  return t.n - inside;
}
// The byte position of code point number `count`, at most the end.
CALL i32 skip_code_points(Text t, i64 count) {
  i32 at = 0;
  for (; count > 0 && at < t.n; --count) at += code_point_bytes(t.p[at]);
  return at < t.n ? at : t.n;
}
FN Text slice(Text t, i64 first, i64 count) {  // code points, from 0
  const i32 begin = skip_code_points(t, first);
  const Text rest = text(t.p + begin, t.n - begin);
  return text(rest.p, skip_code_points(rest, count));
}
// SQL's substring: position 1 is the first character, a negative one counts from the end, a negative length goes left.
CALL Text substring(Text t, i64 start, i64 length) {
  i64 first = start - 1;
  if (start < 0) first = code_points(t) + start;
  if (length < 0) {
    first += length;
    length = -length;
  }
  if (first < 0) {
    length += first;
    first = 0;
  }
  return length <= 0 ? text(t.p, 0) : slice(t, first, length);
}
FN Text substring_from(Text t, i64 start) { return substring(t, start, 2147483647); }
CALL Text left_of(Text t, i64 count) {
  if (count < 0) count += code_points(t);
  return slice(t, 0, count < 0 ? 0 : count);
}
CALL Text right_of(Text t, i64 count) {
  const i64 all = code_points(t);
  const i64 kept = count < 0 ? all + count : count;
  return kept <= 0 ? text(t.p, 0) : kept >= all ? t : slice(t, all - kept, kept);
}
FN bool is_space_separator(i32 c) {
  return c == 0x20 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000;
}
CALL Text trim_left(Text t) {
  i32 at = 0;
  while (at < t.n) {
    const i32 bytes = code_point_bytes(t.p[at]);
    if (!is_space_separator(decode(t.p + at, bytes))) break;
    at += bytes;
  }
  return text(t.p + at, t.n - at);
}
CALL Text trim_right(Text t) {
  while (t.n > 0) {
    i32 begin = t.n - 1;
    while (begin > 0 && continues(t.p[begin])) --begin;
    if (!is_space_separator(decode(t.p + begin, t.n - begin))) break;
    t.n = begin;
  }
  return t;
}
)cuda";

// The search for a literal of four bytes or more looks at four positions per aligned word (docs/performance.md).
const char* const kSearchText = R"cuda(
FN u32 funnel(u32 low, u32 high, u32 shift) {
#ifdef __CUDACC_RTC__
  return __funnelshift_r(low, high, shift);
#else
  return (u32)((((u64)high << 32) | low) >> shift);
#endif
}
// The first place of the literal in [p, end); null: none. Literals of 4 bytes or more; head = their first four.
CALL const char* find4(const char* p, const char* end, const char* literal, i32 n, u32 head) {
  const char* last = end - n;
  if (p > last) return 0;
  const u32* word = (const u32*)((u64)p & ~3ull);
  const char* base = (const char*)word;
  u32 low = *word;
  while (base <= last) {
    const u32 high = *++word;
    // A byte of the head that is in neither word's place cannot start a match: compare the four windows.
    const bool m0 = low == head, m1 = funnel(low, high, 8) == head, m2 = funnel(low, high, 16) == head,
               m3 = funnel(low, high, 24) == head;
    if (m0 | m1 | m2 | m3) {
      for (i32 k = 0; k < 4; ++k) {
        const char* at = base + k;
        if (!(k == 0 ? m0 : k == 1 ? m1 : k == 2 ? m2 : m3) || at < p || at > last) continue;
        if (bytes_equal(at + 4, literal + 4, n - 4)) return at;
      }
    }
    low = high;
    base += 4;
  }
  return 0;
}
CALL const char* find_short(const char* p, const char* end, const char* literal, i32 n) {
  for (const char* last = end - n; p <= last; ++p) {
    i32 k = 0;
    while (k < n && p[k] == literal[k]) ++k;
    if (k == n) return p;
  }
  return 0;
}
CALL const char* find(const char* p, const char* end, const char* literal, i32 n) {
  if (n < 4) return find_short(p, end, literal, n);
  return find4(p, end, literal, n, (u32)load8(literal, 4));
}
FN bool has_text(Text t, Text part) { return find(t.p, t.p + t.n, part.p, part.n) != 0 || part.n == 0; }
FN i64 text_position(Text t, Text part) {
  if (part.n == 0) return 1;
  const char* const at = find(t.p, t.p + t.n, part.p, part.n);
  return at == 0 ? 0 : code_points(text(t.p, at - t.p)) + 1;
}
// LIKE with any pattern. escape: a byte, or -1. True if the pattern ends in its escape character.
CALL bool like_match(Text t, Text pattern, i32 escape, bool& matched) {
  i32 at = 0, in = 0, star_at = -1, star_in = 0;
  matched = false;
  for (;;) {
    if (in < pattern.n && escape >= 0 && (u8)pattern.p[in] == (u32)escape) {
      if (in + 1 == pattern.n) return true;
      if (at < t.n && t.p[at] == pattern.p[in + 1]) {
        ++at;
        in += 2;
        continue;
      }
    } else if (in < pattern.n && pattern.p[in] == '%') {
      star_at = at;
      star_in = ++in;
      continue;
    } else if (in < pattern.n && at < t.n && pattern.p[in] == '_') {
      at += code_point_bytes(t.p[at]);
      ++in;
      continue;
    } else if (in < pattern.n && at < t.n && t.p[at] == pattern.p[in]) {
      ++at;
      ++in;
      continue;
    } else if (in == pattern.n && at == t.n) {
      matched = true;
      return false;
    }
    if (star_at < 0 || star_at >= t.n) return false;
    star_at += code_point_bytes(t.p[star_at]);
    at = star_at;
    in = star_in;
  }
}
)cuda";

}  // namespace weft::gpu::kernels
