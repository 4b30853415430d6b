#include "props/harness/byte_count.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ParseByteCount, UnitsArePowersOf1024) {
  EXPECT_EQ(*ParseByteCount("0"), 0u);
  EXPECT_EQ(*ParseByteCount("6144"), 6144u);
  EXPECT_EQ(*ParseByteCount("7 b"), 7u);
  EXPECT_EQ(*ParseByteCount("3k"), 3u << 10);
  EXPECT_EQ(*ParseByteCount("64M"), uint64_t{64} << 20);
  EXPECT_EQ(*ParseByteCount("64 MB"), uint64_t{64} << 20);
  EXPECT_EQ(*ParseByteCount("1GiB"), uint64_t{1} << 30);
  EXPECT_EQ(*ParseByteCount("15E"), uint64_t{15} << 60);
  EXPECT_EQ(*ParseByteCount("18446744073709551615"), UINT64_MAX);
}

TEST(ParseByteCount, AnythingElseIsRefused) {
  for (const char* wrong : {"", " ", "x", "-1", "+1", "1.5M", "1e3", "16E", "18446744073709551616",
                            "1Q", "1 ", "1  M", "1Mi", "1MM", "M", "0x10", "64Mx"}) {
    EXPECT_FALSE(ParseByteCount(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace lockstep
