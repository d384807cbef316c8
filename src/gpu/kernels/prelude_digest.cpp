#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// RFC 1321 (MD5) and FIPS 180-4 (SHA-1, SHA-256). A digest is text of hexadecimal digits in lower case.
const char* const kDigestText = R"cuda(
TABLE u32 kMd5Sines[64] = {
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af,
  0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
  0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
  0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
  0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97,
  0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
  0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
TABLE u8 kMd5Turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
TABLE u32 kSha256Roots[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
  0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
  0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
  0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
FN u32 turn_left(u32 x, i32 by) { return x << by | x >> (32 - by); }
FN u32 turn_right(u32 x, i32 by) { return x >> by | x << (32 - by); }
// Byte k of the message with its padding: 0x80, zeros, and the length in bits.
template <bool kBigEndian> FN u8 padded_byte(Text t, i64 k, i64 all) {
  if (k < t.n) return (u8)t.p[k];
  if (k == t.n) return 0x80;
  if (k < all - 8) return 0;
  const i32 at = (i32)(k - (all - 8));
  return (u8)((u64)t.n * 8 >> (8 * (kBigEndian ? 7 - at : at)));
}
FN i64 padded_bytes(Text t) { return ((i64)t.n + 9 + 63) / 64 * 64; }
template <bool kBigEndian> FN u32 padded_word(Text t, i64 at, i64 all) {
  u32 word = 0;
  for (i32 k = 0; k < 4; ++k) {
    word |= (u32)padded_byte<kBigEndian>(t, at + k, all) << (8 * (kBigEndian ? 3 - k : k));
  }
  return word;
}
template <bool kBigEndian> CALL Text hex_of_words(const Head& h, const u32* words, i32 count) {
  char* const out = arena_take(h, count * 8);
  if (out == 0) return text(h.arena, 0);
  for (i32 k = 0; k < count * 4; ++k) {
    const i32 place = k & 3;
    const i32 byte = (i32)(words[k >> 2] >> (8 * (kBigEndian ? 3 - place : place))) & 255;
    out[2 * k] = "0123456789abcdef"[byte >> 4];
    out[2 * k + 1] = "0123456789abcdef"[byte & 15];
  }
  return text(out, count * 8);
}
CALL Text md5(const Head& h, Text t) {
  u32 state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const i64 all = padded_bytes(t);
  for (i64 at = 0; at < all; at += 64) {
    u32 words[16];
    for (i32 k = 0; k < 16; ++k) words[k] = padded_word<false>(t, at + 4 * k, all);
    u32 a = state[0], b = state[1], c = state[2], d = state[3];
    for (i32 k = 0; k < 64; ++k) {
      const i32 round = k >> 4;
      const u32 mixed = round == 0 ? (b & c) | (~b & d) : round == 1 ? (d & b) | (~d & c) : round == 2 ? b ^ c ^ d : c ^ (b | ~d);
      const i32 which = (round == 0 ? k : round == 1 ? 5 * k + 1 : round == 2 ? 3 * k + 5 : 7 * k) & 15;
      const u32 sum = a + mixed + kMd5Sines[k] + words[which];
      a = d;
      d = c;
      c = b;
      b += turn_left(sum, kMd5Turns[round * 4 + (k & 3)]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
  }
  return hex_of_words<false>(h, state, 4);
}
CALL Text sha1(const Head& h, Text t) {
  u32 state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const i64 all = padded_bytes(t);
  for (i64 at = 0; at < all; at += 64) {
    u32 words[16];
    for (i32 k = 0; k < 16; ++k) words[k] = padded_word<true>(t, at + 4 * k, all);
    u32 a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (i32 k = 0; k < 80; ++k) {
      if (k >= 16) {
        const u32 next = words[(k + 13) & 15] ^ words[(k + 8) & 15] ^ words[(k + 2) & 15] ^ words[k & 15];
        words[k & 15] = turn_left(next, 1);
      }
      const u32 mixed = k < 20 ? (b & c) | (~b & d) : k < 40 ? b ^ c ^ d : k < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
      const u32 round = k < 20 ? 0x5a827999 : k < 40 ? 0x6ed9eba1 : k < 60 ? 0x8f1bbcdc : 0xca62c1d6;
      const u32 sum = turn_left(a, 5) + mixed + e + round + words[k & 15];
      e = d;
      d = c;
      c = turn_left(b, 30);
      b = a;
      a = sum;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
  return hex_of_words<true>(h, state, 5);
}
CALL Text sha256(const Head& h, Text t) {
  u32 state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const i64 all = padded_bytes(t);
  for (i64 at = 0; at < all; at += 64) {
    u32 words[16], v[8];
    for (i32 k = 0; k < 16; ++k) words[k] = padded_word<true>(t, at + 4 * k, all);
    for (i32 k = 0; k < 8; ++k) v[k] = state[k];
    for (i32 k = 0; k < 64; ++k) {
      if (k >= 16) {
        const u32 x = words[(k + 1) & 15], y = words[(k + 14) & 15];
        words[k & 15] += (turn_right(x, 7) ^ turn_right(x, 18) ^ x >> 3) + words[(k + 9) & 15] +
                         (turn_right(y, 17) ^ turn_right(y, 19) ^ y >> 10);
      }
      const u32 one = v[7] + (turn_right(v[4], 6) ^ turn_right(v[4], 11) ^ turn_right(v[4], 25)) +
                      ((v[4] & v[5]) ^ (~v[4] & v[6])) + kSha256Roots[k] + words[k & 15];
      const u32 two = (turn_right(v[0], 2) ^ turn_right(v[0], 13) ^ turn_right(v[0], 22)) +
                      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (i32 j = 7; j > 0; --j) v[j] = v[j - 1];
      v[4] += one;
      v[0] = one + two;
    }
    for (i32 k = 0; k < 8; ++k) state[k] += v[k];
  }
  return hex_of_words<true>(h, state, 8);
}
)cuda";

}  // namespace weft::gpu::kernels
