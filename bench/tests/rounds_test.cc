#include "bench/rounds.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(EstimateMedian, IsTheMiddleValueWithinItsInterval) {
  const Estimate odd = EstimateMedian({5, 1, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.low, 1);
  EXPECT_EQ(odd.high, 5);
  EXPECT_EQ(EstimateMedian({4, 1, 2, 9}).median, 3);
  EXPECT_EQ(EstimateMedian({7}).median, 7);
  // Of 100 values, 1.96 standard deviations of a binomial are 10 ranks.
  std::vector<double> values;
  for (int i = 100; i > 0; --i) values.push_back(i);
  EXPECT_EQ(EstimateMedian(values).median, 50.5);
  EXPECT_NEAR(EstimateMedian(values).low, 40.5, 1);
  EXPECT_NEAR(EstimateMedian(values).high, 60.5, 1);
}

TEST(Rounds, GiveEveryTrialASampleInEveryRoundInChangingOrder) {
  Rounds rounds;
  std::vector<int> order;
  for (int i = 0; i < 4; ++i) {
    rounds.Add("trial", [&order, i]() -> absl::StatusOr<double> {
      order.push_back(i);
      return 10.0 - i;
    });
  }
  ASSERT_TRUE(rounds.Run(50, 1).ok());
  std::set<std::vector<int>> orders;
  for (size_t i = 0; i < order.size(); i += 4) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(i);
    orders.emplace(begin, begin + 4);
  }
  EXPECT_GT(orders.size(), 10u);
  for (size_t trial = 0; trial < 4; ++trial) EXPECT_EQ(rounds.samples(trial).size(), 50u);
  EXPECT_EQ(rounds.Fastest({0, 1, 2, 3}), 3u);
  EXPECT_EQ(Ratios(rounds.samples(0), rounds.samples(2))[0], 10.0 / 8.0);
}

TEST(Rounds, PrepareEveryTurn) {
  Rounds rounds;
  std::string calls;
  for (int i = 0; i < 2; ++i) {
    rounds.Add("trial", [&calls]() -> absl::StatusOr<double> {
      calls += 'T';
      return 1.0;
    });
  }
  ASSERT_TRUE(rounds.Run(2, 1, nullptr, [&calls] { calls += 'p'; }).ok());
  EXPECT_EQ(calls, "pTpTpTpTpTpT");  // one round that does not count, and two
}

TEST(Rounds, EndWithTheFirstErrorAndNameTheTrial) {
  Rounds rounds;
  rounds.Add("broken", []() -> absl::StatusOr<double> { return absl::InternalError("why"); });
  EXPECT_EQ(rounds.Run(3, 1).message(), "broken: why");
}

}  // namespace
}  // namespace lockstep
