// The second witness: instructions executed, counted by callgrind. Exact from run to run, so one
// run is enough; cycles and simulated cache misses are not asked for.

#ifndef LOCKSTEP_BENCH_GATE_INSTRUCTIONS_H_
#define LOCKSTEP_BENCH_GATE_INSTRUCTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "bench/gate/measure.h"

namespace lockstep::gate {

struct InstructionCounts {
  std::map<std::string, double> more;  // by row: 0.01 when head takes 1 % more than base
  std::string why_none;                // what kept callgrind from counting, or ""
};

// How many more instructions head takes than base for a fixed amount of each workload. A workload
// of a large cache has the figure of its small one: counting while 100 MB are filled takes minutes,
// and the instructions of an operation do not depend on the size. The workloads in `forced` have it
// under their name and "@avx2" too. `dir` is made for callgrind's files, and removed.
//
// Errors: none. A library that valgrind cannot run, or no valgrind, leaves one witness.
InstructionCounts CountInstructions(const MeasureSpec& spec, const std::vector<std::string>& forced,
                                    const std::string& dir);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_INSTRUCTIONS_H_
