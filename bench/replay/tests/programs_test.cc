// lockstep-replay and lockstep-trace as a user runs them.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "bench/replay/trace_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "props/harness/trace.h"
#include "props/tests/run_program.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

const std::string kReplay = REPLAY_PROGRAM;
const std::string kTrace = TRACE_PROGRAM;
const std::string kCommitted = LOCKSTEP_SOURCE_DIR "/corpus/traces/lockstep_folders.jsonl.zst";
constexpr char kLine[] =
    R"({"id":"a","scope":{"model":1,"tokenizer":1,"adapter":0,"tenant":1},"prompt":[1,2,3],)"
    R"("output":[1,2,3,4]})"
    "\n";

std::string With(const std::string& from, const std::string& to) {
  std::string line = kLine;
  return line.replace(line.find(from), from.size(), to);
}

// The columns that are not measured times.
std::string Counts(const std::string& csv) {
  std::string counts;
  for (const absl::string_view row : absl::StrSplit(csv, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> cells = absl::StrSplit(row, ',');
    for (size_t i = 1; i < std::min<size_t>(cells.size(), 22); ++i)
      counts += std::string(cells[i]) + ",";
    counts += "\n";
  }
  return counts;
}

// The lines of the committed trace, [begin, end) of them, uncompressed.
std::string CommittedLines(size_t begin, size_t end) {
  auto reader = TraceReader::Open({kCommitted});
  std::string lines;
  Request request;
  for (size_t i = 0; i < end && *(*reader)->Next(request); ++i) {
    if (i >= begin) lines += TraceLine(request) + "\n";
  }
  return lines;
}

TEST(ReplayProgram, TableJsonAndCsvTellOfTheSameReplay) {
  const TemporaryFolder folder;
  const std::string flags = kReplay + " " + kCommitted + " --budget 1M --scopes 2 --policy engine";
  const ProgramEnd table = RunIn(folder, flags);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  for (const char* what : {"no cache", "own history", "and shared cache", "tokens/step", "wasted",
                           "insert ns/token", "propose ns/call", "scope drops", "live tokens"}) {
    EXPECT_THAT(table.out, HasSubstr(what));
  }
  const ProgramEnd csv = RunIn(folder, flags + " --csv");
  EXPECT_THAT(csv.out, StartsWith("trace,budget_bytes,max_scopes,key_len,max_draft,"));
  EXPECT_THAT(csv.out, HasSubstr("\nlockstep_folders,1048576,2,8,8,"));
  EXPECT_EQ(Counts(folder.Read("out/replay/replay.csv")), Counts(csv.out));

  const Json json = Json::parse(RunIn(folder, flags + " --json").out);
  const Json& replay = json["replay"][0];
  EXPECT_EQ(replay["policy"], "engine");
  EXPECT_GT(replay["scopes"].size(), 2u);
  EXPECT_THAT(csv.out, HasSubstr(std::to_string(replay["all"]["steps"].get<uint64_t>())));
  EXPECT_EQ(Json::parse(folder.Read("out/replay/result.json"))["replay"][0]["all"]["steps"],
            replay["all"]["steps"]);
}

TEST(ReplayProgram, StandardInputShardsAndOtherLibrariesGiveTheSameCounts) {
  const TemporaryFolder folder;
  const std::string want = Counts(RunIn(folder, kReplay + " --csv " + kCommitted).out);
  ASSERT_GT(want.size(), 300u);
  EXPECT_EQ(Counts(RunIn(folder, kReplay + " --csv - <" + kCommitted).out), want);
  folder.Write("all.jsonl", CommittedLines(0, SIZE_MAX));
  EXPECT_EQ(Counts(RunIn(folder, "cat all.jsonl | " + kReplay + " --csv -").out), want);
  EXPECT_EQ(Counts(RunIn(folder, kReplay + " --csv --impl " OWN_LIBRARY " " + kCommitted).out),
            want);
  EXPECT_EQ(Counts(RunIn(folder, kReplay + " --csv --impl " PLAIN_LIBRARY " " + kCommitted).out),
            want);
  folder.Write("t.0.jsonl", CommittedLines(0, 30));
  folder.Write("t.1.jsonl", CommittedLines(30, SIZE_MAX));
  EXPECT_EQ(Counts(RunIn(folder, kReplay + " --csv t.0.jsonl t.1.jsonl").out), want);
}

TEST(ReplayProgram, SweepIsTheSingleReplaysInOrder) {
  const TemporaryFolder folder;
  std::string want;
  for (const char* flags : {"--budget 1M --key-len 3", "--budget 1M --key-len 8",
                            "--budget 256K --key-len 3", "--budget 256K --key-len 8"}) {
    const std::string csv = RunIn(folder, kReplay + " --csv " + kCommitted + " " + flags).out;
    want += csv.substr(csv.find('\n') + 1);
  }
  const ProgramEnd sweep =
      RunIn(folder, kReplay + " --csv --sweep budget=1M,256K key-len=3,8 " + kCommitted);
  EXPECT_EQ(Counts(sweep.out.substr(sweep.out.find('\n') + 1)), Counts(want));
  const ProgramEnd table = RunIn(folder, kReplay + " " + kCommitted + " --sweep key-len=3,8");
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_THAT(table.out, HasSubstr("shared drafts"));
}

TEST(ReplayProgram, BadInputIsOneLineThatNamesFileAndLine) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& contents, const std::string& place) {
    folder.Write("t.jsonl", contents);
    const ProgramEnd end = RunIn(folder, kReplay + " t.jsonl");
    EXPECT_EQ(end.exit_code, 2) << place;
    EXPECT_THAT(end.err, StartsWith("lockstep-replay: t.jsonl:" + place));
    EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
    EXPECT_EQ(end.out, "");
  };
  expect("", "1: ");
  expect(std::string(kLine) + With("\"output\"", "\"outputs\""), "2: ");
  expect(std::string(kLine) + With(",\"output\":[1,2,3,4]", ""), "2: ");
  expect(With("[1,2,3]", "[1,-2,3]"), "1: ");
  expect(With("[1,2,3]", "[1,2.5,3]"), "1: ");
  expect(With("[1,2,3]", "[1,4294967295,3]"), "1: ");
  expect(std::string(kLine) + kLine + "{", "3: ");
  expect(std::string(kLine) + std::string((64 << 20) + 1, ' ') + "\n", "2: ");
}

