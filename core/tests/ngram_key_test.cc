#include "lockstep/ngram_key.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

template <typename T>
T Number(const std::string& text) {
  T value = 0;
  EXPECT_TRUE(absl::SimpleAtoi(text, &value)) << text;
  return value;
}

TEST(NgramKey, EqualsEveryGoldenRow) {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/corpus/golden/ngram_key.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  ASSERT_EQ(line, "tokens,ngram_key,slot_bits,slot");
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    SCOPED_TRACE(line);
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    ASSERT_EQ(cells.size(), 4u);
    std::vector<Token> tokens;
    for (const absl::string_view token : absl::StrSplit(cells[0], ' ', absl::SkipEmpty())) {
      tokens.push_back(Number<Token>(std::string(token)));
    }
    const uint64_t key = NgramKey(tokens);
    EXPECT_EQ(key, Number<uint64_t>(cells[1]));
    EXPECT_EQ(SlotIndex(key, Number<int>(cells[2])), Number<uint64_t>(cells[3]));
  }
  EXPECT_EQ(rows, 120);
}

TEST(NgramKey, OrderAndLengthCount) {
  const std::vector<Token> tokens = {1, 2, 2};
  const std::vector<Token> swapped = {2, 1, 2};
  EXPECT_NE(NgramKey(tokens), NgramKey(swapped));
  EXPECT_NE(NgramKey(tokens), NgramKey(absl::MakeSpan(tokens).first(2)));
}

TEST(SlotIndex, TableOfOneSlotHasOnlySlotZero) {
  EXPECT_EQ(SlotIndex(0xffffffffffffffff, 0), 0u);
  EXPECT_EQ(SlotIndex(1, 0), 0u);
}

}  // namespace
}  // namespace lockstep
