// RapidCheck's generators of sequences, which RapidCheck makes smaller by itself: a step is a few
// small numbers, and only then becomes an operation.

#ifndef LOCKSTEP_PROPS_INVARIANTS_GENERATED_H_
#define LOCKSTEP_PROPS_INVARIANTS_GENERATED_H_

#include <optional>
#include <ostream>

#include "absl/status/statusor.h"
#include "props/harness/check.h"
#include "props/harness/judge.h"
#include "props/harness/operation.h"
#include "rapidcheck.h"

namespace lockstep {

// Over a tiny cache of our own core: rings of a few tokens, slots shared by most keys, runs cut
// after two to eight duplicates, positions from 1 on or around 2^32.
rc::Gen<Sequence> TinySequences();

// Over the smallest scopes that a configuration gives, with documents long enough to wrap a ring.
rc::Gen<Sequence> ConfiguredSequences();

// Our own core, judged at this level.
CheckContext OwnCoreAt(Level level);

// So that a counterexample is a transcript that can be pasted into a file and replayed.
void showValue(const Sequence& sequence, std::ostream& out);

// Fails the property that is being checked when something was found.
void RequireHolds(const absl::StatusOr<std::optional<Finding>>& found);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_INVARIANTS_GENERATED_H_
