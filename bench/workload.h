// Inputs of the benchmarks: documents and scope keys, the same on every machine.

#ifndef LOCKSTEP_BENCH_WORKLOAD_H_
#define LOCKSTEP_BENCH_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
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
    uint64_t z = state_ += kStep;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), but for a bias of at most bound / 2^32.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32); }

  // As if Next had been called so often.
  void Skip(uint64_t count) { state_ += count * kStep; }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  uint64_t state_;
};

// Document number `n` of scope `scope`: uniform tokens, so that with keys of 3 tokens or more
// hardly any key occurs twice. Any part of it can be had without the rest: nobody need keep what
// was inserted to ask for it.
void FillFresh(uint64_t scope, uint64_t n, uint64_t first_token, absl::Span<Token> tokens);

std::vector<Token> FreshDocument(uint64_t scope, uint64_t n, size_t len);

// The same kind of text, from a generator of the caller's.
void FillFresh(Random& random, std::vector<Token>& doc);
std::vector<Token> FreshDocument(Random& random, size_t len);

// The document with one token in `period` replaced.
void EditOneIn(uint32_t period, Random& random, std::vector<Token>& doc);

// A document that repeats its own text: passages of 200 tokens, each of which comes five times, in
// random order.
std::vector<Token> RepeatingDocument(uint64_t scope, uint64_t n, size_t len);

// The i-th of the scopes that a benchmark uses.
ScopeKey BenchScope(uint64_t i);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_WORKLOAD_H_
