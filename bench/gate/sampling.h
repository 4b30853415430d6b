// Fresh processes, one after the other, and what each measured.

#ifndef LOCKSTEP_BENCH_GATE_SAMPLING_H_
#define LOCKSTEP_BENCH_GATE_SAMPLING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bench/gate/decision.h"
#include "bench/gate/measure.h"
#include "bench/workload.h"

namespace lockstep::gate {

// Rows "NAME@avx2" are NAME with the code that the instruction count sees, in the library and in
// the C library: valgrind has no AVX-512.
inline constexpr const char* kForcedPath = "avx2";
inline constexpr const char* kForcedSuffix = "@avx2";

// By row, a value of each process.
struct Sampling {
  LogRatios cpu;
  LogRatios wall;
  LogRatios base_ns;
  std::vector<double> control;
  int processes = 0;
};

// Measures once more: `spec` with a seed out of `random`, in a process of its own, and those of its
// workloads that are `forced` in another one, on the forced path.
absl::Status AddProcess(MeasureSpec spec, const std::vector<std::string>& forced, Random& random,
                        Sampling& sampling);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_SAMPLING_H_
