#include "bench/replay/latency.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep {

// The first buckets are one value each; then every power of two is cut into kSubBuckets.
size_t LatencyHistogram::BucketOf(uint64_t value) {
  if (value < kSubBuckets) return value;
  const int shift = std::bit_width(value) - 1 - kSubBits;
  const size_t bucket = (static_cast<size_t>(shift) << kSubBits) + (value >> shift);
  return std::min(bucket, kBuckets - 1);
}

uint64_t LatencyHistogram::HighestOf(size_t bucket) {
  if (bucket < kSubBuckets) return bucket;
  const size_t shift = (bucket >> kSubBits) - 1;
  const uint64_t lowest = (kSubBuckets + (bucket & (kSubBuckets - 1))) << shift;
  return lowest + (uint64_t{1} << shift) - 1;
}

void LatencyHistogram::Record(uint64_t value) {
  ++buckets_[BucketOf(value)];
  ++count_;
  max_ = std::max(max_, value);
}

void LatencyHistogram::Add(const LatencyHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

uint64_t LatencyHistogram::Quantile(double fraction) const {
  const auto wanted = static_cast<uint64_t>(std::ceil(fraction * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen > 0 && seen >= wanted) return std::min(HighestOf(i), max_);
  }
  return max_;
}

}  // namespace lockstep
