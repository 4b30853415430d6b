#include "props/harness/transcript.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kConfigLine[] =
    "{\"transcript\":1,\"budget_bytes\":6144,\"max_scopes\":1,\"key_len\":2}\n";

// The message that a transcript of the configuration line and `lines` is refused with.
std::string RefusalOf(const std::string& lines) {
  const auto transcript = ParseTranscript("t.jsonl", kConfigLine + lines);
  if (transcript.ok()) return "accepted";
  EXPECT_EQ(transcript.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(transcript.status().message());
}

TEST(ParseTranscript, AllMembersAreRead) {
  const auto t = ParseTranscript(
      "t", R"({"transcript":1,"budget_bytes":18446744073709551615,"max_scopes":3,"key_len":2,)"
           R"("slots":4,"ring_tokens":5,"scope_bytes":6}
{"op":"insert","scope":[18446744073709551615,1,2,3],"tokens":[0,4294967295],"refused":true,)"
           R"("stored_tokens":7,"scopes":8}
{"op":"propose","scope":[1,2,3,4],"history":[9,10],"max_len":18446744073709551615,"draft":[11]}
{"op":"propose","scope":[1,2,3,4],"history":[],"max_len":0,"batched":true}

)");
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->sequence.config, (CacheConfig{UINT64_MAX, 3, 2}));
  EXPECT_EQ(t->slots, 4);
  EXPECT_EQ(t->ring_tokens, 5);
  EXPECT_EQ(t->scope_bytes, 6);
  EXPECT_FALSE(t->sequence.tiny);
  ASSERT_EQ(t->sequence.ops.size(), 3);
  EXPECT_EQ(t->sequence.ops[0], Insert({UINT64_MAX, 1, 2, 3}, {0, 4294967295}));
  EXPECT_TRUE(t->expectations[0].refused);
  EXPECT_EQ(t->expectations[0].stored_tokens, 7);
  EXPECT_EQ(t->expectations[0].scope_count, 8);
  EXPECT_FALSE(t->expectations[0].draft);
  EXPECT_EQ(t->sequence.ops[1], Propose({1, 2, 3, 4}, {9, 10}, UINT64_MAX));
  EXPECT_EQ(t->expectations[1].draft, std::vector<Token>{11});
  EXPECT_FALSE(t->expectations[1].refused);
  EXPECT_FALSE(t->expectations[1].scope_count);
  EXPECT_TRUE(t->sequence.ops[2].batched);
  EXPECT_EQ(t->lines, (std::vector<uint64_t>{2, 3, 4}));
}

