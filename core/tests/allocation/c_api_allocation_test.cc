// What the C interface does and says when there is no memory, and where it asks for none.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/tests/allocation/allocation_hook.h"
#include "gtest/gtest.h"
#include "lockstep/c_api.h"
#include "lockstep/types.h"

namespace lockstep {
namespace {

using Tokens = std::vector<Token>;

constexpr uint64_t kKeyLen = 3;

Tokens Range(Token first, size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

TEST(CInterface, BatchAsksForNoMemory) {
  const lockstep_config config = {1 << 20, 2, kKeyLen};
  const lockstep_scope_key scope = {1, 2, 3, 4};
  lockstep_cache* cache = nullptr;
  ASSERT_EQ(lockstep_cache_create(&config, &cache), LOCKSTEP_OK);
  const Tokens doc = Range(1, 200);
  ASSERT_EQ(lockstep_cache_insert(cache, &scope, doc.data(), doc.size()), LOCKSTEP_OK);
  Tokens out(64 * 8);
  std::vector<lockstep_proposal> proposals;
  for (size_t i = 0; i < 64; ++i) {
    proposals.push_back({scope, doc.data() + i, kKeyLen, out.data() + 8 * i, 8, 0});
  }
  const uint64_t before = AllocationCount();
  lockstep_cache_propose_batch(cache, proposals.data(), proposals.size());
  EXPECT_EQ(AllocationCount(), before);
  EXPECT_EQ(proposals[63].written, 8u);
  lockstep_cache_destroy(cache);
}

// Another error than that of no memory, so that a stale one shows.
void MakeAnotherError() {
  const lockstep_config bad = {1 << 20, 0, kKeyLen};
  lockstep_cache* none = nullptr;
  ASSERT_EQ(lockstep_cache_create(&bad, &none), LOCKSTEP_INVALID_ARGUMENT);
}

TEST(CInterface, WhateverIsThrownIsAnErrorInItsWords) {
  const lockstep_config config = {1 << 20, 2, kKeyLen};
  struct Case {
    Thrown thrown;
    lockstep_status status;
    const char* words;
  };
  for (const Case& expected :
       {Case{Thrown::kBadAlloc, LOCKSTEP_RESOURCE_EXHAUSTED, "out of memory"},
        Case{Thrown::kException, LOCKSTEP_INTERNAL, kThrownWords},
        Case{Thrown::kNumber, LOCKSTEP_INTERNAL, "an exception of unknown type"}}) {
    uint64_t seen = 0;
    bool hit = true;
    for (uint64_t n = 1; hit && n < 100; ++n) {
      MakeAnotherError();
      lockstep_cache* cache = nullptr;
      lockstep_status status = LOCKSTEP_OK;
      {
        const ThrownByNew thrown(expected.thrown);
        const FailingAllocations failing(n, FailureKind::kOnce);
        status = lockstep_cache_create(&config, &cache);
        hit = failing.hit();
      }
      EXPECT_EQ(cache == nullptr, hit);
      lockstep_cache_destroy(cache);
      if (!hit || status != expected.status) continue;
      EXPECT_STREQ(lockstep_last_error(), expected.words);
      ++seen;
    }
    EXPECT_GT(seen, 0u) << expected.words;
  }
}

TEST(CInterface, CreateThatRunsOutOfMemorySetsOutToNull) {
  const lockstep_config config = {1 << 20, 2, kKeyLen};
  for (const FailureKind kind : {FailureKind::kOnce, FailureKind::kFromThenOn}) {
    bool hit = true;
    for (uint64_t n = 1; hit; ++n) {
      ASSERT_LT(n, 100u);
      lockstep_cache* cache = reinterpret_cast<lockstep_cache*>(&hit);
      lockstep_status status = LOCKSTEP_OK;
      {
        const FailingAllocations failing(n, kind);
        status = lockstep_cache_create(&config, &cache);
        hit = failing.hit();
      }
      if (hit) {
        ASSERT_EQ(status, LOCKSTEP_RESOURCE_EXHAUSTED);
        ASSERT_EQ(cache, nullptr);
        ASSERT_STRNE(lockstep_last_error(), "");
      } else {
        ASSERT_EQ(status, LOCKSTEP_OK);
        ASSERT_GT(n, 1u);
        lockstep_cache_destroy(cache);
      }
    }
  }
}

TEST(CInterface, InsertThatRunsOutOfMemorySaysSo) {
  const lockstep_config config = {1 << 20, 2, kKeyLen};
  const lockstep_scope_key scope = {1, 2, 3, 4};
  const Tokens doc = Range(1, 20);
  for (const FailureKind kind : {FailureKind::kOnce, FailureKind::kFromThenOn}) {
    lockstep_cache* cache = nullptr;
    ASSERT_EQ(lockstep_cache_create(&config, &cache), LOCKSTEP_OK);
    MakeAnotherError();
    lockstep_status status = LOCKSTEP_OK;
    {
      const FailingAllocations failing(1, kind);
      status = lockstep_cache_insert(cache, &scope, doc.data(), doc.size());
    }
    EXPECT_EQ(status, LOCKSTEP_RESOURCE_EXHAUSTED);
    const std::string words = lockstep_last_error();
    if (kind == FailureKind::kOnce) {
      EXPECT_NE(words.find("bytes"), std::string::npos) << words;
    } else {  // not even memory for words
      EXPECT_EQ(words, "out of memory");
    }
    EXPECT_EQ(lockstep_cache_scope_count(cache), 0u);
    EXPECT_EQ(lockstep_cache_insert(cache, &scope, doc.data(), doc.size()), LOCKSTEP_OK);
    lockstep_cache_destroy(cache);
  }
}

}  // namespace
}  // namespace lockstep
