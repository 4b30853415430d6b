#include "bench/gate/decision.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace lockstep::gate {
namespace {

std::vector<double> Negated(std::vector<double> values) {
  for (double& value : values) value = -value;
  return values;
}

}  // namespace

std::map<std::string, TimeDecision> DecideByTime(const LogRatios& samples, double alpha) {
  std::vector<double> slower;
  std::vector<double> faster;
  for (const auto& [name, values] : samples) {
    slower.push_back(SignedRankP(values, std::log1p(kTestedRatio)));
    faster.push_back(SignedRankP(Negated(values), std::log1p(kTestedRatio)));
  }
  slower = HolmAdjusted(slower);
  faster = HolmAdjusted(faster);
  std::map<std::string, TimeDecision> decisions;
  size_t i = 0;
  for (const auto& [name, values] : samples) {
    TimeDecision& d = decisions[name];
    const double median = Median(values);
    const Interval interval = SignedRankInterval(values, 0.95);
    d.ratio = std::expm1(median);
    d.interval = {std::expm1(interval.low), std::expm1(interval.high)};
    d.p_slower = slower[i];
    d.p_faster = faster[i];
    ++i;
    const bool significant = d.p_slower < alpha;
    d.slower = d.ratio > kMedianLimit && significant;
    d.faster = -median > std::log1p(kMedianLimit) && d.p_faster < alpha;
    d.unclear = !d.slower && !d.faster &&
                (d.ratio > kMedianLimit || (significant && d.ratio > kUnclearMedian) ||
                 d.interval.high > kUnclearHigh);
  }
  return decisions;
}

std::string WhyTooNoisy(const std::vector<double>& control) {
  if (control.empty()) return "";
  const double median = Median(control);
  const Interval interval = SignedRankInterval(control, 0.95);
  if (std::abs(median) > kControlMedian) {
    return absl::StrFormat("two copies of the base differ by %+.1f %%", 100 * std::expm1(median));
  }
  if ((interval.high - interval.low) / 2 > kControlHalfWidth) {
    return absl::StrFormat("two copies of the base agree to no better than +-%.1f %%",
                           50 * (interval.high - interval.low));
  }
  return "";
}

const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSame:
      return "same";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kFaster:
      return "faster";
    case Verdict::kUnclear:
      return "unclear";
    case Verdict::kNew:
      return "new";
    case Verdict::kGone:
      return "gone";
    case Verdict::kAccepted:
      return "accepted";
  }
  return "?";
}

bool TimeAlone(const TimeDecision& time, std::optional<double> instructions) {
  return time.slower && (!instructions.has_value() || *instructions < kInstructionsConfirm);
}

Verdict Combine(const TimeDecision& time, std::optional<double> instructions,
                std::optional<bool> confirmed) {
  if (time.slower) {
    if (TimeAlone(time, instructions) && confirmed.has_value() && !*confirmed) {
      return Verdict::kSame;
    }
    return Verdict::kSlower;
  }
  if (time.faster) return Verdict::kFaster;
  if (instructions.has_value() && *instructions >= kInstructionsAlone) return Verdict::kSlower;
  return time.unclear ? Verdict::kUnclear : Verdict::kSame;
}

}  // namespace lockstep::gate
