#include "lockstep/geometry.h"

#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

uint64_t Number(const std::string& text) {
  uint64_t value = 0;
  EXPECT_TRUE(absl::SimpleAtoi(text, &value)) << text;
  return value;
}

std::string ErrorOf(const CacheConfig& config) {
  return std::string(ComputeGeometry(config).status().message());
}

TEST(Geometry, EqualsEveryGoldenRow) {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/corpus/golden/geometry.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  ASSERT_EQ(line, "budget_bytes,max_scopes,key_len,slots,ring_tokens,scope_bytes");
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    SCOPED_TRACE(line);
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    ASSERT_EQ(cells.size(), 6u);
    const absl::StatusOr<ScopeGeometry> geometry =
        ComputeGeometry({Number(cells[0]), Number(cells[1]), Number(cells[2])});
    if (cells[3] == "error") {
      EXPECT_EQ(geometry.status().code(), absl::StatusCode::kInvalidArgument);
    } else {
      ASSERT_TRUE(geometry.ok()) << geometry.status();
      EXPECT_EQ(*geometry, (ScopeGeometry{Number(cells[3]), Number(cells[4]), Number(cells[5])}));
    }
  }
  EXPECT_EQ(rows, 704);
}

TEST(Geometry, LeastShareIsAcceptedAndOneByteLessRefused) {
  const absl::StatusOr<ScopeGeometry> least = ComputeGeometry({6144 * 3 + 2, 3, 1});
  ASSERT_TRUE(least.ok());
  EXPECT_EQ(*least, (ScopeGeometry{256, 1024, 6144}));
  EXPECT_FALSE(ComputeGeometry({6144 * 3 - 1, 3, 1}).ok());
}

TEST(Geometry, RefusalsNameTheValueAndTheRemedy) {
  EXPECT_EQ(ErrorOf({1 << 20, 0, 8}), "max_scopes is 0: give room for at least one scope");
  EXPECT_EQ(ErrorOf({1 << 20, 1, 0}), "key_len is 0: a key needs at least one token");
  const std::string small = ErrorOf({12287, 2, 8});
  for (const char* part : {"12287", "2 ", "6143", "1024", "raise budget_bytes"}) {
    EXPECT_NE(small.find(part), std::string::npos) << small;
  }
}

TEST(Geometry, LargestInputsDoNotWrap) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  const absl::StatusOr<ScopeGeometry> geometry = ComputeGeometry({kMax, 1, kMax});
  ASSERT_TRUE(geometry.ok());
  EXPECT_EQ(geometry->slots, uint64_t{1} << 59);
  EXPECT_LE(geometry->scope_bytes, kMax);
  EXPECT_EQ(geometry->ring_tokens, (kMax - 8 * geometry->slots) / 4);
  EXPECT_FALSE(ComputeGeometry({kMax, kMax, 1}).ok());
}

}  // namespace
}  // namespace lockstep
