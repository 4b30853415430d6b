// Sequences of operations made on purpose, and at random.

#ifndef LOCKSTEP_PROPS_HARNESS_SCENARIOS_H_
#define LOCKSTEP_PROPS_HARNESS_SCENARIOS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "props/harness/check.h"
#include "props/harness/operation.h"

namespace lockstep {

// Sequences that reach every situation, cheapest and most telling first. Equal for equal seeds.
std::vector<Sequence> DirectedSequences(uint64_t seed);

// Sequences for isolation: scopes that differ in one field, one bit, swapped fields, equal sums or
// xors; turnover at the limit; order of use through inserts, proposals and both.
std::vector<Sequence> IsolationSequences(uint64_t seed);

// Some scopes with much text in common, more of them than there may be or not.
Sequence RandomIsolationSequence(uint64_t seed, uint64_t call_count);

// One random sequence: configuration, vocabulary, scopes and mix are drawn from the seed. Probes
// are drawn from what the exact model holds, so that hits, stale positions and limits are common.
Sequence RandomSequence(uint64_t seed, uint64_t op_count);

// Writes until positions pass `position`, probing the oldest live ones on the way.
std::unique_ptr<OperationSource> DeepSource(uint64_t seed, uint64_t position);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_SCENARIOS_H_
