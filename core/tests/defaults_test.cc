// What a caller leaves out is nothing: designated initialisers rely on it.

#include "gtest/gtest.h"
#include "lockstep/cache_plan.h"
#include "lockstep/geometry.h"
#include "lockstep/ngram_key.h"
#include "lockstep/plan_fit.h"
#include "lockstep/token_cache.h"
#include "lockstep/types.h"

namespace lockstep {
namespace {

TEST(Defaults, OfTheCacheAreNothing) {
  EXPECT_EQ(ScopeKey(), (ScopeKey{.model = 0, .tokenizer = 0, .adapter = 0, .tenant = 0}));
  EXPECT_EQ(CacheConfig(),
            (CacheConfig{.budget_bytes = 0, .max_scopes = 0, .key_len = 0, .scrub = false}));
  EXPECT_EQ(ScopeGeometry(), (ScopeGeometry{.slots = 0, .ring_tokens = 0, .scope_bytes = 0}));
  EXPECT_EQ(SlotLayout().slot_bits, 0);
  EXPECT_EQ(SlotLayout().tag_shift, 0);
  const Proposal proposal{};
  EXPECT_EQ(proposal.out, nullptr);
  EXPECT_EQ(proposal.max_len, 0u);
  EXPECT_EQ(proposal.written, 0u);
}

TEST(Defaults, OfAPlanAreNothing) {
  EXPECT_EQ(CacheDeclaration().elements, 0u);
  EXPECT_EQ(LookupInputs().sequences + LookupInputs().history_tokens, 0u);
  EXPECT_EQ(TreeInputs().slots + TreeInputs().nodes, 0u);
  EXPECT_EQ(DraftInputs().slots + DraftInputs().positions, 0u);
  const CacheInputs inputs;
  EXPECT_EQ(inputs.prefix_snapshot_slots, 0u);
  EXPECT_EQ(inputs.ring_slots, 0u);
  EXPECT_EQ(inputs.sequence_slots, 0u);
  EXPECT_EQ(inputs.carry_verify_slots, 0u);
  EXPECT_EQ(inputs.carry_table_rows, 0u);
  EXPECT_EQ(inputs.verify_table_rows, 0u);
  EXPECT_EQ(inputs.capture_rows, 0u);
  const CacheTerm term;
  EXPECT_EQ(term.units, 0u);
  EXPECT_EQ(term.bytes, 0u);
  EXPECT_FALSE(term.host);
  const Fit fit;
  EXPECT_EQ(fit.value, 0u);
  EXPECT_FALSE(fit.is_cap);
  EXPECT_EQ(fit.host_bytes, 0u);
}

}  // namespace
}  // namespace lockstep
