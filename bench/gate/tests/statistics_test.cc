#include "bench/gate/statistics.h"

#include <cmath>
#include <numeric>
#include <random>

#include "gtest/gtest.h"

namespace lockstep::gate {
namespace {

// By trying every sign, with ranks of its own making.
double EnumeratedP(const std::vector<double>& values) {
  const size_t n = values.size();
  const auto rank = [&](size_t i) {
    double r = 0.5;
    for (const double other : values) {
      if (std::abs(other) < std::abs(values[i])) r += 1;
      if (std::abs(other) == std::abs(values[i])) r += 0.5;
    }
    return r;
  };
  double seen = 0;
  for (size_t i = 0; i < n; ++i) seen += values[i] > 0 ? rank(i) : 0;
  double as_high = 0;
  for (size_t signs = 0; signs < size_t{1} << n; ++signs) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += (signs >> i & 1) != 0 ? rank(i) : 0;
    if (sum >= seen) as_high += 1;
  }
  return std::ldexp(as_high, -static_cast<int>(n));
}

std::vector<double> OneTo(int n) {
  std::vector<double> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Median, OfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 2, 3}), 2.5);
}

TEST(SignedRankP, EqualsEnumerationWithAndWithoutTies) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    std::vector<double> values;
    const size_t n = 1 + random() % 11;
    while (values.size() < n) {
      const int value = static_cast<int>(random() % (round % 2 == 0 ? 9 : 9000)) - 3;
      if (value != 0) values.push_back(value);
    }
    EXPECT_NEAR(SignedRankP(values, 0), EnumeratedP(values), 1e-12);
  }
}

// Critical values of the published tables (for n = 20 and one-sided 0.01: 43; 0.005: 37).
TEST(SignedRankP, AgreesWithPublishedCriticalValues) {
  const auto p_of_lower_sum = [](int n, int lower) {
    std::vector<double> values = OneTo(n);
    for (int rank = n; rank > 0; --rank) {  // the largest ranks that fit make the sum
      if (rank > lower) continue;
      values[static_cast<size_t>(rank - 1)] = -rank;
      lower -= rank;
    }
    return SignedRankP(values, 0);
  };
  EXPECT_LE(p_of_lower_sum(20, 43), 0.01);
  EXPECT_GT(p_of_lower_sum(20, 44), 0.01);
  EXPECT_LE(p_of_lower_sum(20, 37), 0.005);
  EXPECT_GT(p_of_lower_sum(20, 38), 0.005);
  EXPECT_LE(p_of_lower_sum(10, 10), 0.05);
  EXPECT_GT(p_of_lower_sum(10, 11), 0.05);
}

TEST(SignedRankInterval, IsWhereTheTestTurns) {
  const std::vector<double> values = {1.1, 2.3, 0.4, 3.3, 1.9, 2.8, 0.7, 1.4, 5.2, 2.1};
  const Interval interval = SignedRankInterval(values, 0.95);
  EXPECT_GT(SignedRankP(values, interval.low + 1e-9), 0.025);
  EXPECT_LE(SignedRankP(values, interval.low - 1e-9), 0.025);
}

TEST(HolmAdjusted, StepsDown) {
  const std::vector<double> adjusted = HolmAdjusted({0.01, 0.04, 0.03, 0.005});
  EXPECT_NEAR(adjusted[0], 0.03, 1e-12);
  EXPECT_NEAR(adjusted[1], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.02, 1e-12);
}

// With no event the upper bound is 1 - (a/2)^(1/n); 1 of 10 is in every textbook's table.
TEST(ExactRateBounds, AgreeWithTheFormulaAndTheTables) {
  EXPECT_NEAR(ExactRateBounds(0, 100, 0.95).high, 1 - std::pow(0.025, 0.01), 1e-9);
  EXPECT_NEAR(ExactRateBounds(60, 60, 0.95).low, std::pow(0.025, 1.0 / 60), 1e-9);
  EXPECT_NEAR(ExactRateBounds(1, 10, 0.95).low, 0.0025, 5e-5);
  EXPECT_NEAR(ExactRateBounds(1, 10, 0.95).high, 0.4450, 5e-5);
  EXPECT_NEAR(ExactRateBounds(5, 10, 0.95).low, 0.1871, 5e-5);
  EXPECT_NEAR(ExactRateBounds(5, 10, 0.95).high, 0.8129, 5e-5);
  EXPECT_NEAR(ExactRateBounds(2, 20, 0.95).high, 0.3170, 5e-5);
}

}  // namespace
}  // namespace lockstep::gate
