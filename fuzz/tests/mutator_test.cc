#include <algorithm>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "props/harness/codec.h"
#include "props/harness/codec_format.h"

// What libFuzzer would do to a few bytes: one other bit.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  if (max_size == 0) return 0;
  data[0] ^= 1;
  return std::max<size_t>(size, 1);
}
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed);
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed);

namespace lockstep {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr unsigned kSeeds = 20'000;

// Two documents and a question of three tokens, over a tiny cache of four scopes.
Bytes Input() {
  return {codec::kVersion,
          1,
          3,
          40,
          0,
          3,
          0,
          0,
          codec::kWideVocabulary,  //
          0,
          0,
          codec::kCountExact + 1,
          0,
          4,
          5,
          6,
          7,
          8,  //
          0,
          1,
          codec::kCountExact + 1,
          0,
          4,
          5,
          6,
          7,
          9,  //
          2,
          0,
          9,
          codec::kCountExact + 1,
          0,
          3,
          5,
          6,
          7};
}

Bytes Mutate(Bytes bytes, size_t max_size, unsigned seed) {
  const size_t size = bytes.size();
  bytes.resize(max_size);
  bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, max_size, seed));
  return bytes;
}

TEST(Mutator, AnswersTheSameToTheSameSeedAndKeepsToTheLimit) {
  for (const size_t max_size : {36, 40, 160}) {
    for (unsigned seed = 0; seed < 2'000; ++seed) {
      const Bytes once = Mutate(Input(), max_size, seed);
      ASSERT_LE(once.size(), max_size);
      ASSERT_EQ(once, Mutate(Input(), max_size, seed));
    }
  }
}

TEST(Mutator, AsksTheSameAgainInOtherScopesAndForOtherLengths) {
  std::set<uint64_t> lengths;
  bool elsewhere = false, batched = false;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const std::vector<Operation> ops = Decode(Mutate(Input(), 160, seed)).sequence.ops;
    const Operation* asked = nullptr;
    for (const Operation& op : ops) {
      if (op.kind != Operation::Kind::kPropose || op.tokens != std::vector<Token>{5, 6, 7})
        continue;
      if (asked != nullptr) {
        lengths.insert(op.max_len);
        batched |= op.batched;
        elsewhere |= op.scope != asked->scope && op.max_len != asked->max_len;
      }
      asked = &op;
    }
  }
  EXPECT_TRUE(elsewhere);
  EXPECT_TRUE(batched);
  for (const uint64_t length : {0, 1, 2, 3, 9}) EXPECT_TRUE(lengths.contains(length)) << length;
}

TEST(Mutator, CrossesInputsBetweenOperations) {
  Bytes other = Input();
  other[other.size() - 1] = 11;  // the question's last token
  std::set<std::vector<Token>> asked_together;
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    Bytes out(160);
    const Bytes input = Input();
    out.resize(LLVMFuzzerCustomCrossOver(input.data(), input.size(), other.data(), other.size(),
                                         out.data(), out.size(), seed));
    size_t whole = 0;
    for (const Operation& op : Decode(out).sequence.ops) {
      whole += op.tokens.size() == 3 || op.tokens.size() == 4;
      if (op.kind == Operation::Kind::kPropose) asked_together.insert(op.tokens);
    }
    ASSERT_EQ(whole, Decode(out).sequence.ops.size()) << "an operation was cut, seed " << seed;
  }
  EXPECT_EQ(asked_together, (std::set<std::vector<Token>>{{5, 6, 7}, {5, 6, 11}}));
}

}  // namespace
}  // namespace lockstep
