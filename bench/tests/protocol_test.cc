// The protocol on a small cache: what is checked, not how long it takes.

#include "bench/protocol.h"

#include "bench/protocol_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

constexpr ProtocolOptions kSmall = {.rounds = 2,
                                    .seed = 1,
                                    .scopes = 64,
                                    .budget_bytes = uint64_t{1} << 20,
                                    .doc_tokens = 4096,
                                    .questions = 64};

// Learns nothing.
lockstep_status RefuseToLearn(lockstep_cache*, const lockstep_scope_key*, const uint32_t*, size_t) {
  return LOCKSTEP_OK;
}

// Learns, and then forgets the second half of every document.
lockstep_status LearnHalf(lockstep_cache* cache, const lockstep_scope_key* scope,
                          const uint32_t* tokens, size_t count) {
  return OwnCore().insert(cache, scope, tokens, count / 2 + 4);
}

TEST(Protocol, JudgesOneImplementationAndComparesItWithThePlainOne) {
  const std::vector<MeasuredImpl> impls = {{"core", OwnCore(), true},
                                           {"plain_exact", OwnCore(), true}};
  const auto rows = RunProtocol(impls, "core", kSmall);
  ASSERT_TRUE(rows.ok()) << rows.status();
  size_t promises = 0;
  for (const ProtocolRow& row : *rows) {
    EXPECT_GT(row.ns.median, 0) << row.name;
    if (!row.promise.empty()) ++promises;
    EXPECT_EQ(row.plain_ratio.has_value(), row.impl == "core") << row.name;
    if (row.impl != "core") {
      EXPECT_EQ(row.promise, "");
    }
  }
  // Six figures, and new scopes of four sizes.
  EXPECT_EQ(promises, 10u);
  EXPECT_EQ(ProtocolToJson(*rows).size(), rows->size());
}

TEST(Protocol, RefusesToMeasureACacheThatLearnsNothing) {
  MeasuredImpl idle = {"core", OwnCore(), true};
  idle.functions.insert = RefuseToLearn;
  const auto rows = RunProtocol({idle}, "core", kSmall);
  EXPECT_THAT(std::string(rows.status().message()), HasSubstr("stored keys are found"));
}

TEST(Protocol, RefusesToMeasureACacheThatStoresHalf) {
  MeasuredImpl half = {"core", OwnCore(), true};
  half.functions.insert = LearnHalf;
  const auto rows = RunProtocol({half}, "core", kSmall);
  EXPECT_EQ(rows.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ProtocolReport, MissedPromisesShow) {
  ProtocolRow row;
  row.name = "insert fresh";
  row.impl = "core";
  row.promise = "at most 2 x the floor";
  row.ns = {10, 9, 11};
  row.floor_ns = 4;
  row.ratio = {2.5, 2.4, 2.6};
  row.holds = false;
  EXPECT_FALSE(AllHold({row}));
  EXPECT_THAT(RenderProtocol({row}), HasSubstr("MISS"));
  EXPECT_EQ(ProtocolToJson({row})[0]["verdict"], "missed");
}

}  // namespace
}  // namespace lockstep
