// The gate as a command: from flags to an exit code.

#ifndef LOCKSTEP_BENCH_GATE_GATE_RUN_H_
#define LOCKSTEP_BENCH_GATE_GATE_RUN_H_

#include "bench/gate/gate_flags.h"

namespace lockstep::gate {

// Prints the verdict, writes result.json, summary.md and junit.xml. The clone is the
// folder that LOCKSTEP_ROOT names, or the working folder.
int RunGate(const GateFlags& flags);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_GATE_RUN_H_
