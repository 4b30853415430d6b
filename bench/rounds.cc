#include "bench/rounds.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bench/workload.h"

namespace lockstep {

double ThreadCpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Estimate EstimateMedian(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  const double median = (values[(n - 1) / 2] + values[n / 2]) / 2;
  // How many of n values lie below the median is binomial; 1.96 standard deviations of it.
  const double spread = 0.98 * std::sqrt(static_cast<double>(n));
  const double below = std::floor(static_cast<double>(n) / 2 - spread);
  const size_t rank = below < 0 ? 0 : static_cast<size_t>(below);
  return {.median = median, .low = values[rank], .high = values[n - 1 - rank]};
}

std::vector<double> Ratios(absl::Span<const double> a, absl::Span<const double> b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return ratios;
}

size_t Rounds::Add(std::string name, Trial trial) {
  trials_.push_back({std::move(name), std::move(trial), {}});
  return trials_.size() - 1;
}

absl::Status Rounds::Run(size_t rounds, uint64_t seed,
                         const std::function<void(size_t, size_t)>& progress,
                         const std::function<void()>& before_turn) {
  Random random(seed);
  std::vector<size_t> order(trials_.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t round = 0; round <= rounds; ++round) {
    if (progress != nullptr) progress(round, rounds);
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.Below(static_cast<uint32_t>(i))]);
    }
    for (const size_t i : order) {
      if (before_turn != nullptr) before_turn();
      const absl::StatusOr<double> sample = trials_[i].trial();
      if (!sample.ok()) {
        return absl::Status(sample.status().code(),
                            absl::StrCat(trials_[i].name, ": ", sample.status().message()));
      }
      if (round > 0) trials_[i].samples.push_back(*sample);
    }
  }
  return absl::OkStatus();
}

size_t Rounds::Fastest(absl::Span<const size_t> trials) const {
  return *std::min_element(trials.begin(), trials.end(), [&](size_t a, size_t b) {
    return EstimateMedian(samples(a)).median < EstimateMedian(samples(b)).median;
  });
}

}  // namespace lockstep
