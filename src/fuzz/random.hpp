// Choices that are the same on every machine: std::mt19937_64 is defined to the bit, the library's distributions are
// not, so that none is used.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace weft::fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t next() { return engine_(); }
  /// 0 to n - 1; n > 0. The bias of the remainder does not matter here.
  uint64_t below(uint64_t n) { return engine_() % n; }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  /// `from` must not be empty.
  template <typename List>
  const auto& pick(const List& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// A seed of its own for part `number` of what `seed` makes (splitmix64), so that any part can be made alone.
inline uint64_t seed_of(uint64_t seed, uint64_t number) {
  uint64_t z = seed * 0x9e3779b97f4a7c15ULL + (number + 1) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace weft::fuzz
