#include "bench/replay/latency.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(LatencyHistogram, EmptyHasNoQuantiles) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.Quantile(0.5), 0u);
  EXPECT_EQ(histogram.max(), 0u);
}

TEST(LatencyHistogram, QuantilesAreWithinOnePartIn32OfTheSortedValues) {
  std::mt19937_64 random(1);
  LatencyHistogram histogram;
  std::vector<uint64_t> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(random() >> (random() % 40 + 21));
    histogram.Record(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double fraction : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999}) {
    const auto want = static_cast<double>(values[static_cast<size_t>(fraction * 20000 + 0.5) - 1]);
    const auto got = static_cast<double>(histogram.Quantile(fraction));
    EXPECT_GE(got, want) << fraction;
    EXPECT_LE(got, want * (1 + 1.0 / 32) + 1e-9) << fraction;
  }
  EXPECT_EQ(histogram.max(), values.back());
  EXPECT_EQ(histogram.Quantile(1), values.back());
}

TEST(LatencyHistogram, HugeValuesAreCountedAndTheMaximumStaysExact) {
  LatencyHistogram histogram;
  histogram.Record(UINT64_MAX);
  EXPECT_EQ(histogram.count(), 1u);
  EXPECT_EQ(histogram.max(), UINT64_MAX);
}

TEST(LatencyHistogram, AddingIsRecordingBoth) {
  LatencyHistogram a;
  LatencyHistogram b;
  for (uint64_t i = 0; i < 100; ++i) (i % 2 == 0 ? a : b).Record(i);
  a.Add(b);
  EXPECT_EQ(a.count(), 100u);
  EXPECT_EQ(a.max(), 99u);
  EXPECT_EQ(a.Quantile(0.1), 9u);
}

}  // namespace
}  // namespace lockstep
