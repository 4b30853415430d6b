// What runs in a contained child: the commands of the arena, one after the other.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_CHILD_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_CHILD_H_

#include "props/harness/containment/arena.h"
#include "props/harness/implementation.h"

namespace lockstep {

// Serves the arena with the implementation until it is told to finish. Never returns: what happens
// on the way out is part of what is judged.
[[noreturn]] void RunChild(Arena& arena, const CInterface& functions) noexcept;

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_CHILD_H_
