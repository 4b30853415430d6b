// Inputs of the benchmarks: documents and scope keys, the same on every machine.

#ifndef LOCKSTEP_BENCH_WORKLOAD_H_
#define LOCKSTEP_BENCH_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/types.h"

namespace lockstep {

// As many token ids as a common tokenizer has.
inline constexpr uint32_t kVocabulary = 200'000;

// A small random generator (SplitMix64). The standard's distributions differ between libraries;
// this does not.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), but for a bias of at most bound / 2^32.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32); }

 private:
  uint64_t state_;
};

// Fills `doc` with uniform tokens: with keys of 3 tokens or more, hardly any key occurs twice.
void FillFresh(Random& random, std::vector<Token>& doc);

std::vector<Token> FreshDocument(Random& random, size_t len);

// The i-th of the scopes that a benchmark uses.
ScopeKey BenchScope(uint64_t i);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_WORKLOAD_H_
