#include "props/harness/exact_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "props/harness/transcript.h"

namespace lockstep {
namespace {

std::vector<std::string> GoldenTranscripts() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(LOCKSTEP_SOURCE_DIR "/corpus/golden/transcripts")) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The model is what everything else is held to, so it is itself held to the engine's own answers.
TEST(ExactModel, AnswersEveryGoldenTranscriptAsTheEngineDid) {
  const std::vector<std::string> paths = GoldenTranscripts();
  ASSERT_GE(paths.size(), 22U);
  for (const std::string& path : paths) {
    const absl::StatusOr<Transcript> transcript = ReadTranscript(path);
    ASSERT_TRUE(transcript.ok()) << transcript.status();
    const auto options = ModelOptions::FromConfig(transcript->sequence.config);
    ASSERT_TRUE(options.ok()) << options.status();
    EXPECT_EQ(transcript->slots, options->slots);
    EXPECT_EQ(transcript->ring_tokens, options->ring_tokens);
    ExactModel model(*options);
    for (size_t i = 0; i < transcript->sequence.ops.size(); ++i) {
      const Operation& op = transcript->sequence.ops[i];
      const auto what = Disagreement(transcript->expectations[i], op, model.Apply(op));
      ASSERT_FALSE(what.has_value()) << path << ":" << transcript->lines[i] << ": " << *what;
    }
  }
}

ModelOptions Tiny() {
  return {.slots = 4, .ring_tokens = 8, .key_len = 1, .max_scopes = 2, .duplicate_limit = 2};
}

TEST(ExactModel, OldestPositionIsBelievedAndTheOneBeforeIsNot) {
  ExactModel model(Tiny());
  const ScopeKey scope{.tenant = 1};
  // Positions 1..3 hold 1 2 R: 2 was written at position 2, the key 1 at position 1.
  model.Apply(Insert(scope, {1, 2}));
  const Operation probe = Propose(scope, {1}, 4);
  // Six more cells make head 9 + 1: position 1 is still live when oldest is 1 and no more after.
  model.Apply(Insert(scope, {5, 6}));
  EXPECT_EQ(model.Apply(probe).draft, std::vector<Token>({2}));
  model.Apply(Insert(scope, {7, 8}));
  EXPECT_EQ(model.stored_tokens(scope), 9U);
  EXPECT_TRUE(model.Apply(probe).draft.empty());
}

TEST(ExactModel, ScopesDifferInEveryField) {
  ExactModel model({.slots = 4, .ring_tokens = 8, .key_len = 1, .max_scopes = 9});
  model.Apply(Insert({.model = 7}, {1, 2}));
  for (const ScopeKey& other : {ScopeKey{.tokenizer = 7}, ScopeKey{.adapter = 7},
                                ScopeKey{.tenant = 7}, ScopeKey{.model = 7, .tenant = 1}}) {
    EXPECT_TRUE(model.Apply(Propose(other, {1}, 4)).draft.empty());
  }
  EXPECT_EQ(model.Apply(Propose({.model = 7}, {1}, 4)).draft, std::vector<Token>({2}));
}

TEST(ExactModel, ConfigurationsOfTheSpecAreAcceptedOrRefused) {
  EXPECT_TRUE(ModelOptions::FromConfig({6144, 1, 1}).ok());
  EXPECT_FALSE(ModelOptions::FromConfig({6143, 1, 1}).ok());
  EXPECT_FALSE(ModelOptions::FromConfig({6144, 0, 1}).ok());
  EXPECT_FALSE(ModelOptions::FromConfig({6144, 1, 0}).ok());
  EXPECT_TRUE(ModelOptions::FromConfig({6144, 1, 1022}).ok());
  EXPECT_FALSE(ModelOptions::FromConfig({6144, 1, 1023}).ok());
  EXPECT_TRUE(ModelOptions::FromConfig({6144, 1, 1023}, /*any_key_len=*/true).ok());
}

}  // namespace
}  // namespace lockstep
