// Random numbers that are the same everywhere for the same seed; the standard distributions are
// not.

#ifndef LOCKSTEP_PROPS_HARNESS_RANDOM_H_
#define LOCKSTEP_PROPS_HARNESS_RANDOM_H_

#include <cstddef>
#include <cstdint>

namespace lockstep {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // In [0, limit); 0 where limit is 0. The bias is below limit / 2^64.
  uint64_t Below(uint64_t limit) { return limit == 0 ? 0 : Next() % limit; }

  // In [low, high].
  uint64_t Between(uint64_t low, uint64_t high) { return low + Below(high - low + 1); }

  bool OneIn(uint64_t n) { return Below(n) == 0; }

  template <typename T, size_t n>
  const T& Pick(const T (&from)[n]) {
    return from[Below(n)];
  }
  template <typename C>
  const auto& Of(const C& from) {
    return from[Below(from.size())];
  }

 private:
  uint64_t state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_RANDOM_H_
