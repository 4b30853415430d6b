#include "props/harness/plan_file.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "props/harness/input_file.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kInputs[] =
    R"("inputs":{"prefix_snapshot_slots":1,"ring":[2,3],"carry":[4,5],"verify_table_rows":6,)"
    R"("capture_rows":7})";

// A plan whose other members are right.
std::string WithStates(const std::string& states) {
  return R"({"states":)" + states + R"(,"formats":{"kv":"bf16"},)" + kInputs + "}";
}

std::string WithInput(const std::string& name, const std::string& value) {
  nlohmann::json plan = nlohmann::json::parse(WithStates("[]"));
  plan["inputs"][name] = nlohmann::json::parse(value);
  return plan.dump();
}

std::string Error(const std::string& bytes) {
  const absl::StatusOr<PlanFile> file = ParsePlan("p.json", bytes);
  if (file.ok()) return "";
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(file.status().message().find('\n'), absl::string_view::npos);
  return std::string(file.status().message());
}

nlohmann::ordered_json Answer(const CachePlan& plan) {
  const absl::StatusOr<std::vector<CacheTerm>> terms = EvaluatePlan(plan);
  return terms.ok() ? TermsToJson(*terms) : PlanErrorToJson(terms.status());
}

TEST(GoldenPlans, EveryOneGivesItsTermsOrItsErrorExactly) {
  int plans = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(LOCKSTEP_SOURCE_DIR "/corpus/golden/cache_plans")) {
    SCOPED_TRACE(entry.path());
    const absl::StatusOr<PlanFile> file = ReadPlanFile(entry.path().string());
    ASSERT_TRUE(file.ok()) << file.status();
    const auto golden = nlohmann::ordered_json::parse(*ReadInputFile(entry.path().string()));
    const nlohmann::ordered_json answer = Answer(file->plan);
    ASSERT_TRUE(golden.contains("terms") != golden.contains("error"));
    for (const char* member : {"terms", "error"}) {
      if (!golden.contains(member)) continue;
      EXPECT_EQ(answer.dump(), "{\"" + std::string(member) + "\":" + golden[member].dump() + "}");
    }
    EXPECT_TRUE(file->ignored_inputs.empty());
    ++plans;
  }
  EXPECT_EQ(plans, 42);
}

TEST(ParsePlan, AbsentOptionalInputsAreAbsentWhetherNullOrLeftOut) {
  for (const std::string& bytes : {WithStates("[]"), WithInput("lookup", "null")}) {
    const absl::StatusOr<PlanFile> file = ParsePlan("p", bytes);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_FALSE(file->plan.inputs.lookup.has_value());
    EXPECT_FALSE(file->plan.inputs.tree.has_value());
    EXPECT_FALSE(file->plan.inputs.drafts.has_value());
    EXPECT_FALSE(file->plan.shared_cache.has_value());
  }
}

TEST(ParsePlan, SharedCacheBecomesTheLastTerm) {
  nlohmann::json plan = nlohmann::json::parse(
      WithStates(R"([{"id":"a","kind":"prefix_snapshot","format":"{kv}","elements":3}])"));
  plan["shared_cache"] = {{"budget_bytes", 12288}, {"max_scopes", 2}, {"key_len", 4}};
  const absl::StatusOr<PlanFile> file = ParsePlan("p", plan.dump());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(Answer(file->plan).dump(),
            R"({"terms":[{"state":"a","kind":"prefix_snapshot","dtype":"bf16","units":1,)"
            R"("bytes":6,"host":false},{"state":"shared_token_cache","kind":"shared_token_cache",)"
            R"("dtype":"u8","units":2,"bytes":12288,"host":true}]})");
}

TEST(ParsePlan, UnknownMembersAreIgnoredAndThoseOfInputsAreTold) {
  nlohmann::json plan = nlohmann::json::parse(WithInput("lokup", "1"));
  plan["comment"] = "x";
  const absl::StatusOr<PlanFile> file = ParsePlan("p", plan.dump());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->ignored_inputs, ElementsAre("/inputs/lokup"));
}

