#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/geometry.h"
#include "props/harness/exact_judge.h"
#include "props/harness/implementation.h"
#include "props/harness/interpreter.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

std::vector<std::string> GoldenTranscripts() {
  std::vector<std::string> paths;
  const std::string dir = LOCKSTEP_SOURCE_DIR "/corpus/golden/transcripts";
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class Golden : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    absl::StatusOr<Transcript> read = ReadTranscript(GetParam());
    ASSERT_TRUE(read.ok()) << read.status();
    transcript_ = *std::move(read);
    ASSERT_FALSE(transcript_.sequence.ops.empty());
  }
  // Where a person would look.
  std::string At(size_t op) const {
    return GetParam() + ":" + std::to_string(transcript_.lines[op]);
  }

  Transcript transcript_;
};

TEST_P(Golden, PassesExactlyThroughTheCInterface) {
  const CreateResult made = CreateCache(OwnCore(), transcript_.sequence.config);
  ASSERT_EQ(made.status, LOCKSTEP_OK) << made.error;
  Interpreter interpreter({.guard_pages = true});
  for (size_t i = 0; i < transcript_.sequence.ops.size(); ++i) {
    const Operation& op = transcript_.sequence.ops[i];
    const std::vector<Answer> answers = interpreter.Step(*made.cache, {&op, 1});
    ASSERT_EQ(answers.size(), 1);
    EXPECT_FALSE(answers[0].touched_past_written || answers[0].touched_past_max_len) << At(i);
    ASSERT_EQ(Disagreement(transcript_.expectations[i], op, answers[0]), std::nullopt) << At(i);
  }
}

TEST_P(Golden, IsWhatTheExactModelSays) {
  const absl::StatusOr<ModelOptions> options =
      ModelOptions::FromConfig(transcript_.sequence.config);
  ASSERT_TRUE(options.ok()) << options.status();
  ExactModel model(*options);
  for (size_t i = 0; i < transcript_.sequence.ops.size(); ++i) {
    const Operation& op = transcript_.sequence.ops[i];
    ASSERT_EQ(Disagreement(transcript_.expectations[i], op, model.Apply(op)), std::nullopt)
        << At(i);
  }
}

TEST_P(Golden, NamesTheGeometryOfItsConfiguration) {
  const absl::StatusOr<ScopeGeometry> geometry = ComputeGeometry(transcript_.sequence.config);
  ASSERT_TRUE(geometry.ok()) << geometry.status();
  EXPECT_EQ(geometry->slots, transcript_.slots);
  EXPECT_EQ(geometry->ring_tokens, transcript_.ring_tokens);
  EXPECT_EQ(geometry->scope_bytes, transcript_.scope_bytes);
}

INSTANTIATE_TEST_SUITE_P(Transcripts, Golden, ::testing::ValuesIn(GoldenTranscripts()),
                         [](const auto& tested) {
                           return std::filesystem::path(tested.param).stem().string();
                         });

}  // namespace
}  // namespace lockstep
