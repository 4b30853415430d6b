#include "props/harness/codec.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "props/harness/codec_format.h"
#include "props/harness/exact_model.h"
#include "props/harness/random.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

uint64_t TokensOf(const Sequence& sequence) {
  uint64_t tokens = 0;
  for (const Operation& op : sequence.ops) tokens += op.tokens.size();
  return tokens;
}

void ExpectSame(const DecodedInput& a, const DecodedInput& b) {
  EXPECT_EQ(a.tiny, b.tiny);
  if (a.tiny) {
    EXPECT_EQ(a.options, b.options);
  } else {
    EXPECT_EQ(a.sequence.config, b.sequence.config);
  }
  ASSERT_EQ(a.sequence.ops.size(), b.sequence.ops.size());
  for (size_t i = 0; i < a.sequence.ops.size(); ++i) {
    ASSERT_EQ(a.sequence.ops[i], b.sequence.ops[i]) << "operation " << i;
  }
}

std::vector<uint8_t> RandomBytes(Random& random, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Next());
  return bytes;
}

TEST(Decode, EveryInputIsASequenceWithinTheLimits) {
  Random random(1);
  uint64_t tiny = 0, operations = 0;
  constexpr int kInputs = 20'000;
  for (int i = 0; i < kInputs; ++i) {
    const DecodedInput input = Decode(RandomBytes(random, random.Below(300)));
    const CodecLimits limits = input.tiny ? kTinyLimits : kConfiguredLimits;
    ASSERT_LE(input.sequence.ops.size(), limits.ops);
    ASSERT_LE(TokensOf(input.sequence), limits.tokens);
    if (input.tiny) {
      const ModelOptions& o = input.options;
      ASSERT_TRUE(std::has_single_bit(o.slots));
      ASSERT_GE(o.key_len, 1);
      ASSERT_LT(o.key_len, o.ring_tokens - 1);
      ASSERT_GE(o.max_scopes, 1);
      ASSERT_GE(o.duplicate_limit, 1);
      ASSERT_GE(o.first_position, 1);
    }
    ASSERT_TRUE(input.sequence.ops.empty() || !input.sequence.ops[0].batched);
    tiny += input.tiny;
    operations += input.sequence.ops.size();
  }
  EXPECT_NEAR(static_cast<double>(tiny) / kInputs, 0.9, 0.02);
  EXPECT_GT(operations, 4 * kInputs);
}

TEST(Decode, NoInputTakesMoreWorkThanTheLimitsAllow) {
  // Edits and slices of long documents, again and again: the limits must end them.
  std::vector<uint8_t> bytes = {1, 0, 0, 239, 0, 0, 0};
  bytes.insert(bytes.end(), {0, 0, codec::kCountExact + 1, 3, 215, 0, 0, 0, 0});
  for (int i = 0; i < 100'000; ++i) {
    bytes.insert(bytes.end(), {0, 0, codec::kCountExact + 3, 6, 0, 1, 6, 6, 0, 2, 6, 6, 0, 3, 6});
  }
  const DecodedInput input = Decode(bytes);
  EXPECT_EQ(TokensOf(input.sequence), kConfiguredLimits.tokens);
  EXPECT_EQ(input.sequence.ops.size(), kConfiguredLimits.ops);
}

TEST(Decode, ARepeatMakesTheCallsBeforeItAgainInScopesFurtherOn) {
  // Two scopes from the 17th entry on: a document of three tokens, and a proposal.
  std::vector<uint8_t> bytes = {2, 1, 0, 0, 0, 3, 0, 0, 2};
  bytes.insert(bytes.end(), {0, 160, codec::kCountExact + 1, 2, 3, 1, 2, 160, 7, 193, 2, 2, 1});
  const size_t before = Decode(bytes).sequence.ops.size();
  ASSERT_EQ(before, 2);
  bytes.insert(bytes.end(), {codec::kRepeatByte, 0, 1, 2, codec::kExplicit, 5});
  const std::vector<Operation> ops = Decode(bytes).sequence.ops;
  ASSERT_EQ(ops.size(), 2 + 3 * 2);
  for (size_t i = 2; i < ops.size(); ++i) {
    EXPECT_EQ(ops[i].kind, ops[i % 2].kind);
    EXPECT_EQ(ops[i].tokens, ops[i % 2].tokens);
    EXPECT_EQ(ops[i].max_len, ops[i % 2].max_len);
    EXPECT_EQ(ops[i].scope.tenant, ops[i % 2].scope.tenant + 5 * (i / 2));
  }
  bytes[0] = 1;  // which has no repeats: it is a proposal there, as it always was
  EXPECT_EQ(Decode(bytes).sequence.ops[2].kind, Operation::Kind::kPropose);
}

TEST(Decode, RepeatsOfRepeatsKeepToTheLimits) {
  std::vector<uint8_t> bytes = {2, 0, 0, 100, 0, 0, 2, 0, 0, codec::kCountExact + 1, 2, 199, 1};
  bytes.insert(bytes.end(), {2, 0, 9, codec::kCountExact + 1, 2, 9, 1, 4, 0, 9, 193, 2, 9, 1});
  for (int i = 0; i < 50; ++i) {
    bytes.insert(bytes.end(), {codec::kRepeatByte, 0, static_cast<uint8_t>(i), 239, 0});
  }
  const DecodedInput input = Decode(bytes);
  EXPECT_GT(input.sequence.ops.size(), 50);
  EXPECT_LE(input.sequence.ops.size(), 3 + kConfiguredRepeats.ops);
  EXPECT_LE(TokensOf(input.sequence), 1'000 + kConfiguredRepeats.tokens);
  const std::vector<Operation>& ops = input.sequence.ops;
  for (size_t i = 1; i < ops.size(); ++i) {
    ASSERT_TRUE(!ops[i].batched || ops[i - 1].kind == Operation::Kind::kPropose) << i;
  }
}

TEST(Encode, DecodedBytesComeBackAsTheSameSequence) {
  Random random(2);
  for (int i = 0; i < 2'000; ++i) {
    const DecodedInput input = Decode(RandomBytes(random, random.Below(300)));
    const auto bytes = Encode(input);
    ASSERT_TRUE(bytes.has_value());
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Decode(*bytes), input)) << "input " << i;
  }
}

