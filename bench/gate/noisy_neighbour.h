// Other work on the machine, for measuring the gate beside it.

#ifndef LOCKSTEP_BENCH_GATE_NOISY_NEIGHBOUR_H_
#define LOCKSTEP_BENCH_GATE_NOISY_NEIGHBOUR_H_

#include <sys/types.h>

#include <vector>

namespace lockstep::gate {

// Bursts of memory traffic and computing, with pauses, on every processor: while this lives, or
// until the process that made it is gone.
class NoisyNeighbour {
 public:
  NoisyNeighbour();
  ~NoisyNeighbour();
  NoisyNeighbour(const NoisyNeighbour&) = delete;
  NoisyNeighbour& operator=(const NoisyNeighbour&) = delete;

 private:
  std::vector<pid_t> pids_;
};

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_NOISY_NEIGHBOUR_H_
