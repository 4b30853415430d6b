// The second witness: instructions executed, counted by callgrind. Exact from run to run, so one
// run is enough; cycles and simulated cache misses are not asked for.

#ifndef LOCKSTEP_BENCH_GATE_INSTRUCTIONS_H_
#define LOCKSTEP_BENCH_GATE_INSTRUCTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/gate/measure.h"

namespace lockstep::gate {

// How many more instructions head takes than base for a fixed amount of each workload (0.01 is
// 1 %). A workload of a large cache has the figure of its small one: counting while 100 MB are
// filled takes minutes, and the instructions of an operation do not depend on the size. The
// workloads in `forced` have it under their name and "@avx2" too.
//
// Returns: nothing where there is no valgrind.
absl::StatusOr<std::map<std::string, double>> CountInstructions(
    const MeasureSpec& spec, const std::vector<std::string>& forced);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_INSTRUCTIONS_H_
