// Puts what a fatal signal was about where the harness can read it.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_FAULT_HANDLER_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_FAULT_HANDLER_H_

#include "props/harness/containment/arena.h"
#include "props/harness/interpreter.h"

namespace lockstep {

// From now on faults of this process are described in `control` before they end it. Both arguments
// must outlive the process.
void CatchFaults(Control& control, const Interpreter& interpreter);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_FAULT_HANDLER_H_
