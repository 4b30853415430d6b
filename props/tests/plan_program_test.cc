// lockstep-plan as a user runs it.

#include <algorithm>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "props/harness/input_file.h"
#include "props/tests/run_program.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

const std::string kPlan = PLAN_PROGRAM;
const std::string kExample = LOCKSTEP_SOURCE_DIR "/corpus/plan_example.json";

ProgramEnd Plan(const std::string& arguments) {
  const TemporaryFolder folder;
  return RunIn(folder, kPlan + " " + arguments);
}

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(PlanProgram, JsonOfEveryGoldenPlanIsItsTermsOrItsErrorWithExit2) {
  for (const auto& entry :
       std::filesystem::directory_iterator(LOCKSTEP_SOURCE_DIR "/corpus/golden/cache_plans")) {
    SCOPED_TRACE(entry.path());
    const auto golden = Json::parse(*ReadInputFile(entry.path().string()));
    const char* const member = golden.contains("terms") ? "terms" : "error";
    const ProgramEnd end = Plan(entry.path().string() + " --json");
    EXPECT_EQ(Json::parse(end.out).dump(), (Json{{member, golden[member]}}).dump());
    EXPECT_EQ(end.exit_code, golden.contains("terms") ? 0 : 2);
    EXPECT_EQ(Lines(end.err), golden.contains("terms") ? 0u : 1u) << end.err;
  }
}

TEST(PlanProgram, TableHasARowPerTermAndBothTotals) {
  const ProgramEnd end = Plan(kExample);
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(Lines(end.out), 1u + 11u + 2u);  // 10 declared caches and the shared one
  // 64 tables of 32,768 entries of 16 bytes: 65,536 buckets of 17 bytes and a group.
  EXPECT_THAT(end.out, HasSubstr("71,304,192"));
  EXPECT_THAT(end.out, HasSubstr("68.00 MiB"));
  EXPECT_THAT(end.out, HasSubstr("138,413,056"));  // host: 71,304,192 + 67,108,864
}

TEST(PlanProgram, GroupWidthOfAarch64IsTaken) {
  EXPECT_THAT(Plan(kExample + " --group-width 8").out, HasSubstr("71,303,680"));
}

TEST(PlanProgram, FitFitsAndOneMoreDoesNot) {
  for (const std::string input : {"history_tokens", "sequences", "scopes"}) {
    const ProgramEnd end = Plan(kExample + " --json --fit " + input + " --budget 1G");
    ASSERT_EQ(end.exit_code, 0) << end.err;
    const Json json = Json::parse(end.out);
    EXPECT_EQ(json["fit"]["input"], input);
    EXPECT_LE(json["fit"]["host_bytes"], uint64_t{1} << 30);
    EXPECT_GT(json["fit"]["one_more_host_bytes"], uint64_t{1} << 30);
    uint64_t host_bytes = 0;
    for (const Json& term : json["terms"]) {
      if (term["host"] == true) host_bytes += term["bytes"].get<uint64_t>();
    }
    EXPECT_EQ(host_bytes, json["fit"]["host_bytes"]);
  }
  EXPECT_THAT(Plan(kExample + " --fit sequences --budget 1G --cap 70").out, HasSubstr("the cap"));
}

TEST(PlanProgram, ResultHasThePlanAndItsTotals) {
  const TemporaryFolder folder;
  ASSERT_EQ(RunIn(folder, kPlan + " " + kExample + " --out results/here").exit_code, 0);
  const Json json = Json::parse(folder.Read("results/here/result.json"));
  EXPECT_EQ(json["plan"]["terms"].size(), 11u);
  EXPECT_EQ(json["plan"]["host_bytes"], 138413056);
}

TEST(PlanProgram, BadUsageAndBadFilesAreOneLineAndExit2) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& arguments, const std::string& message) {
    const ProgramEnd end = RunIn(folder, kPlan + " " + arguments);
    EXPECT_EQ(end.exit_code, 2) << arguments;
    EXPECT_THAT(end.err, HasSubstr(message)) << arguments;
    EXPECT_EQ(end.out, "") << arguments;
  };
  folder.Write("cut.json", "{\"states\":[\n");
  folder.Write("empty.json", "");
  folder.Write("junk.json", "\x7f\x45LF\x01\xff");
  expect("cut.json", "lockstep-plan: cut.json:2: ");
  expect("empty.json", "lockstep-plan: empty.json:1: ");
  expect("junk.json", "lockstep-plan: junk.json:1: ");
  expect("no.json", "lockstep-plan: no.json: ");
  expect(".", "is a directory");
  expect(kExample + " --fit scopes", "--budget");
  expect(kExample + " --fit scopes --budget 0", "nothing fits");
  expect(kExample + " --fit scopes --budget -1", "--budget: ");
  expect(kExample + " --fit teapots --budget 1", "teapots");
  expect(kExample + " --group-width 9", "9");
  expect("", "FILE");
}

TEST(PlanProgram, SlipOfThePenInAnInputIsToldAndNotFatal) {
  const TemporaryFolder folder;
  Json plan = Json::parse(*ReadInputFile(kExample));
  plan["inputs"]["lokup"] = 1;
  folder.Write("p.json", plan.dump());
  const ProgramEnd end = RunIn(folder, kPlan + " p.json");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, HasSubstr("/inputs/lokup: ignored"));
}

}  // namespace
}  // namespace lockstep
