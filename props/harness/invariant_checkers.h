// One checker per invariant: says what breaks it in one sequence. A sequence of a tiny cache is run
// on our own core in this process; any other on the context's implementation in a child.

#ifndef LOCKSTEP_PROPS_HARNESS_INVARIANT_CHECKERS_H_
#define LOCKSTEP_PROPS_HARNESS_INVARIANT_CHECKERS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "props/harness/check.h"
#include "props/harness/judge.h"
#include "props/harness/operation.h"

namespace lockstep {

// Returns: the first finding, nullopt when the sequence shows none.
// Errors:  the harness or its surroundings failed.
using InvariantChecker = absl::StatusOr<std::optional<Finding>>(const CheckContext& context,
                                                                const Sequence& sequence);

InvariantChecker CheckInsertedSlice;   // I1: every draft against every document of its scope
InvariantChecker CheckScopeIsolation;  // I2: every scope's calls with and without the others
InvariantChecker CheckFixedMemory;     // I3: live bytes after each half; not for tiny caches
InvariantChecker CheckDeterminism;     // I4: the same calls on another cache of the same process
InvariantChecker CheckOutBounds;       // I5: guard pages around every array
InvariantChecker CheckUsefulness;      // I6: drafts where the exact model has a key in its slot
InvariantChecker CheckCheapRepeats;    // I7: stored_tokens where the exact model writes nothing

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_INVARIANT_CHECKERS_H_
