#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// GLOB: * and ? and [a-z] and [!a], with \ before a character that stands for itself.
const char* const kGlobText = R"cuda(
FN i32 glob_character(Text t, i32 at, i32& bytes) {
  bytes = code_point_bytes(t.p[at]);
  return decode(t.p + at, bytes);
}
// Is c in the set at `in`, behind its bracket? `in` moves behind the set; `valid` is false when the set has no end.
CALL bool in_glob_set(i32 c, Text pattern, i32& in, bool& valid) {
  valid = false;
  if (in == pattern.n) return false;
  const bool inverted = pattern.p[in] == '!';
  if (inverted) ++in;
  const i32 start = in;
  bool found = false;
  while (in < pattern.n) {
    i32 bytes, next_bytes;
    const i32 low = glob_character(pattern, in, bytes);
    if (low == ']' && in > start) {
      ++in;
      valid = true;
      return found != inverted;
    }
    if (in + bytes >= pattern.n) return false;
    if (pattern.p[in + bytes] == '-' && in + bytes + 1 < pattern.n && pattern.p[in + bytes + 1] != ']') {
      const i32 high = glob_character(pattern, in + bytes + 1, next_bytes);
      found = found || (c >= low && c <= high);
      in += bytes + 1 + next_bytes;
    } else {
      found = found || c == low;
      in += bytes;
    }
  }
  return false;
}
CALL bool glob_match(Text t, Text pattern) {
  i32 at = 0, in = 0, star_at = -1, star_in = 0;
  while (at < t.n) {
    bool matched = false;
    i32 next = in, bytes = 1;
    if (in < pattern.n) {
      const char c = pattern.p[in];
      if (c == '*') {
        while (in < pattern.n && pattern.p[in] == '*') ++in;
        if (in == pattern.n) return true;
        star_at = at;
        star_in = in;
        continue;
      }
      next = in + 1;
      if (c == '?') {
        bytes = code_point_bytes(t.p[at]);
        matched = true;
      } else if (c == '[') {
        bool valid;
        const i32 here = glob_character(t, at, bytes);
        matched = in_glob_set(here, pattern, next, valid);
        if (!valid) return false;
      } else if (c == '\\') {
        if (++in == pattern.n) return false;
        matched = t.p[at] == pattern.p[in];
        next = in + 1;
      } else {
        matched = t.p[at] == c;
      }
    }
    if (matched) {
      at += bytes;
      in = next;
      continue;
    }
    if (star_at < 0) return false;
    star_at += code_point_bytes(t.p[star_at]);
    at = star_at;
    in = star_in;
  }
  while (in < pattern.n && pattern.p[in] == '*') ++in;
  return in == pattern.n;
}
)cuda";

}  // namespace weft::gpu::kernels