TEST(ReplayProgram, TruncatedZstIsNamed) {
  const TemporaryFolder folder;
  ASSERT_EQ(RunIn(folder, "head -c 5000 " + kCommitted + " >t.jsonl.zst").exit_code, 0);
  const ProgramEnd end = RunIn(folder, kReplay + " t.jsonl.zst");
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, StartsWith("lockstep-replay: t.jsonl.zst:"));
}

TEST(ReplayProgram, BadUsageExits2AndABadLibrary4AndNothingReplayed5) {
  const TemporaryFolder folder;
  folder.Write("t.jsonl", kLine);
  folder.Write("silent.jsonl", With("[1,2,3,4]", "[]"));
  const auto exit_code = [&](const std::string& arguments) {
    const ProgramEnd end = RunIn(folder, kReplay + " " + arguments);
    EXPECT_NE(end.err, "") << arguments;
    return end.exit_code;
  };
  EXPECT_EQ(exit_code(""), 2);
  EXPECT_EQ(exit_code("no.jsonl"), 2);
  EXPECT_EQ(exit_code("."), 2);
  EXPECT_EQ(exit_code("t.jsonl --budget 1Q"), 2);
  EXPECT_EQ(exit_code("t.jsonl --budget 6143"), 2);
  EXPECT_EQ(exit_code("t.jsonl --max-draft 0"), 2);
  EXPECT_EQ(exit_code("t.jsonl --policy bold"), 2);
  EXPECT_EQ(exit_code("t.jsonl --sweep bugdet=1M"), 2);
  EXPECT_EQ(exit_code("- --sweep key-len=3,4 <t.jsonl"), 2);
  EXPECT_EQ(exit_code("t.jsonl --impl no.so"), 4);
  EXPECT_EQ(exit_code("t.jsonl --impl t.jsonl"), 4);
  EXPECT_EQ(exit_code("silent.jsonl"), 5);
}

TEST(TraceProgram, MakesATraceThatReplays) {
  const TemporaryFolder folder;
  ASSERT_EQ(RunIn(folder,
                  "git init -q r && cd r && git config user.email a@b && git config user.name a && "
                  "seq 1 400 >a.txt && git add . && git commit -qm one && seq 2 401 >a.txt && "
                  "git commit -qam two")
                .exit_code,
            0);
  const ProgramEnd made = RunIn(folder, kTrace + " --git r --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json json = Json::parse(made.out);
  EXPECT_EQ(json["output"], "out/trace/r.jsonl.zst");
  EXPECT_EQ(json["requests"], 2);
  const ProgramEnd replayed = RunIn(folder, kReplay + " --csv out/trace/r.jsonl.zst");
  EXPECT_THAT(replayed.out, HasSubstr("\nr,67108864,4,8,8,2,"));
  EXPECT_EQ(RunIn(folder, kTrace + " --git r -o - 2>/dev/null | " + kReplay + " --csv -").exit_code,
            0);
}

TEST(TraceProgram, NoRepositoryExits2InOneLine) {
  const TemporaryFolder folder;
  for (const char* arguments : {"--git no", "--git .", "", "--git . --max-commits 0"}) {
    const ProgramEnd end =
        RunIn(folder, std::string("GIT_CEILING_DIRECTORIES=/ ") + kTrace + " " + arguments);
    EXPECT_EQ(end.exit_code, 2) << arguments << end.err;
    EXPECT_NE(end.err, "");
  }
}

}  // namespace
}  // namespace lockstep
