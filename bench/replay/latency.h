// Durations counted in a histogram of fixed size: the median of a billion calls in ten kilobytes.

#ifndef LOCKSTEP_BENCH_REPLAY_LATENCY_H_
#define LOCKSTEP_BENCH_REPLAY_LATENCY_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockstep {

// Values up to 2^5 are kept exactly, larger ones to within 1/32; the maximum is exact.
class LatencyHistogram {
 public:
  void Record(uint64_t value);
  void Add(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }

  // The least recorded value, to within a bucket, that at least `fraction` of all values do not
  // exceed; 0 when there are none.
  uint64_t Quantile(double fraction) const;

 private:
  static constexpr int kSubBits = 5;
  static constexpr size_t kSubBuckets = size_t{1} << kSubBits;
  // Up to 2^44: some five hours in nanoseconds; what is longer is counted there.
  static constexpr size_t kBuckets = (44 - kSubBits + 1) << kSubBits;

  static size_t BucketOf(uint64_t value);
  static uint64_t HighestOf(size_t bucket);

  std::array<uint64_t, kBuckets> buckets_ = {};
  uint64_t count_ = 0;
  uint64_t max_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_LATENCY_H_