TEST(ParsePlan, LargestNumbersKeepAllTheirBits) {
  const absl::StatusOr<PlanFile> file =
      ParsePlan("p", WithInput("capture_rows", "18446744073709551615"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->plan.inputs.capture_rows, UINT64_MAX);
}

TEST(ParsePlan, WhatIsNoJsonIsNamedToItsLine) {
  EXPECT_THAT(Error(""), StartsWith("p.json:1: "));
  EXPECT_THAT(Error("{\n\"states\":[],\n!"), StartsWith("p.json:3: not JSON"));
  EXPECT_THAT(Error("{\n\"states\":["), HasSubstr("ends too soon"));
  EXPECT_THAT(Error("{\"states\":[\"\xff\"]}"), StartsWith("p.json:1: not JSON"));
  EXPECT_THAT(Error("\n\n1e999"), StartsWith("p.json:"));
  EXPECT_THAT(Error(std::string(1000000, '[')), StartsWith("p.json:1: "));
  EXPECT_THAT(Error(std::string("\0\0\0", 3)), StartsWith("p.json:1: "));
  EXPECT_THAT(Error("{} {}"), StartsWith("p.json:1: "));
}

TEST(ParsePlan, FaultsAreNamedToTheJsonPointer) {
  EXPECT_THAT(Error("[]"), StartsWith("p.json: at the top: "));
  EXPECT_THAT(Error("{}"), StartsWith("p.json: at /states: missing"));
  EXPECT_THAT(Error(WithStates("{}")), StartsWith("p.json: at /states: not an array"));
  EXPECT_THAT(Error(WithStates("[1]")), StartsWith("p.json: at /states/0: not an object"));
  EXPECT_THAT(Error(WithStates(R"([{"kind":"carry_stash"}])")),
              StartsWith("p.json: at /states/0/id: missing"));
  EXPECT_THAT(Error(WithStates(R"([{"id":"a","kind":"cary","format":"u8","elements":1}])")),
              StartsWith("p.json: at /states/0/kind: no kind"));
  EXPECT_THAT(
      Error(WithStates(R"([{"id":"a","kind":"shared_token_cache","format":"u8","elements":1}])")),
      StartsWith("p.json: at /states/0/kind: no kind"));
  EXPECT_THAT(Error(WithStates(R"([{"id":"a","kind":"carry_stash","format":"u9","elements":1}])")),
              StartsWith("p.json: at /states/0/format: no format"));
  for (const char* number : {"-1", "1.5", "1e3", "18446744073709551616", "\"1\"", "null", "true"}) {
    EXPECT_THAT(Error(WithStates(R"([{"id":"a","kind":"carry_stash","format":"u8","elements":)" +
                                 std::string(number) + "}]")),
                StartsWith("p.json: at /states/0/elements: "))
        << number;
  }
  EXPECT_THAT(Error(WithInput("ring", "[1]")), StartsWith("p.json: at /inputs/ring: "));
  EXPECT_THAT(Error(WithInput("ring", "[1,2,3]")), StartsWith("p.json: at /inputs/ring: "));
  EXPECT_THAT(Error(WithInput("tree", "[1,-2]")), StartsWith("p.json: at /inputs/tree/1: "));
  EXPECT_THAT(Error(WithInput("lookup", R"({"sequences":1})")),
              StartsWith("p.json: at /inputs/lookup/history_tokens: missing"));
  EXPECT_THAT(Error(R"({"states":[],"formats":{"a/b":"f64"},)" + std::string(kInputs) + "}"),
              StartsWith("p.json: at /formats/a~1b: no dtype"));
}

TEST(ParsePlan, MemberGivenTwiceIsNamed) {
  EXPECT_THAT(Error(R"({"states":[{"id":"a"},{"id":"a","id":"b"}]})"),
              StartsWith("p.json: at /states/1/id: given twice"));
  EXPECT_THAT(Error(R"({"x":[[1],{"a":{},"b":1,"a":2}]})"),
              StartsWith("p.json: at /x/1/a: given twice"));
}

TEST(ParsePlan, ImpossibleSharedCacheIsNamed) {
  nlohmann::json plan = nlohmann::json::parse(WithStates("[]"));
  plan["shared_cache"] = {{"budget_bytes", 6143}, {"max_scopes", 1}, {"key_len", 4}};
  EXPECT_THAT(Error(plan.dump()), StartsWith("p.json: at /shared_cache: budget_bytes 6143"));
}

TEST(ParsePlan, ControlCharactersOfAFileNeverReachTheTerminal) {
  const std::string error =
      Error(R"({"states":[],"formats":{"\u001b[31m\n":1},)" + std::string(kInputs) + "}");
  EXPECT_THAT(error, Not(HasSubstr("\x1b")));
  EXPECT_THAT(error, HasSubstr("/formats/?[31m?"));
}

TEST(ReadPlanFile, DirectoryAndMissingFileAreSaid) {
  EXPECT_THAT(std::string(ReadPlanFile("/").status().message()), HasSubstr("is a directory"));
  EXPECT_THAT(std::string(ReadPlanFile("/no/such").status().message()), StartsWith("/no/such: "));
}

}  // namespace
}  // namespace lockstep
