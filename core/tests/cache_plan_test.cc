#include "lockstep/cache_plan.h"

#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

CacheDeclaration Declare(CacheKind kind, Format format, uint64_t elements) {
  return {.id = Name(kind), .kind = kind, .format = std::move(format), .elements = elements};
}

TEST(HashTableBytes, AllGoldenVectorsAgree) {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/corpus/golden/hash_table_bytes.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  int rows = 0;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    uint64_t entries = 0;
    uint64_t entry_bytes = 0;
    char comma = 0;
    std::string want;
    fields >> entries >> comma >> entry_bytes >> comma >> want;
    const absl::StatusOr<uint64_t> bytes = HashTableBytes(entries, entry_bytes);
    EXPECT_EQ(bytes.ok() ? std::to_string(*bytes) : "overflow", want) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 843);
}

TEST(HashTableBytes, GroupWidthIsTheOnlyDifferenceBetweenProcessors) {
  for (const uint64_t entries : {1u, 3u, 4u, 7u, 8u, 1000u}) {
    EXPECT_EQ(*HashTableBytes(entries, 16, kGroupWidthX86),
              *HashTableBytes(entries, 16, kGroupWidthAarch64) + 8);
  }
  EXPECT_EQ(*HashTableBytes(0, 16, kGroupWidthAarch64), 0u);
}

TEST(HashTableBytes, EveryStepOnTheWayIsChecked) {
  EXPECT_FALSE(HashTableBytes(kMax / 8 + 1, 0).ok());  // entries * 8
  EXPECT_FALSE(HashTableBytes(1, kMax).ok());          // entry_bytes + 1
  EXPECT_FALSE(HashTableBytes(1, kMax / 4).ok());      // buckets * bucket bytes
  // 4 buckets of 2^62 - 1 bytes leave room for 3 more bytes.
  EXPECT_EQ(*HashTableBytes(1, (uint64_t{1} << 62) - 2, 3), kMax);
  EXPECT_FALSE(HashTableBytes(1, (uint64_t{1} << 62) - 2, 4).ok());
  EXPECT_EQ(*HashTableBytes(0, kMax), 0u);
}

TEST(PlanCaches, GroupWidthReachesTheLookupTables) {
  const CacheDeclaration index = Declare(CacheKind::kPromptLookupIndex, Dtype::kU64, 2);
  const CacheInputs inputs{.lookup = LookupInputs{.sequences = 3, .history_tokens = 100}};
  const auto x86 = PlanCaches({index}, {}, inputs);
  const auto aarch64 = PlanCaches({index}, {}, inputs, {.group_width = kGroupWidthAarch64});
  ASSERT_TRUE(x86.ok() && aarch64.ok());
  EXPECT_EQ((*x86)[0].bytes, 3u * (128 * 17 + 16));
  EXPECT_EQ((*aarch64)[0].bytes, 3u * (128 * 17 + 8));
}

