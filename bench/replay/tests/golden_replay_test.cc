// What the reference gave on the shared traces, row by row. They are too large to be committed.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "bench/replay/replay_report.h"
#include "bench/replay/sweep.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

const std::string kShared = LOCKSTEP_SOURCE_DIR "/../shared";

const std::vector<std::string>& TraceNames() {
  static const std::vector<std::string> names = {"chat_multiturn", "code_mint",   "edit_aider",
                                                 "judge_llm",      "prose_story", "rag_gorilla",
                                                 "repeat_eval",    "tenants_mix", "tools_tau"};
  return names;
}

// The lines of replay.csv; none when it is not there.
std::vector<std::string> GoldenLines() {
  std::ifstream file(kShared + "/golden/replay.csv");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// NAME.jsonl.zst, or the shards NAME.0.jsonl.zst, NAME.1.jsonl.zst, ...
std::vector<std::string> Shards(const std::string& name) {
  const std::string base = kShared + "/traces/" + name;
  if (std::filesystem::exists(base + ".jsonl.zst")) return {base + ".jsonl.zst"};
  std::vector<std::string> shards;
  for (int i = 0; std::filesystem::exists(base + "." + std::to_string(i) + ".jsonl.zst"); ++i) {
    shards.push_back(base + "." + std::to_string(i) + ".jsonl.zst");
  }
  return shards;
}

ReplaySettings SettingsOf(const std::string& line) {
  const std::vector<std::string> cells = absl::StrSplit(line, ',');
  return {.cache = {.budget_bytes = std::stoull(cells[1]),
                    .max_scopes = std::stoull(cells[2]),
                    .key_len = std::stoull(cells[3])},
          .max_draft = std::stoull(cells[4])};
}

class GoldenReplay : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenReplay, EveryRowIsEqualInEveryColumn) {
  const std::string& name = GetParam();
  const std::vector<std::string> lines = GoldenLines();
  if (lines.empty()) GTEST_SKIP() << "SKIPPED: no shared traces beside the repository";
  std::vector<std::string> want;
  std::vector<ReplaySettings> settings;
  for (const std::string& line : lines) {
    if (line.rfind(name + ",", 0) != 0) continue;
    want.push_back(line);
    settings.push_back(SettingsOf(line));
  }
  ASSERT_EQ(want.size(), 5u);
  const std::vector<std::string> shards = Shards(name);
  ASSERT_FALSE(shards.empty());
  EXPECT_EQ(TraceName(shards), name);
  const auto reports = ReplayAll(OwnCore(), settings, shards, 2, [](const SweepProgress&) {});
  ASSERT_TRUE(reports.ok()) << reports.status();
  for (size_t i = 0; i < want.size(); ++i) {
    const std::string row = CsvRow(name, (*reports)[i]);
    EXPECT_EQ(row.substr(0, want[i].size() + 1), want[i] + ",");
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, GoldenReplay, ::testing::ValuesIn(TraceNames()),
                         [](const auto& row) { return row.param; });

TEST(GoldenReplayFile, HasNoRowThatIsNotChecked) {
  const std::vector<std::string> lines = GoldenLines();
  if (lines.empty()) GTEST_SKIP() << "SKIPPED: no shared traces beside the repository";
  EXPECT_EQ(lines.size(), 1 + 5 * TraceNames().size());
  EXPECT_EQ(CsvHeader().substr(0, lines[0].size() + 1), lines[0] + ",");
}

}  // namespace
}  // namespace lockstep