TEST(ParseTranscript, EveryFaultNamesItsLineAndTheRemedy) {
  const std::string call = R"({"op":"insert","scope":[1,2,3,4],"tokens":[1,2,3]})";
  const struct {
    std::string lines, message;
  } kCases[] = {
      {call + "\n" + call.substr(0, 40), "t.jsonl:3: not JSON at byte 41 of the line (cut short"},
      {"[]\n", "t.jsonl:2: the line is an array; write one JSON object"},
      {"17\n", "t.jsonl:2: the line is a number"},
      {"\"op\"\n", "t.jsonl:2: the line is a string"},
      {std::string("\0\x7f\xff{}", 5), "t.jsonl:2: not JSON at byte 1"},
      {"{}\n", "t.jsonl:2: \"op\" is missing"},
      {"\n" + call, "t.jsonl:2: an empty line"},
      {call + call, "t.jsonl:2: not JSON"},
      {R"({"op":"erase","scope":[1,2,3,4]})", "t.jsonl:2: \"op\" is neither"},
      {R"({"op":1})", "t.jsonl:2: \"op\" is a number; write a string"},
      {R"({"op":"insert","op":"insert"})", "t.jsonl:2: \"op\" is given twice"},
      {R"({"op":"insert","scope":[1,2,3,4]})", "t.jsonl:2: \"tokens\" is missing"},
      {R"({"op":"insert","tokens":[]})", "t.jsonl:2: \"scope\" is missing"},
      {R"({"op":"insert","scope":[1,2,3],"tokens":[]})", "t.jsonl:2: \"scope\" has 3 numbers"},
      {R"({"op":"insert","scope":[1,2,3,4,5],"tokens":[]})", "\"scope\" has more than four"},
      {R"({"op":"insert","scope":[1,2,3,-4],"tokens":[]})", "\"scope\"[3] is -4; write a whole"},
      {R"({"op":"insert","scope":{"model":1},"tokens":[]})", "\"scope\" is an object; write an"},
      {R"({"op":"insert","scope":[1,2,3,18446744073709551616],"tokens":[]})",
       "\"scope\"[3] is 18446744073709551616; no number here may be above"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":[1,4294967296]})",
       "\"tokens\"[1] is 4294967296; a token here is at most 4294967295"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":[1.0]})", "\"tokens\"[0] is 1.0; write it as"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":[1e999]})", "a number out of range"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":["1"]})", "\"tokens\"[0] is a string"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":[[1]]})", "\"tokens\"[0] is an array"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":[null]})", "\"tokens\"[0] is null"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":null})", "\"tokens\" is null; write an array"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":[],"refused":1})", "\"refused\" is a number"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":[],"drafts":[]})",
       "unknown member \"drafts\"; remove it or correct its name"},
      {R"({"op":"insert","scope":[1,2,3,4],"tokens":[],"max_len":1})",
       "\"max_len\" does not belong to \"insert\""},
      {R"({"op":"propose","scope":[1,2,3,4],"history":[1],"max_len":1,"refused":true})",
       "\"refused\" does not belong to \"propose\""},
      {R"({"op":"propose","scope":[1,2,3,4],"history":[1]})", "\"max_len\" is missing"},
      {R"({"op":"propose","scope":[1,2,3,4],"history":[1],"max_len":1,"draft":[1,2]})",
       "\"draft\" has 2 tokens, more than \"max_len\" 1"},
      {R"({"op":"propose","scope":[1,2,3,4],"history":[1],"max_len":1,"batched":true})",
       "the line before is no proposal"},
      {std::string(1 << 20, '['), "the line is an array"},
      {R"({"op":)" + std::string(1 << 20, '{'), "\"op\" is an object"},
      {"{\"" + std::string(1 << 20, 'x') + "\":1}", "unknown member \"xxxxxxxxxx"},
  };
  for (const auto& c : kCases) {
    const std::string refusal = RefusalOf(c.lines);
    EXPECT_THAT(refusal, HasSubstr(c.message));
    EXPECT_THAT(refusal, StartsWith("t.jsonl:"));
    EXPECT_LT(refusal.size(), 200);
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
  }
}

TEST(ParseTranscript, EveryFaultOfTheFirstLineIsNamed) {
  const struct {
    std::string text, message;
  } kCases[] = {
      {"", "t:1: the file is empty"},
      {"\n\n", "t:1: an empty line"},
      {"{}", "t:1: \"transcript\" is missing"},
      {R"({"transcript":2,"budget_bytes":1,"max_scopes":1,"key_len":1})", "only version 1"},
      {R"({"transcript":1,"max_scopes":1,"key_len":1})", "\"budget_bytes\" is missing"},
      {R"({"transcript":1,"budget_bytes":1,"max_scopes":1,"key_len":1,"first_position":1})",
       "\"budget_bytes\" does not go with"},
      {R"({"transcript":1,"max_scopes":1,"key_len":1,"first_position":1})", "\"slots\" is missing"},
      {R"({"transcript":1,"max_scopes":1,"key_len":1,"slots":3,"ring_tokens":9,)"
       R"("first_position":1,"duplicate_limit":2})",
       "\"slots\" is 3; give a power of two"},
      {R"({"transcript":1,"max_scopes":1,"key_len":8,"slots":2,"ring_tokens":9,)"
       R"("first_position":1,"duplicate_limit":2})",
       "\"key_len\" is 8; give 1 to ring_tokens - 2"},
  };
  for (const auto& c : kCases) {
    const auto transcript = ParseTranscript("t", c.text);
    ASSERT_FALSE(transcript.ok()) << c.text;
    EXPECT_THAT(std::string(transcript.status().message()), HasSubstr(c.message));
  }
}

TEST(ReadTranscript, MissingFileAndDirectoryAreNotFound) {
  for (const std::string path : {"/no/such/file", "/tmp"}) {
    const auto transcript = ReadTranscript(path);
    EXPECT_EQ(transcript.status().code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(transcript.status().message()), StartsWith(path + ": "));
  }
}

// Cut anywhere, a golden transcript is refused at its last line or is a shorter transcript; no cut
// crashes or invents a call.
TEST(ParseTranscript, EveryTruncationIsSurvived) {
  const std::string text = absl::StrCat(
      kConfigLine, R"({"op":"insert","scope":[1,2,3,4],"tokens":[1,2,3],"scopes":1})", "\n",
      R"({"op":"propose","scope":[1,2,3,4],"history":[1,2],"max_len":4,"draft":[3]})", "\n");
  size_t accepted = 0;
  for (size_t size = 0; size < text.size(); ++size) {
    const auto transcript = ParseTranscript("t", std::string_view(text).substr(0, size));
    if (!transcript.ok()) continue;
    ++accepted;
    EXPECT_TRUE(text[size] == '\n' || text[size - 1] == '\n') << size;
  }
  EXPECT_EQ(accepted, 5);
}

