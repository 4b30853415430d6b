// The checks for I3, I4 and I5 find what they are for, and accuse nobody who does right.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "props/harness/check.h"
#include "props/harness/containment/interpose_state.h"
#include "props/harness/memory_checks.h"

namespace lockstep {
namespace {

std::unique_ptr<Check> MakeCheck(const std::string& id) {
  if (id == "I3") return MakeMemoryCheck();
  if (id == "I4") return MakeDeterminismCheck();
  return MakeBoundsCheck();
}

CheckReport RunCheck(const std::string& id, const std::string& library, Level level,
                     absl::Duration time) {
  CheckContext context;
  context.impl.library = library;
  context.level = level;
  context.seed = 20;
  context.only = {id};
  context.deadline = absl::Now() + time;
  absl::StatusOr<CheckReport> report = MakeCheck(id)->Run(context);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : CheckReport();
}

struct Fault {
  const char* name;
  const char* breaks;
  const char* says;
  bool interposed = false;  // shows only where the allocator and the clocks are intercepted
  bool exact_only = false;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class FaultTest : public testing::TestWithParam<Fault> {};

TEST_P(FaultTest, IsFound) {
  const Fault& fault = GetParam();
  if (fault.interposed && !interpose::state.present) GTEST_SKIP() << "SKIPPED: not interposed";
  const std::string library = std::string(FAULTY_LIBRARIES) + "/libfaulty_" + fault.name + ".so";
  for (const Level level : {Level::kExact, Level::kSound}) {
    if (fault.exact_only && level == Level::kSound) continue;
    const CheckReport report = RunCheck(fault.breaks, library, level, absl::Seconds(60));
    ASSERT_FALSE(report.failures.empty()) << report.evidence;
    const Failure& failure = report.failures.front();
    EXPECT_THAT(failure.finding.what, testing::HasSubstr(fault.says));
    EXPECT_FALSE(failure.sequence.ops.empty());
    if (failure.reproduce == nullptr) continue;
    // What is drawn at random shows soon, if not at once.
    bool shown = false;
    for (int i = 0; i < 10 && !shown; ++i) shown = failure.reproduce(failure.sequence).has_value();
    EXPECT_TRUE(shown) << failure.finding.what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Planted, FaultTest,
    testing::Values(
        Fault{"TAKES_TWICE_ITS_BUDGET", "I3", "its budget is", true},
        Fault{"LEAKS_PER_CALL", "I3", "live bytes grew", true},
        Fault{"LEAKS_PER_TURNOVER", "I3", "live bytes grew", true},
        Fault{"LEAKS_PER_REFUSAL", "I3", "live bytes grew", true},
        Fault{"LEAKS_PER_CREATE", "I3", "caches were made and destroyed", true},
        Fault{"LEAKS_RAW_PAGES", "I3", "private bytes in memory grew", true},
        Fault{"LOGS_EACH_CALL", "I3", "live bytes grew", true},
        Fault{"FORGETS_WITHOUT_MEMORY", "I3", "when allocation 1 of the call failed", true, true},
        Fault{"BY_THE_HOUR", "I4", "propose gave", true},
        Fault{"BY_THE_MONTH", "I4", "propose gave", true},
        Fault{"BY_THE_CALLS", "I4", "propose gave"}, Fault{"BY_THE_PROCESS", "I4", "propose gave"},
        Fault{"BY_A_SEED", "I4", "propose gave"}, Fault{"BY_THE_ADDRESS", "I4", "propose gave"},
        Fault{"BY_FRESH_MEMORY", "I4", "propose gave", true},
        Fault{"BY_THE_STACK", "I4", "propose gave", true},
        Fault{"BY_THE_ENVIRONMENT", "I4", "in another environment"},
        Fault{"BY_THE_FOLDER", "I4", "in another environment"},
        Fault{"LEN_AS_INT", "I5", "max_len", false, true},
        Fault{"CRASHES_WITH_MANY_SCOPES", "I5", "SIGABRT in create"},
        Fault{"SCRIBBLES_BEFORE_OUT", "I5", "outside the"}),
    [](const auto& test) { return test.param.name; });

class RightTest : public testing::TestWithParam<const char*> {};

TEST_P(RightTest, IsNotAccused) {
  const std::string name = GetParam();
  const std::string library =
      name == "own_core" ? "" : std::string(DESIGN_LIBRARIES) + "/lib" + name + ".so";
  const bool exact = name == "own_core" || name == "plain_exact";
  for (const char* id : {"I3", "I4", "I5"}) {
    const CheckReport report =
        RunCheck(id, library, exact ? Level::kExact : Level::kSound, absl::Seconds(2));
    for (const Failure& failure : report.failures) ADD_FAILURE() << failure.finding.what;
    EXPECT_NE(report.evidence, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, RightTest,
                         testing::Values("own_core", "plain_exact", "bounded_table",
                                         "recent_documents", "suffix_array", "two_generations"),
                         [](const auto& test) { return std::string(test.param); });

std::optional<std::string> JudgeSeries(int64_t (*live)(int64_t)) {
  GrowthWatch watch;
  for (int64_t i = 0; i < 200; ++i) watch.Add({.live_bytes = live(i)});
  return watch.Judge();
}

TEST(GrowthWatch, BoundedUpsAndDownsAreNoGrowth) {
  EXPECT_FALSE(JudgeSeries([](int64_t) { return int64_t{1'000'000}; }));
  EXPECT_FALSE(JudgeSeries([](int64_t i) { return i * 7919 % 101 * 10'000; }));
  EXPECT_FALSE(JudgeSeries([](int64_t i) { return i < 20 ? i * 50'000 : int64_t{1'000'000}; }));
  EXPECT_FALSE(JudgeSeries([](int64_t i) { return i < 120 ? int64_t{0} : int64_t{10'000}; }));
}

TEST(GrowthWatch, SteadyAndDoublingGrowthAreFound) {
  EXPECT_TRUE(JudgeSeries([](int64_t i) { return i * 500; }));
  EXPECT_TRUE(JudgeSeries([](int64_t i) {
    int64_t capacity = 1;
    while (capacity < i * 1000) capacity *= 2;
    return 8 * capacity;
  }));
  EXPECT_TRUE(JudgeSeries([](int64_t i) { return i * 500 + i * 7919 % 101 * 100; }));
}

}  // namespace
}  // namespace lockstep
