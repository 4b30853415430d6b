// Every way to hash a block of keys, against the definition of one key.

#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/ngram_key.h"

namespace lockstep {
namespace {

// The definition, a word at a time: no rotation, no constant and no shift is shared with the core.
uint64_t HashByDefinition(const Token* tokens, size_t key_len) {
  unsigned __int128 hash = 14695981039346656037u;
  for (size_t i = 0; i < key_len; ++i) {
    hash = static_cast<uint64_t>((hash ^ tokens[i]) * 1099511628211u);
    hash = static_cast<uint64_t>(hash * (1u << 29)) + (hash / (uint64_t{1} << 35));
  }
  return static_cast<uint64_t>(hash * 11400714819323198485u);
}

class HashPaths : public testing::TestWithParam<HashPath> {
 protected:
  void SetUp() override {
    if (!HashPathSupported(GetParam())) GTEST_SKIP() << "this processor lacks it";
    SetHashPathForTesting(GetParam());
  }
  void TearDown() override { SetHashPathForTesting(before_); }

  // Hashes `count` keys and compares slots and tags with the definition, and what lies past them
  // with what was there before.
  void Check(const std::vector<Token>& tokens, size_t count, size_t key_len, SlotLayout layout) {
    constexpr uint64_t kUntouched = 77;
    std::vector<uint64_t> slots(count + 8, kUntouched);
    std::vector<uint64_t> tags(count + 8, kUntouched);
    HashNgrams(tokens.data(), count, key_len, layout, slots.data(), tags.data());
    for (size_t i = 0; i < count; ++i) {
      const unsigned __int128 hash = HashByDefinition(tokens.data() + i, key_len);
      const auto slot = static_cast<uint64_t>((hash << layout.slot_bits) >> 64);
      const auto tag = static_cast<uint64_t>((2 * hash + 1) << layout.tag_shift);
      ASSERT_EQ(slots[i], slot) << "key " << i << " of " << count << ", key_len " << key_len;
      ASSERT_EQ(tags[i], tag) << "key " << i << " of " << count << ", key_len " << key_len;
    }
    for (size_t i = count; i < count + 8; ++i) {
      ASSERT_EQ(slots[i], kUntouched);
      ASSERT_EQ(tags[i], kUntouched);
    }
  }

 private:
  HashPath before_ = CurrentHashPath();
};

INSTANTIATE_TEST_SUITE_P(, HashPaths, testing::ValuesIn(kHashPaths),
                         [](const auto& path) { return std::string(HashPathName(path.param)); });

// The array ends with the last key's last token, for a sanitizer to see a read past it.
std::vector<Token> TokensFor(size_t count, size_t key_len, std::mt19937_64& random) {
  std::vector<Token> tokens(count + key_len - 1);
  for (Token& token : tokens) token = static_cast<Token>(random());
  return tokens;
}

TEST_P(HashPaths, BlocksOfEveryLengthEqualTheDefinition) {
  std::mt19937_64 random(3);
  for (size_t count = 1; count < 140; ++count) {
    Check(TokensFor(count, 8, random), count, 8, {.slot_bits = 20, .tag_shift = 47});
  }
}

TEST_P(HashPaths, KeysOfEveryLengthEqualTheDefinition) {
  std::mt19937_64 random(4);
  for (size_t key_len = 1; key_len < 80; ++key_len) {
    Check(TokensFor(45, key_len, random), 45, key_len, {.slot_bits = 9, .tag_shift = 47});
  }
}

TEST_P(HashPaths, LayoutsAtTheirLimitsEqualTheDefinition) {
  std::mt19937_64 random(5);
  for (const int slot_bits : {0, 1, 31, 32, 33, 63}) {
    for (const int tag_shift : {0, 1, 32, 62, 63}) {
      Check(TokensFor(45, 3, random), 45, 3, {.slot_bits = slot_bits, .tag_shift = tag_shift});
    }
  }
}

TEST_P(HashPaths, TokensOfAllBitsEqualTheDefinition) {
  const std::vector<Token> tokens(100, 0xffffffff);
  Check(tokens, 93, 8, {.slot_bits = 20, .tag_shift = 47});
}

}  // namespace
}  // namespace lockstep
