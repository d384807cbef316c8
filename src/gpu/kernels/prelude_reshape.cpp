#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// A function that gives a bool gives true where DuckDB raises, or where the text would be longer than a column holds.
const char* const kReshapeText = R"cuda(
#define TEXT_MOST 2147483647ll
CALL bool repeat_text(const Head& h, Text t, i64 count, Text& r) {
  r = text(t.p, 0);
  if (count <= 0 || t.n == 0) return false;
  if (count > TEXT_MOST / t.n) return true;
  char* const out = arena_take(h, count * t.n);
  if (out == 0) return false;
  char* to = out;
  for (i64 k = 0; k < count; ++k) to = put_bytes(to, t.p, t.n);
  r = text(out, count * t.n);
  return false;
}
template <bool kLeft> CALL bool pad_text(const Head& h, Text t, i32 length, Text pad, Text& r) {
  const Text kept = slice(t, 0, length < 0 ? 0 : length);
  const i64 missing = (length < 0 ? 0 : length) - code_points(kept);
  r = kept;
  if (missing == 0) return false;
  if (pad.n == 0) return true;
  const i64 each = code_points(pad);
  const i64 rest = skip_code_points(pad, missing % each);
  const i64 bytes = kept.n + missing / each * pad.n + rest;
  if (bytes > TEXT_MOST) return true;
  char* const out = arena_take(h, bytes);
  if (out == 0) return false;
  char* to = out;
  if (!kLeft) to = put_bytes(to, kept.p, kept.n);
  for (i64 k = missing / each; k > 0; --k) to = put_bytes(to, pad.p, pad.n);
  to = put_bytes(to, pad.p, (i32)rest);
  if (kLeft) put_bytes(to, kept.p, kept.n);
  r = text(out, bytes);
  return false;
}
CALL bool translate_text(const Head& h, Text t, Text from, Text to_set, Text& r) {
  r = text(t.p, 0);
  i64 bytes = 0;
  char* out = 0;
  for (i32 pass = 0; pass < 2; ++pass) {
    char* to = out;
    for (i32 at = 0; at < t.n;) {
      const i32 here = code_point_bytes(t.p[at]);
      const i32 c = decode(t.p + at, here);
      const char* put = t.p + at;
      i32 size = here;
      i32 in = 0, by = 0;
      for (; in < from.n; by += by < to_set.n ? code_point_bytes(to_set.p[by]) : 0) {
        const i32 wide = code_point_bytes(from.p[in]);
        if (decode(from.p + in, wide) == c) break;
        in += wide;
      }
      if (in < from.n) {
        put = to_set.p + by;
        size = by < to_set.n ? code_point_bytes(to_set.p[by]) : 0;
      }
      if (pass == 0) bytes += size;
      if (pass == 1) to = put_bytes(to, put, size);
      at += here;
    }
    if (pass == 0) {
      if (bytes > TEXT_MOST) return true;
      out = arena_take(h, bytes);
      if (out == 0) return false;
    }
  }
  r = text(out, bytes);
  return false;
}
CALL Text overlay_text(const Head& h, Text t, Text with, i64 start, i64 count) {
  if (count < 0) count = code_points(with);
  const i64 most = 9223372036854775807ll;
  const i64 end = count > 0 && start > most - count ? most : start + count;
  const i32 first = start <= 1 ? 0 : skip_code_points(t, start - 1);
  const i32 last = end <= 1 ? 0 : skip_code_points(t, end - 1);
  const Text parts[] = {text(t.p, first), with, text(t.p + last, t.n - last)};
  return join_texts(h, parts, 3);
}
FN Text overlay_text(const Head& h, Text t, Text with, i64 start) { return overlay_text(h, t, with, start, -1); }
CALL Text join_with(const Head& h, Text between, const Text* parts, const bool* present, i32 count) {
  i64 bytes = 0;
  i32 some = 0;
  for (i32 k = 0; k < count; ++k) {
    if (present[k]) bytes += parts[k].n + (some++ == 0 ? 0 : between.n);
  }
  char* const out = arena_take(h, bytes);
  if (out == 0) return text(h.arena, 0);
  char* to = out;
  some = 0;
  for (i32 k = 0; k < count; ++k) {
    if (!present[k]) continue;
    if (some++ != 0) to = put_bytes(to, between.p, between.n);
    to = put_bytes(to, parts[k].p, parts[k].n);
  }
  return text(out, bytes);
}
// text[begin:end]: from 1, or from the end below 0; both are in it.
FN void clamp_index(i64& index, i64 length, bool least) {
  if (index < 0) {
    index = length + (least ? index : index + 1);
  } else if (index > length) {
    index = length;
  }
}
CALL bool slice_of(Text t, i64 begin, i64 end, Text& r) {
  const i64 lowest = -9223372036854775807ll - 1;
  const i64 length = code_points(t);
  if (begin != 0 && begin != lowest) --begin;
  const bool least = begin == lowest;
  if (least) ++begin;
  r = text(t.p, 0);
  if (begin < 0 && -begin > length && end < 0 && end < -length) return false;
  if (begin < 0 && -begin > length) begin = 0;
  clamp_index(begin, length, least);
  clamp_index(end, length, false);
  if (end > begin) r = slice(t, begin, end - begin);
  return false;
}
// Piece number `index` of the text between separators, from 1, or from the end below 0; false: there is none.
CALL bool split_piece(Text t, Text by, bool separated, i64 index, Text& r) {
  r = text(t.p, 0);
  if (!separated) {
    r = t;
    return index == 1 || index == -1;
  }
  if (index == 0) return false;
  if (by.n == 0) {
    const i64 all = code_points(t);
    const i64 at = index > 0 ? index - 1 : all + index;
    if (at < 0 || at >= all) return false;
    r = slice(t, at, 1);
    return true;
  }
  const char* const end = t.p + t.n;
  if (index < 0) {
    i64 pieces = 1;
    for (const char* at = t.p; (at = find(at, end, by.p, by.n)) != 0; at += by.n) ++pieces;
    index += pieces + 1;
    if (index < 1) return false;
  }
  for (const char* from = t.p;; --index) {
    const char* const at = find(from, end, by.p, by.n);
    if (index == 1) {
      r = text(from, (at == 0 ? end : at) - from);
      return true;
    }
    if (at == 0) return false;
    from = at + by.n;
  }
}
FN i32 first_code_point(Text t) { return t.n == 0 ? -1 : decode(t.p, code_point_bytes(t.p[0])); }
FN i32 ascii_of(Text t) { return t.n == 0 ? 0 : first_code_point(t); }
FN i64 bits_of_text(Text t) { return (i64)t.n * 8; }
CALL bool text_of_code_point(const Head& h, i32 c, Text& r) {
  r = text(h.arena, 0);
  if (c < 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return true;
  char* const out = arena_take(h, encoded_bytes(c));
  if (out == 0) return false;
  r = text(out, put_code_point(out, c) - out);
  return false;
}
FN bool is_word(u8 c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
CALL Text escape_pattern(const Head& h, Text t) {
  i64 bytes = 0;
  for (i32 k = 0; k < t.n; ++k) {
    const u8 c = (u8)t.p[k];
    bytes += c == 0 ? 4 : is_word(c) || c >= 128 ? 1 : 2;
  }
  char* const out = arena_take(h, bytes);
  if (out == 0) return text(h.arena, 0);
  char* to = out;
  for (i32 k = 0; k < t.n; ++k) {
    const u8 c = (u8)t.p[k];
    if (c == 0) {
      *to++ = '\\';
      *to++ = 'x';
      *to++ = '0';
      *to++ = '0';
      continue;
    }
    if (!is_word(c) && c < 128) *to++ = '\\';
    *to++ = (char)c;
  }
  return text(out, bytes);
}
FN bool stays_in_url(u8 c) { return is_word(c) || c == '-' || c == '~' || c == '.'; }
CALL Text encode_url(const Head& h, Text t) {
  i64 bytes = 0;
  for (i32 k = 0; k < t.n; ++k) bytes += stays_in_url((u8)t.p[k]) ? 1 : 3;
  char* const out = arena_take(h, bytes);
  if (out == 0) return text(h.arena, 0);
  char* to = out;
  for (i32 k = 0; k < t.n; ++k) {
    const u8 c = (u8)t.p[k];
    if (stays_in_url(c)) {
      *to++ = (char)c;
    } else {
      *to++ = '%';
      *to++ = digit_letter(c >> 4);
      *to++ = digit_letter(c & 15);
    }
  }
  return text(out, bytes);
}
FN i32 hex_digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
// Well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
CALL bool is_utf8(const char* p, i32 n) {
  const u8* q = (const u8*)p;
  for (i32 at = 0; at < n;) {
    const u8 c = q[at];
    const i32 bytes = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (bytes == 0 || at + bytes > n) return false;
    for (i32 k = 1; k < bytes; ++k) {
      if ((q[at + k] & 0xc0) != 0x80) return false;
    }
    const i32 x = decode(p + at, bytes);
    if ((bytes == 3 && (x < 0x800 || (x >= 0xd800 && x < 0xe000))) || (bytes == 4 && (x < 0x10000 || x > 0x10ffff))) {
      return false;
    }
    at += bytes;
  }
  return true;
}
CALL bool decode_url(const Head& h, Text t, Text& r) {
  r = text(t.p, 0);
  char* const out = arena_take(h, t.n);
  if (out == 0) return false;
  char* to = out;
  for (i32 k = 0; k < t.n; ++k) {
    if (t.p[k] == '%' && k + 2 < t.n && hex_digit(t.p[k + 1]) >= 0 && hex_digit(t.p[k + 2]) >= 0) {
      *to++ = (char)(hex_digit(t.p[k + 1]) * 16 + hex_digit(t.p[k + 2]));
      k += 2;
    } else {
      *to++ = t.p[k];
    }
  }
  r = text(out, to - out);
  return !is_utf8(r.p, r.n);
}
// Paths. separators: 1 for /, 2 for \, 3 for both.
FN bool separates(char c, i32 separators) { return ((separators & 1) != 0 && c == '/') || ((separators & 2) != 0 && c == '\\'); }
FN i32 last_separator(Text t, i32 separators) {
  for (i32 k = t.n; k-- > 0;) {
    if (separates(t.p[k], separators)) return k;
  }
  return -1;
}
CALL Text top_folder(Text t, i32 separators) {
  for (i32 k = 0; k < t.n; ++k) {
    if (separates(t.p[k], separators)) return text(t.p, k == 0 ? 1 : k);
  }
  return text(t.p, 0);
}
CALL Text folder_of(Text t, i32 separators) {
  const i32 last = last_separator(t, separators);
  return text(t.p, last == 0 && t.n == 1 ? 1 : last < 0 ? 0 : last);
}
CALL Text file_of(Text t, i32 separators, bool without_extension) {
  const i32 begin = last_separator(t, separators) + 1;
  i32 end = t.n;
  for (i32 k = t.n; without_extension && k-- > begin;) {
    if (t.p[k] != '.') continue;
    end = k;
    break;
  }
  return text(t.p + begin, end - begin);
}
)cuda";

}  // namespace weft::gpu::kernels
