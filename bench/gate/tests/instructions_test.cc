#include "bench/gate/instructions.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

class Instructions : public testing::Test {
 protected:
  void SetUp() override { setenv("LOCKSTEP_GATE_PROGRAM", GATE_PROGRAM, 1); }

  static InstructionCounts Count(const char* head, const std::vector<std::string>& workloads) {
    const fs::path dir =
        fs::temp_directory_path() / ("instructions_test_" + std::to_string(getpid()));
    InstructionCounts counts = CountInstructions(
        {.base = OWN_LIBRARY, .head = head, .workloads = workloads}, {}, dir.string());
    EXPECT_FALSE(fs::exists(dir));
    return counts;
  }
};

TEST_F(Instructions, OfEqualLibrariesAreEqualToTheLast) {
  const std::vector<std::string> workloads = {"insert_fresh/cache", "near_duplicate/small",
                                              "propose_miss/small", "scope_churn/memory"};
  const InstructionCounts counts = Count(OWN_LIBRARY, workloads);
  if (!counts.why_none.empty()) GTEST_SKIP() << counts.why_none;
  ASSERT_EQ(counts.more.size(), workloads.size());
  for (const auto& [name, more] : counts.more) EXPECT_EQ(more, 0) << name;
}

TEST_F(Instructions, OfExtraWorkAreSeenAndRepeatExactly) {
  const InstructionCounts first = Count(SLOW_LIBRARY, {"propose_hit/small"});
  if (!first.why_none.empty()) GTEST_SKIP() << first.why_none;
  EXPECT_GT(first.more.at("propose_hit/small"), 0.03);
  EXPECT_EQ(Count(SLOW_LIBRARY, {"propose_hit/small"}).more, first.more);
}

}  // namespace
}  // namespace lockstep::gate
