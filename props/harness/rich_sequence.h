// Sequences in which much depends on what one might leave to chance: which scope is dropped, which
// keys share a slot, where a draft ends.

#ifndef LOCKSTEP_PROPS_HARNESS_RICH_SEQUENCE_H_
#define LOCKSTEP_PROPS_HARNESS_RICH_SEQUENCE_H_

#include <cstdint>

#include "props/harness/operation.h"

namespace lockstep {

// Some 1,500 operations; `kind` chooses among a few mixes, in turn.
Sequence RichSequence(uint64_t seed, uint64_t kind);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_RICH_SEQUENCE_H_