TEST(PlanCaches, FaultyDeclarationIsNamedWithItsMissingKey) {
  const auto terms = PlanCaches({Declare(CacheKind::kPrefixSnapshot, FormatKey{"kv"}, 1)},
                                {{"k", Dtype::kU8}}, {});
  EXPECT_EQ(terms.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(PlanErrorOf(terms.status()), (PlanError{"prefix_snapshot", "kv"}));
  EXPECT_EQ(terms.status().message(), "state \"prefix_snapshot\": formats has no \"kv\": add it");
}

TEST(PlanCaches, NumbersThatOutgrow64BitsAreNamed) {
  EXPECT_EQ(PlanCaches({Declare(CacheKind::kPrefixSnapshot, Dtype::kU64, kMax)}, {}, {})
                .status()
                .message(),
            "state \"prefix_snapshot\": bytes of one unit do not fit 64 bits");
}

TEST(UnitsOf, ProductThatWrapsToNothingDoesNotFit) {
  // 2^32 * 2^32 is 0 in 64 bits, and 0 * 2^32 wraps no more.
  const CacheInputs inputs{.tree =
                               TreeInputs{.slots = uint64_t{1} << 32, .nodes = uint64_t{1} << 32}};
  const absl::StatusOr<uint64_t> units = UnitsOf(CacheKind::kTokenTreeMask, inputs);
  EXPECT_EQ(units.status().code(), absl::StatusCode::kOutOfRange) << units.status();
}

TEST(PlanCaches, FormatIsJudgedBeforeNumbersAndDeclarationsInOrder) {
  const CacheDeclaration overflowing = Declare(CacheKind::kPrefixSnapshot, Dtype::kU64, kMax);
  const CacheDeclaration keyless = Declare(CacheKind::kHiddenCapture, FormatKey{"x"}, kMax);
  EXPECT_EQ(PlanErrorOf(PlanCaches({overflowing, keyless}, {}, {}).status()),
            (PlanError{"prefix_snapshot"}));
  EXPECT_EQ(PlanErrorOf(PlanCaches({keyless, overflowing}, {}, {}).status()),
            (PlanError{"hidden_capture", "x"}));
}

TEST(PlanErrorOf, OtherStatusesAreNone) {
  EXPECT_EQ(PlanErrorOf(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(PlanErrorOf(absl::NotFoundError("a file")), std::nullopt);
}

TEST(UnitsOf, KindsThatAreNoCachesHaveNone) {
  const CacheInputs inputs{.prefix_snapshot_slots = 1, .verify_table_rows = 2, .capture_rows = 3};
  EXPECT_EQ(*UnitsOf(CacheKind::kRecurrent, inputs), 0u);
  EXPECT_EQ(*UnitsOf(CacheKind::kPagedKv, inputs), 0u);
}

TEST(Names, EveryKindAndDtypeIsFoundByItsName) {
  for (int i = 0; i <= static_cast<int>(CacheKind::kSharedTokenCache); ++i) {
    const auto kind = static_cast<CacheKind>(i);
    EXPECT_EQ(CacheKindNamed(Name(kind)), kind);
  }
  for (int i = 0; i <= static_cast<int>(Dtype::kU8); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(DtypeNamed(Name(dtype)), dtype);
  }
  EXPECT_EQ(CacheKindNamed("Prefix_snapshot"), std::nullopt);
  EXPECT_EQ(DtypeNamed(""), std::nullopt);
}

TEST(SharedCacheTerm, IsScopesTimesScopeBytesInHostMemory) {
  const auto term = SharedCacheTerm({.budget_bytes = 1 << 20, .max_scopes = 3, .key_len = 8});
  ASSERT_TRUE(term.ok());
  // 349,525 bytes a scope: 16,384 slots of 8 bytes and 54,613 tokens of 4.
  EXPECT_EQ(term->bytes, 3u * (16384 * 8 + 54613 * 4));
  EXPECT_EQ(term->units, 3u);
  EXPECT_TRUE(term->host);
  EXPECT_FALSE(SharedCacheTerm({.budget_bytes = 1, .max_scopes = 1, .key_len = 1}).ok());
}

TEST(SharedCacheTerm, LargestBudgetDoesNotWrap) {
  const auto term = SharedCacheTerm({.budget_bytes = kMax, .max_scopes = 1, .key_len = 1});
  ASSERT_TRUE(term.ok());
  EXPECT_EQ(term->bytes, kMax - kMax % 4);
}

TEST(HostBytes, SumsPastSixtyFourBits) {
  CacheTerm host{.bytes = kMax, .host = true};
  CacheTerm device{.bytes = 5};
  EXPECT_EQ(HostBytes({host, device, host}), absl::uint128(kMax) * 2);
  EXPECT_EQ(DeviceBytes({host, device, host}), absl::uint128(5));
}

}  // namespace
}  // namespace lockstep
