#include "bench/replay/sweep.h"

#include "bench/replay/replay_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

std::string SweepError(const std::string& axis) {
  return std::string(ParseSweep({axis}, {}).status().message());
}

TEST(ParseSweep, AllCombinationsWithTheLastAxisFastest) {
  const auto settings =
      ParseSweep({"budget=1M,4M", "key-len=3,8", "policy=engine"}, {.max_draft = 5});
  ASSERT_TRUE(settings.ok()) << settings.status();
  ASSERT_EQ(settings->size(), 4u);
  EXPECT_EQ((*settings)[0].cache.budget_bytes, uint64_t{1} << 20);
  EXPECT_EQ((*settings)[0].cache.key_len, 3u);
  EXPECT_EQ((*settings)[1].cache.budget_bytes, uint64_t{1} << 20);
  EXPECT_EQ((*settings)[1].cache.key_len, 8u);
  EXPECT_EQ((*settings)[3].cache.budget_bytes, uint64_t{4} << 20);
  for (const ReplaySettings& setting : *settings) {
    EXPECT_EQ(setting.policy, DraftPolicy::kEngine);
    EXPECT_EQ(setting.max_draft, 5u);
  }
}

TEST(ParseSweep, NoAxisIsTheBaseAlone) { EXPECT_EQ(ParseSweep({}, {})->size(), 1u); }

TEST(ParseSweep, WhatIsWrongIsNamed) {
  EXPECT_THAT(SweepError("bugdet=1M"), testing::HasSubstr("\"bugdet=1M\" is no axis"));
  EXPECT_THAT(SweepError("budget=1Q"), testing::HasSubstr("budget: \"1Q\""));
  EXPECT_THAT(SweepError("budget="), testing::HasSubstr("budget: \"\""));
  EXPECT_THAT(SweepError("key-len=4,-1"), testing::HasSubstr("key-len: \"-1\""));
  EXPECT_THAT(SweepError("max-draft=0"), testing::HasSubstr("from 1 to"));
  EXPECT_THAT(SweepError("policy=bold"), testing::HasSubstr("plain or engine"));
}

TEST(ReplayAll, ErrorOfOneSettingIsTheErrorOfAll) {
  const std::string path = LOCKSTEP_SOURCE_DIR "/corpus/traces/lockstep_history.jsonl.zst";
  const std::vector<ReplaySettings> settings = {{}, {.cache = {1, 1, 1}}, {}};
  const auto reports = ReplayAll(OwnCore(), settings, {path}, 2, [](const SweepProgress&) {});
  EXPECT_EQ(reports.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(TraceName, HasNoFolderShardOrExtension) {
  EXPECT_EQ(TraceName({"/a/b/edit_aider.0.jsonl.zst", "/c/edit_aider.1.jsonl.zst"}), "edit_aider");
  EXPECT_EQ(TraceName({"x.jsonl"}), "x");
  EXPECT_EQ(TraceName({"v1.2"}), "v1");
  EXPECT_EQ(TraceName({"a.b.jsonl", "c.zst"}), "a.b+c");
  EXPECT_EQ(TraceName({"-"}), "-");
  EXPECT_EQ(TraceName({"dir/.7"}), ".7");
}

TEST(CsvRow, NameWithACommaIsQuoted) {
  EXPECT_THAT(CsvRow("a,\"b", ReplayReport()),
              testing::StartsWith("\"a,\"\"b\",67108864,4,8,8,0,"));
}

}  // namespace
}  // namespace lockstep
