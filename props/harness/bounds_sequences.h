// Sequences at the edges of what a caller may ask for (I5).

#ifndef LOCKSTEP_PROPS_HARNESS_BOUNDS_SEQUENCES_H_
#define LOCKSTEP_PROPS_HARNESS_BOUNDS_SEQUENCES_H_

#include <cstdint>
#include <vector>

#include "props/harness/operation.h"

namespace lockstep {

// The cheapest and most telling first. Guard pages lie at either end of an array in turn, so each
// edge is asked for at least twice.
std::vector<Sequence> ShortBoundsSequences(uint64_t seed);

// Documents of up to 300,000 tokens, histories of up to a million.
std::vector<Sequence> LongBoundsSequences(uint64_t seed);

// Configurations that a cache may be asked for, most of them absurd.
std::vector<CacheConfig> BoundsConfigs();

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_BOUNDS_SEQUENCES_H_
