// The statistics that the gate decides by. All exact: no normal approximations.

#ifndef LOCKSTEP_BENCH_GATE_STATISTICS_H_
#define LOCKSTEP_BENCH_GATE_STATISTICS_H_

#include <cstddef>
#include <vector>

namespace lockstep::gate {

// Of an even count the mean of the middle two. Requires: not empty.
double Median(std::vector<double> values);

// Wilcoxon's signed-rank test, one-sided: the probability of ranks as high as these, if the values
// were symmetric around `centre`. Values equal to the centre are left out; equal distances share
// their mean rank. The distribution is counted out, with ties too.
double SignedRankP(const std::vector<double>& values, double centre);

// The values around which a signed-rank test keeps symmetry at `confidence`: the interval that
// belongs to the test (of Walsh averages), around their median, the Hodges-Lehmann estimate.
struct Interval {
  double low = 0;
  double high = 0;
};
Interval SignedRankInterval(const std::vector<double>& values, double confidence);

// Holm's step-down: p-values adjusted for how many there are, in the order given.
std::vector<double> HolmAdjusted(const std::vector<double>& p);

// Clopper and Pearson's exact bounds of a rate, `events` of `trials`.
Interval ExactRateBounds(size_t events, size_t trials, double confidence);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_STATISTICS_H_
