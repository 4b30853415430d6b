#include "props/harness/narrate.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kGolden[] = LOCKSTEP_SOURCE_DIR "/corpus/golden/transcripts/";

Narration NarrateText(const std::string& text) {
  const auto transcript = ParseTranscript("t", text);
  EXPECT_TRUE(transcript.ok()) << transcript.status();
  const auto narration = Narrate(*transcript, {}, Level::kExact);
  EXPECT_TRUE(narration.ok()) << narration.status();
  return *narration;
}

TEST(Narrate, AGoldenTranscriptIsToldToItsEnd) {
  const auto transcript = ReadExplainable(std::string(kGolden) + "edge_oldest.jsonl", false);
  ASSERT_TRUE(transcript.ok()) << transcript.status();
  const auto narration = Narrate(*transcript, {}, Level::kExact);
  ASSERT_TRUE(narration.ok()) << narration.status();
  EXPECT_FALSE(narration->parted);
  EXPECT_THAT(narration->text, HasSubstr("They agree in all 61 calls."));
}

// The numbers follow from the spec: keys of two, so "1 2" points at where 3 was written,
// position 3.
TEST(Narrate, EachCallSaysWhatTheModelHoldsAndWhy) {
  const Narration narration =
      NarrateText(R"({"transcript":1,"slots":64,"ring_tokens":12,"key_len":2,"max_scopes":1,)"
                  R"("duplicate_limit":3,"first_position":1}
{"op":"propose","scope":[1,0,0,0],"history":[1,2],"max_len":4}
{"op":"insert","scope":[1,0,0,0],"tokens":[1,2]}
{"op":"insert","scope":[1,0,0,0],"tokens":[1,2,4294967295]}
{"op":"insert","scope":[1,0,0,0],"tokens":[1,2,3,4]}
{"op":"insert","scope":[1,0,0,0],"tokens":[1,2,3,4]}
{"op":"propose","scope":[1,0,0,0],"history":[9,1,2],"max_len":4}
{"op":"propose","scope":[1,0,0,0],"history":[1,2],"max_len":1}
{"op":"propose","scope":[1,0,0,0],"history":[2],"max_len":1}
{"op":"insert","scope":[2,0,0,0],"tokens":[7,7,7,7,7,7,7,7]}
)");
  EXPECT_FALSE(narration.parted) << narration.text;
  for (const char* const words :
       {"The scope does not exist: no draft.", "it is no longer than a key (2): nothing happens.",
        "It holds the reserved token, so it is refused.",
        "The scope is made. Positions 1 to 5 are written in one run. Head 6, oldest live position "
        "1; stored 5; one scope.",
        "Every key already predicts its next token, so nothing is written. Head 6",
        "points at position 3 (cell 3): the draft is [3 4], up to the end of the run (position 5).",
        "the draft is [3], as many as were asked for (position 4).",
        "The history is shorter than a key (2): no draft.",
        "At the limit, the least recently used scope is dropped whole. The scope is made.",
        "in one run, one cut at 3 predicted tokens in a row", "They agree in all 9 calls."}) {
    EXPECT_THAT(narration.text, HasSubstr(words));
  }
}

TEST(Narrate, AWrongExpectationIsWhereTheStoryEnds) {
  const Narration narration = NarrateText(
      R"({"transcript":1,"budget_bytes":6144,"max_scopes":1,"key_len":2}
{"op":"insert","scope":[1,0,0,0],"tokens":[1,2,3,4],"stored_tokens":5}
{"op":"propose","scope":[1,0,0,0],"history":[1,2],"max_len":4,"draft":[3,5]}
{"op":"insert","scope":[1,0,0,0],"tokens":[1,2,3,4]}
)");
  EXPECT_TRUE(narration.parted);
  EXPECT_THAT(narration.text, HasSubstr("parts from the model at call 2 (line 3): draft: expected "
                                        "[3 5], got [3 4]"));
  EXPECT_THAT(narration.text, Not(HasSubstr("3. insert")));
}

TEST(Narrate, ARefusedConfigurationIsToldAsSuch) {
  const Narration narration =
      NarrateText(R"({"transcript":1,"budget_bytes":6143,"max_scopes":1,"key_len":2})");
  EXPECT_FALSE(narration.parted);
  EXPECT_THAT(narration.text, HasSubstr("refuses the configuration: INVALID_ARGUMENT"));
}

TEST(ReadExplainable, AFuzzInputIsRecognisedAndJunkIsNot) {
  const std::string path = ::testing::TempDir() + "narrate_test." + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << std::string("\1\1\0\0\0\0\0\0\7\0\0\xc1\0\2\5\6", 16);
  const auto input = ReadExplainable(path, false);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->sequence.tiny);
  EXPECT_EQ(input->sequence.ops.size(), 1);
  std::ofstream(path, std::ios::binary) << "\x7fjunk";
  EXPECT_EQ(ReadExplainable(path, false).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(ReadExplainable(path, true).ok());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lockstep
