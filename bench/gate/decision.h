// From log-ratios to verdicts.

#ifndef LOCKSTEP_BENCH_GATE_DECISION_H_
#define LOCKSTEP_BENCH_GATE_DECISION_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/gate/statistics.h"

namespace lockstep::gate {

// Slower: the median is above 1.5 %, and a one-sided signed-rank test says that the ratio is above
// 0.5 % with p < alpha, Holm-corrected over the workloads. Faster: the same downwards.
inline constexpr double kMedianLimit = 0.015;
inline constexpr double kTestedRatio = 0.005;
inline constexpr double kAlpha = 0.01;
// Unclear: one half of the rule holds and the other does not (a significant ratio with a median of
// 1.2 % to 1.5 %, or a median above 1.5 % that is not significant), or the interval reaches 5 %.
inline constexpr double kUnclearMedian = 0.012;
inline constexpr double kUnclearHigh = 0.05;
// A control of two copies of the same library that is off by so much, or that has an interval so
// wide, says that this machine cannot tell.
inline constexpr double kControlMedian = 0.01;
inline constexpr double kControlHalfWidth = 0.015;
// Instructions, which are exact.
inline constexpr double kInstructionsConfirm = 0.01;
inline constexpr double kInstructionsAlone = 0.03;

inline constexpr int kFirstProcesses = 20;
inline constexpr int kExtendedProcesses = 40;

struct TimeDecision {
  double ratio = 0;        // median of head / base, less 1
  Interval interval = {};  // 95 %, as ratios less 1
  double p_slower = 1;     // Holm-corrected
  double p_faster = 1;
  bool slower = false;
  bool faster = false;
  bool unclear = false;
};

// One process's median log-ratio per element, for each workload.
using LogRatios = std::map<std::string, std::vector<double>>;

std::map<std::string, TimeDecision> DecideByTime(const LogRatios& samples, double alpha);

// An empty string when the control says that this machine can tell; else why it cannot.
std::string WhyTooNoisy(const std::vector<double>& control);

enum class Verdict { kSame, kSlower, kFaster, kUnclear, kNew, kGone, kAccepted };
const char* VerdictName(Verdict verdict);

// With the second witness: how many more instructions head takes (0.01 is 1 %), when known.
// `confirmed`: whether the link orders, when tried, confirmed a time that instructions do not
// explain.
Verdict Combine(const TimeDecision& time, std::optional<double> instructions,
                std::optional<bool> confirmed);

// True when the time alone says slower, so that link orders are to be tried.
bool TimeAlone(const TimeDecision& time, std::optional<double> instructions);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_DECISION_H_
