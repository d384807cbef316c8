#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// Distances count code points. Texts of at most NEAR of them are worked on in registers and local memory; longer ones
// take room in the arena, and give 0 where that is full: the host then runs the kernel again.
const char* const kDistanceText = R"cuda(
#define NEAR 64
struct Points {
  i32 near_points[NEAR];
  i32* at;  // null: no room
  i32 n;
};
FN i32* room_for(const Head& h, i32* near_by, i64 count) {
  if (count <= NEAR) return near_by;
  char* const room = arena_take(h, count * 4 + 4);
  return room == 0 ? (i32*)0 : (i32*)(((u64)room + 3) & ~3ull);
}
CALL void read_points(const Head& h, Text t, Points& points) {
  points.n = (i32)code_points(t);
  points.at = room_for(h, points.near_points, points.n);
  if (points.at == 0) return;
  i32 k = 0;
  for (i32 at = 0; at < t.n; ++k) {
    const i32 here = code_point_bytes(t.p[at]);
    points.at[k] = decode(t.p + at, here);
    at += here;
  }
}
FN i32 least_of(i32 a, i32 b) { return a < b ? a : b; }
// True: of unequal length, or empty.
CALL bool mismatches(Text a, Text b, i64& r) {
  i32 i = 0, j = 0;
  r = 0;
  while (i < a.n && j < b.n) {
    const i32 x = code_point_bytes(a.p[i]), y = code_point_bytes(b.p[j]);
    if (decode(a.p + i, x) != decode(b.p + j, y)) ++r;
    i += x;
    j += y;
  }
  return a.n == 0 || i < a.n || j < b.n;
}
CALL i64 edit_distance(const Head& h, Text left, Text right) {
  Points a, b;
  i32 near_row[NEAR + 1];
  read_points(h, left, a);
  read_points(h, right, b);
  i32* const row = room_for(h, near_row, (i64)b.n + (b.n > NEAR ? 1 : 0));
  if (a.at == 0 || b.at == 0 || row == 0) return 0;
  for (i32 j = 0; j <= b.n; ++j) row[j] = j;
  for (i32 i = 1; i <= a.n; ++i) {
    i32 before = row[0];
    row[0] = i;
    for (i32 j = 1; j <= b.n; ++j) {
      const i32 above = row[j];
      const i32 changed = before + (a.at[i - 1] == b.at[j - 1] ? 0 : 1);
      row[j] = least_of(changed, least_of(above, row[j - 1]) + 1);
      before = above;
    }
  }
  return row[b.n];
}
// Lowrance and Wagner: neighbours that changed places count once, also with edits between them. `cost` has a row and a
// column more than either text on each side; `seen` says per place in b where a had that code point last.
template <class T> FN i64 transposed_cost(const Points& a, const Points& b, T* cost, T* seen) {
  const i64 wide = (i64)b.n + 2;
  const T most = (T)(a.n + b.n + 1);
  for (i32 j = 0; j < b.n; ++j) seen[j] = 0;
  for (i64 j = 0; j < wide; ++j) cost[j] = most;
  for (i32 i = 0; i <= a.n; ++i) {
    cost[(i + 1) * wide] = most;
    cost[(i + 1) * wide + 1] = (T)i;
  }
  for (i32 j = 1; j <= b.n; ++j) cost[wide + j + 1] = (T)j;
  for (i32 i = 0; i < a.n; ++i) {
    i32 last = 0;
    for (i32 j = 0; j < b.n; ++j) {
      const i32 from_i = seen[j], from_j = last;
      const bool same = a.at[i] == b.at[j];
      if (same) last = j + 1;
      const i32 changed = cost[(i + 1) * wide + j + 1] + (same ? 0 : 1);
      const i32 edited = least_of(cost[(i + 2) * wide + j + 1], cost[(i + 1) * wide + j + 2]) + 1;
      const i32 swapped = cost[from_i * wide + from_j] + (i - from_i) + 1 + (j - from_j);
      cost[(i + 2) * wide + j + 2] = (T)least_of(least_of(changed, edited), swapped);
    }
    for (i32 j = 0; j < b.n; ++j) {
      if (a.at[i] == b.at[j]) seen[j] = (T)(i + 1);
    }
  }
  return cost[(a.n + 1) * wide + b.n + 1];
}
#define SHORT 32
CALL i64 transposed_distance(const Head& h, Text left, Text right) {
  Points a, b;
  read_points(h, left, a);
  read_points(h, right, b);
  if (a.at == 0 || b.at == 0) return 0;
  if (a.n == 0 || b.n == 0) return a.n + b.n;
  if (a.n <= SHORT && b.n <= SHORT) {
    u8 cost[(SHORT + 2) * (SHORT + 2)], seen[SHORT];
    return transposed_cost<u8>(a, b, cost, seen);
  }
  const i64 cells = ((i64)a.n + 2) * ((i64)b.n + 2);
  char* const room = arena_take(h, (cells + b.n) * 4 + 4);
  if (room == 0) return 0;
  i32* const cost = (i32*)(((u64)room + 3) & ~3ull);
  return transposed_cost<i32>(a, b, cost, cost + cells);
}
FN bool occurs_before(Text t, i32 end, i32 c) {
  for (i32 at = 0; at < end;) {
    const i32 here = code_point_bytes(t.p[at]);
    if (decode(t.p + at, here) == c) return true;
    at += here;
  }
  return false;
}
// What two sets of code points share; true if one is empty.
CALL bool shared_part(Text a, Text b, f64& r) {
  i64 both = 0, of_a = 0, of_b = 0;
  r = 0;
  if (a.n == 0 || b.n == 0) return true;
  for (i32 at = 0; at < a.n;) {
    const i32 here = code_point_bytes(a.p[at]);
    const i32 c = decode(a.p + at, here);
    if (!occurs_before(a, at, c)) {
      ++of_a;
      if (occurs_before(b, b.n, c)) ++both;
    }
    at += here;
  }
  for (i32 at = 0; at < b.n;) {
    const i32 here = code_point_bytes(b.p[at]);
    if (!occurs_before(b, at, decode(b.p + at, here))) ++of_b;
    at += here;
  }
  r = (f64)both / (f64)(of_a + of_b - both);
  return false;
}
FN f64 jaro_of(i64 a, i64 b, i64 same, i64 moved) {
  f64 sum = (f64)same / (f64)a;
  sum += (f64)same / (f64)b;
  sum += ((f64)same - (f64)(moved / 2)) / (f64)same;
  return sum / 3.0;
}
FN bool flagged(const i32* flags, i32 k) { return (flags[k >> 5] >> (k & 31) & 1) != 0; }
CALL f64 jaro_points(const Head& h, const Points& a, const Points& b, f64 cutoff) {
  if (a.n == 0 || b.n == 0) return 0;
  const f64 shorter = (f64)least_of(a.n, b.n);
  if ((shorter / (f64)a.n + shorter / (f64)b.n + 1.0) / 3.0 < cutoff) return 0;
  if (a.n == 1 && b.n == 1) return a.at[0] == b.at[0] ? 1 : 0;
  const i32 reach = (a.n > b.n ? a.n : b.n) / 2 - 1;
  i32 near_flags[4] = {0, 0, 0, 0};
  const i32 words_a = (a.n + 31) / 32, words_b = (b.n + 31) / 32;
  i32* flags = near_flags;
  if (words_a > 2 || words_b > 2) {
    flags = room_for(h, (i32*)0, words_a + words_b + NEAR);
    if (flags == 0) return 0;
    for (i32 k = 0; k < words_a + words_b; ++k) flags[k] = 0;
  }
  i32* const flags_b = flags == near_flags ? flags + 2 : flags + words_a;
  i64 same = 0;
  for (i32 j = 0; j < b.n; ++j) {
    const i32 end = least_of(j + reach + 1, a.n);
    for (i32 i = j > reach ? j - reach : 0; i < end; ++i) {
      if (a.at[i] != b.at[j] || flagged(flags, i)) continue;
      flags[i >> 5] |= 1 << (i & 31);
      flags_b[j >> 5] |= 1 << (j & 31);
      ++same;
      break;
    }
  }
  if (same == 0) return 0;
  if (((f64)same / (f64)a.n + (f64)same / (f64)b.n + 1.0) / 3.0 < cutoff) return 0;
  i64 moved = 0;
  i32 i = 0;
  for (i32 j = 0; j < b.n; ++j) {
    if (!flagged(flags_b, j)) continue;
    while (!flagged(flags, i)) ++i;
    if (a.at[i] != b.at[j]) ++moved;
    ++i;
  }
  const f64 alike = jaro_of(a.n, b.n, same, moved);
  return alike >= cutoff ? alike : 0;
}
CALL f64 jaro(const Head& h, Text left, Text right, f64 cutoff) {
  Points a, b;
  read_points(h, left, a);
  read_points(h, right, b);
  return a.at == 0 || b.at == 0 ? 0 : jaro_points(h, a, b, cutoff);
}
CALL f64 jaro_winkler(const Head& h, Text left, Text right, f64 cutoff) {
  Points a, b;
  read_points(h, left, a);
  read_points(h, right, b);
  if (a.at == 0 || b.at == 0) return 0;
  i32 prefix = 0;
  while (prefix < 4 && prefix < a.n && prefix < b.n && a.at[prefix] == b.at[prefix]) ++prefix;
  const f64 bonus = (f64)prefix * 0.1;
  f64 least = cutoff;
  if (least > 0.7) {
    least = (bonus - least) / (bonus - 1.0);
    if (least < 0.7) least = 0.7;
  }
  f64 alike = jaro_points(h, a, b, least);
  if (alike > 0.7) alike += bonus * (1.0 - alike);
  return alike >= cutoff ? alike : 0;
}
FN f64 jaro(const Head& h, Text a, Text b) { return jaro(h, a, b, 0.0); }
FN f64 jaro_winkler(const Head& h, Text a, Text b) { return jaro_winkler(h, a, b, 0.0); }
)cuda";

}  // namespace weft::gpu::kernels
