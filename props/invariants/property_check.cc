#include "props/invariants/property_check.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/isolation.h"
#include "props/invariants/generated.h"
#include "rapidcheck.h"

namespace lockstep {
namespace {

// Reports come from here and from nowhere else.
class Silent : public rc::detail::TestListener {
 public:
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

class PropertyCheck : public Check {
 public:
  std::string name() const override { return "properties"; }
  std::vector<std::string> serves() const override {
    return {"I1", "I2", "I5", "I6", "I7", "model"};
  }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0.1; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    report_ = {};
    status_ = absl::OkStatus();
    for (uint64_t round = 0; round < kMostRounds; ++round) {
      if (context.out_of_time() || !report_.failures.empty()) break;
      const uint64_t seed = context.seed * 1'000'003 + round;
      context.progress(absl::StrCat(report_.sequences, " sequences, seed ", seed));
      CheckOnce(context, seed);
      if (!status_.ok()) return status_;
    }
    report_.evidence = absl::StrCat(report_.sequences, " sequences");
    return std::move(report_);
  }

 private:
  static constexpr uint64_t kMostRounds = 1000;
  static constexpr int kSequencesPerRound = 100;

  // One property over a hundred sequences of growing size. The last failing one is the smallest.
  void CheckOnce(const CheckContext& context, uint64_t seed) {
    Silent silent;
    const rc::detail::TestParams params{.seed = seed, .maxSuccess = kSequencesPerRound};
    // Given outright, or RapidCheck would look into RC_PARAMS and print its own seed.
    const std::unordered_map<std::string, rc::detail::Reproduce> nothing_to_reproduce;
    CheckReport failing;
    rc::detail::checkTestable(
        [&] {
          const Sequence sequence = *ConfiguredSequences();
          // Once the time is up every sequence passes, so that the search for smaller ones ends.
          if (context.out_of_time() || !status_.ok()) return;
          CheckReport one = RunOne(context, sequence);
          if (one.failures.empty()) return report_.Add(std::move(one));
          failing = std::move(one);
          RC_FAIL(failing.failures.front().finding.what);
        },
        rc::detail::TestMetadata{}, params, silent, nothing_to_reproduce);
    for (Failure& failure : failing.failures) {
      failure.found_by = absl::StrCat("generated sequences, seed ", seed);
    }
    report_.Add(std::move(failing));
  }

  CheckReport RunOne(const CheckContext& context, const Sequence& sequence) {
    absl::StatusOr<CheckReport> report = RunJudged(context, sequence);
    if (report.ok() && report->failures.empty() && context.enabled("I2")) {
      absl::StatusOr<CheckReport> isolated = RunIsolated(context, sequence, /*most_lives=*/4);
      if (isolated.ok()) report->Add(*std::move(isolated));
      if (!isolated.ok()) report = isolated.status();
    }
    if (report.ok()) return *std::move(report);
    status_ = report.status();
    return {};
  }

  CheckReport report_;
  absl::Status status_;
};

}  // namespace

std::unique_ptr<Check> MakePropertyCheck() { return std::make_unique<PropertyCheck>(); }

}  // namespace lockstep
