// Measures several things against each other on a machine that is not quiet: in one process, each a
// little in every round, in another order each time. What disturbs one round disturbs all that ran
// in it, so ratios are taken within a round, and the median of the rounds counts.

#ifndef LOCKSTEP_BENCH_ROUNDS_H_
#define LOCKSTEP_BENCH_ROUNDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace lockstep {

// Seconds that this thread has run: what others do on the machine does not count.
double ThreadCpuSeconds();

// The median, and an interval in which the true one lies 95 times in 100, whatever the
// distribution.
struct Estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};
// Requires: at least one value.
Estimate EstimateMedian(std::vector<double> values);

// Element by element. Requires: equal sizes.
std::vector<double> Ratios(absl::Span<const double> a, absl::Span<const double> b);

class Rounds {
 public:
  // One turn; returns nanoseconds for each unit of its work.
  using Trial = std::function<absl::StatusOr<double>()>;

  // Returns the trial's index.
  size_t Add(std::string name, Trial trial);

  // Adds `rounds` samples to every trial, after one turn of each that does not count. `progress` is
  // called before each round with its number and `rounds`, `before_turn` before each turn.
  //
  // Errors: a trial's own, with its name.
  absl::Status Run(size_t rounds, uint64_t seed,
                   const std::function<void(size_t, size_t)>& progress = nullptr,
                   const std::function<void()>& before_turn = nullptr);

  const std::string& name(size_t trial) const { return trials_[trial].name; }
  const std::vector<double>& samples(size_t trial) const { return trials_[trial].samples; }
  size_t size() const { return trials_.size(); }

  // Of several trials, the one of the lowest median. Requires: Run; at least one.
  size_t Fastest(absl::Span<const size_t> trials) const;

 private:
  struct Named {
    std::string name;
    Trial trial;
    std::vector<double> samples;
  };
  std::vector<Named> trials_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_ROUNDS_H_