TEST(Encode, GoldenTranscriptsComeBackAndAreShorterThanTheirTokens) {
  const std::string dir = LOCKSTEP_SOURCE_DIR "/corpus/golden/transcripts";
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    const auto transcript = ReadTranscript(entry.path().string());
    ASSERT_TRUE(transcript.ok()) << transcript.status();
    DecodedInput input;
    input.sequence = transcript->sequence;
    const auto bytes = Encode(input);
    ASSERT_TRUE(bytes.has_value()) << entry.path();
    ExpectSame(Decode(*bytes), input);
    EXPECT_LT(bytes->size(), 4 * TokensOf(input.sequence));
  }
}

TEST(Encode, ScopesBeyondTheTableAndExtremeValuesComeBack) {
  DecodedInput input;
  input.tiny = true;
  input.options = {.slots = 4096,
                   .ring_tokens = 4096,
                   .key_len = 4094,
                   .max_scopes = UINT64_MAX,
                   .duplicate_limit = UINT32_MAX,
                   .first_position = uint64_t{1} << 63};
  for (uint64_t i = 0; i < 300; ++i) {
    const ScopeKey scope = {i << 32, UINT64_MAX - i, i % 3, i * i};
    input.sequence.ops.push_back(
        Insert(scope, {0, 239, 240, 65535, 65536, 4294967294, 4294967295}));
    input.sequence.ops.push_back(Propose(scope, {}, UINT64_MAX - i));
    if (i % 2 == 0) continue;
    input.sequence.ops.back().max_len = i;
  }
  input.sequence.ops.resize(kTinyLimits.ops);
  const auto bytes = Encode(input);
  ASSERT_TRUE(bytes.has_value());
  ExpectSame(Decode(*bytes), input);
}

TEST(Encode, WhatTheCodecCannotSayIsRefused) {
  DecodedInput input;
  input.sequence.config = {kMaxCodecBudgetBytes + 1, 1, 2};
  EXPECT_FALSE(Encode(input));
  input.sequence.config.budget_bytes = 6144;
  EXPECT_TRUE(Encode(input));
  input.sequence.ops = {Propose({}, {1}, 1)};
  input.sequence.ops[0].batched = true;
  EXPECT_FALSE(Encode(input));
  input.sequence.ops.assign(kConfiguredLimits.ops + 1, Insert({}, {}));
  EXPECT_FALSE(Encode(input));
}

TEST(Decode, SixtyFourBytesWrapARingAndCutARun) {
  const std::vector<uint8_t> bytes = {
      1, 0, 0,   0, 0,   1,   7,                  // one scope of 6,144 bytes, keys of 2
      0, 0, 194, 3, 9,   200, 0, 0, 0, 2, 80, 5,  // insert: 200 to 208, then 80 times 5: cut
      3, 0, 254, 0, 11,  0,                       // propose: what follows 5 5, without an end
      0, 0, 193, 3, 211, 0,   1, 0, 0,            // insert: a counter of three quarters of the ring
      0, 0, 193, 3, 211, 0,   8, 0, 0,            // insert: another: the ring wraps
      5, 0, 4,   30};                             // propose: what is about to be forgotten
  ASSERT_LE(bytes.size(), 64);
  const DecodedInput input = Decode(bytes);
  ASSERT_FALSE(input.tiny);
  ExactModel model(input.options);
  for (const Operation& op : input.sequence.ops) model.Apply(op);
  for (const Situation situation :
       {Situation::kRingWrapped, Situation::kRunCut, Situation::kDraftEndedByRun}) {
    EXPECT_GT(model.situations().of[static_cast<size_t>(situation)], 0) << SituationName(situation);
  }
}

TEST(OperationBoundaries, RiseFromTheHeaderToTheEnd) {
  Random random(3);
  for (int i = 0; i < 2'000; ++i) {
    const std::vector<uint8_t> bytes = RandomBytes(random, random.Below(200));
    const std::vector<size_t> boundaries = OperationBoundaries(bytes);
    ASSERT_FALSE(boundaries.empty());
    ASSERT_TRUE(std::is_sorted(boundaries.begin(), boundaries.end()));
    ASSERT_EQ(boundaries.back(), bytes.size());
    // Without its last operation an input means what it meant, less that operation.
    if (boundaries.size() < 2) continue;
    const size_t cut = boundaries[boundaries.size() - 2];
    const DecodedInput whole = Decode(bytes);
    const DecodedInput less = Decode(absl::MakeConstSpan(bytes).first(cut));
    ASSERT_LE(less.sequence.ops.size(), whole.sequence.ops.size());
    for (size_t op = 0; op < less.sequence.ops.size(); ++op) {
      ASSERT_EQ(less.sequence.ops[op], whole.sequence.ops[op]);
    }
  }
}

}  // namespace
}  // namespace lockstep