TEST(WriteTranscript, IsReadBackAsItWas) {
  Sequence sequence;
  sequence.config = {6144, 1, 2};
  sequence.ops = {Insert({1, 0, 0, UINT64_MAX}, {1, 2, 3, 4294967294}),
                  Propose({1, 0, 0, 0}, {1, 2}, UINT64_MAX), Propose({1, 0, 0, 0}, {}, 0)};
  sequence.ops[2].batched = true;
  const auto back = ParseTranscript("t", WriteTranscript(sequence));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->sequence.config, sequence.config);
  EXPECT_EQ(back->sequence.ops, sequence.ops);

  sequence.tiny = ModelOptions{.slots = 4,
                               .ring_tokens = 8,
                               .key_len = 2,
                               .max_scopes = 2,
                               .duplicate_limit = 3,
                               .first_position = uint64_t{1} << 63};
  const auto tiny_back = ParseTranscript("t", WriteTranscript(sequence));
  ASSERT_TRUE(tiny_back.ok()) << tiny_back.status();
  EXPECT_EQ(tiny_back->sequence.tiny, sequence.tiny);
  EXPECT_EQ(tiny_back->sequence.ops, sequence.ops);
}

TEST(Disagreement, EachExpectationIsCompared) {
  const Operation insert = Insert({}, {1, 2, 3});
  const Operation propose = Propose({}, {1, 2}, 4);
  Answer ok;
  ok.stored_tokens = 3;
  ok.scope_count = 1;
  Answer refused = ok;
  refused.status = LOCKSTEP_INVALID_ARGUMENT;
  Answer draft = ok;
  draft.written = 2;
  draft.draft = {3, 4};

  EXPECT_EQ(Disagreement({}, insert, ok), std::nullopt);
  EXPECT_NE(Disagreement({}, insert, refused), std::nullopt);
  EXPECT_EQ(Disagreement({}, Insert({}, {kReservedToken}), refused), std::nullopt);
  EXPECT_EQ(Disagreement({.refused = true}, insert, refused), std::nullopt);
  EXPECT_NE(Disagreement({.refused = true}, insert, ok), std::nullopt);
  EXPECT_EQ(Disagreement({.stored_tokens = 3, .scope_count = 1}, insert, ok), std::nullopt);
  EXPECT_NE(Disagreement({.stored_tokens = 4}, insert, ok), std::nullopt);
  EXPECT_NE(Disagreement({.scope_count = 2}, insert, ok), std::nullopt);
  EXPECT_EQ(Disagreement({.draft = {{3, 4}}}, propose, draft), std::nullopt);
  EXPECT_EQ(*Disagreement({.draft = {{3, 5}}}, propose, draft), "draft: expected [3 5], got [3 4]");
  EXPECT_NE(Disagreement({.draft = {std::vector<Token>{}}}, propose, draft), std::nullopt);
  draft.written = 9;
  EXPECT_EQ(*Disagreement({.draft = {{3, 4}}}, propose, draft),
            "draft: expected [3 4], got a count of 9");
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The golden files were written by the engine's own implementation, so this holds the reader, the
// model and the writer to it at once.
TEST(WriteTranscript, GoldenTranscriptsComeOutByteForByte) {
  const std::string dir = LOCKSTEP_SOURCE_DIR "/corpus/golden/transcripts";
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    const auto transcript = ReadTranscript(entry.path().string());
    ASSERT_TRUE(transcript.ok()) << transcript.status();
    EXPECT_TRUE(WriteTranscript(transcript->sequence) == ReadAll(entry.path())) << entry.path();
  }
}

TEST(ReadTranscript, EveryGoldenTranscriptIsRead) {
  uint64_t files = 0, ops = 0;
  const std::string dir = LOCKSTEP_SOURCE_DIR "/corpus/golden/transcripts";
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    const auto transcript = ReadTranscript(entry.path().string());
    ASSERT_TRUE(transcript.ok()) << transcript.status();
    ++files;
    ops += transcript->sequence.ops.size();
  }
  EXPECT_EQ(files, 22);
  EXPECT_EQ(ops, 5832);  // what `grep -c op` counts
}

}  // namespace
}  // namespace lockstep
