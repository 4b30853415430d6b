// What the library does when there is no memory (I2, I3), and where it asks for none.

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/tests/allocation/allocation_hook.h"
#include "gtest/gtest.h"
#include "lockstep/token_cache.h"

namespace lockstep {
namespace {

using Tokens = std::vector<Token>;

constexpr uint64_t kKeyLen = 3;

ScopeKey Tenant(uint64_t tenant) { return {.tenant = tenant}; }

Tokens Range(Token first, size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

SharedTokenCache MakeCache(uint64_t max_scopes) {
  absl::StatusOr<SharedTokenCache> cache =
      SharedTokenCache::Make({6144 * max_scopes, max_scopes, kKeyLen});
  EXPECT_TRUE(cache.ok()) << cache.status();
  return *std::move(cache);
}

// A cache with `scopes` scopes, of which scope 0 is the least recently used.
SharedTokenCache MakeCacheWith(uint64_t max_scopes, uint64_t scopes) {
  SharedTokenCache cache = MakeCache(max_scopes);
  for (uint64_t tenant = 0; tenant < scopes; ++tenant) {
    EXPECT_TRUE(cache.Insert(Tenant(tenant), Range(static_cast<Token>(100 * tenant), 6)).ok());
  }
  return cache;
}

// What can be seen of a cache without using it.
std::vector<uint64_t> Observe(const SharedTokenCache& cache, uint64_t tenants) {
  std::vector<uint64_t> seen = {cache.scope_count()};
  for (uint64_t tenant = 0; tenant < tenants; ++tenant) {
    seen.push_back(cache.stored_tokens(Tenant(tenant)));
  }
  return seen;
}

Token Next(SharedTokenCache& cache, uint64_t tenant) {
  const Tokens history = Range(static_cast<Token>(100 * tenant), kKeyLen);
  Token next = 0;
  return cache.Propose(Tenant(tenant), history, &next, 1) == 0 ? 0 : next;
}

// The scopes are there with their tokens, and are dropped in the order in which they were used.
void ExpectUnchanged(SharedTokenCache& cache, uint64_t max_scopes, uint64_t scopes) {
  for (uint64_t tenant = 0; tenant < scopes; ++tenant) {
    ASSERT_EQ(Next(cache, tenant), 100 * tenant + kKeyLen);
  }
  ASSERT_EQ(Next(cache, scopes), 0u);
  for (uint64_t made = 1000; made < 1000 + max_scopes; ++made) {
    ASSERT_TRUE(cache.Insert(Tenant(made), Range(1, 20)).ok());
  }
  EXPECT_EQ(cache.scope_count(), max_scopes);
  for (uint64_t tenant = 0; tenant < scopes; ++tenant) {
    ASSERT_EQ(cache.stored_tokens(Tenant(tenant)), 0u);
  }
}

// Lets each request for memory of one insert fail in turn.
void FailEachAllocation(uint64_t max_scopes, uint64_t scopes, FailureKind kind) {
  uint64_t n = 1;
  for (bool hit = true; hit; ++n) {
    SCOPED_TRACE(testing::Message() << scopes << " of " << max_scopes << " scopes, request " << n);
    ASSERT_LT(n, 100u);
    SharedTokenCache cache = MakeCacheWith(max_scopes, scopes);
    const std::vector<uint64_t> before = Observe(cache, scopes + 1);
    const Tokens doc = Range(static_cast<Token>(100 * scopes), 6);
    absl::Status status;
    {
      const FailingAllocations failing(n, kind);
      status = cache.Insert(Tenant(scopes), doc);
      hit = failing.hit();
    }
    if (!hit) {
      ASSERT_TRUE(status.ok()) << status;
      break;
    }
    ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    ASSERT_EQ(Observe(cache, scopes + 1), before);
    // Whatever was half made is made whole when memory is there again.
    ExpectUnchanged(cache, max_scopes, scopes);
  }
  // A new scope below the limit needs memory; at the limit the dropped one's is taken over.
  if (scopes < max_scopes) {
    EXPECT_GT(n, 1u);
  }
}

// Keeps the compiler from leaving out a request whose memory is not used.
void* Escaped(void* memory) {
  asm volatile("" : "+r"(memory));
  return memory;
}

TEST(AllocationHook, CountsAndFailsEveryKindOfRequest) {
  const auto fails = [](auto request) {
    const uint64_t before = AllocationCount();
    bool failed = false;
    {
      const FailingAllocations failing(1, FailureKind::kOnce);
      failed = request();
    }
    return failed && AllocationCount() > before;
  };
  EXPECT_TRUE(fails([] { return Escaped(malloc(10)) == nullptr; }));
  EXPECT_TRUE(fails([] { return Escaped(calloc(10, 10)) == nullptr; }));
  EXPECT_TRUE(fails([] { return Escaped(realloc(nullptr, 10)) == nullptr; }));
  EXPECT_TRUE(fails([] { return Escaped(aligned_alloc(64, 64)) == nullptr; }));
  EXPECT_TRUE(fails([] {
    void* out = nullptr;
    return posix_memalign(&out, 64, 64) != 0;
  }));
  EXPECT_TRUE(fails([] {
    return mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
  }));
  EXPECT_TRUE(fails([] {
    try {
      return Escaped(::operator new(10)) == nullptr;
    } catch (const std::bad_alloc&) {
      return true;
    }
  }));
}

TEST(Insert, AnyAllocationThatFailsChangesNothing) {
  for (uint64_t scopes = 0; scopes < 20; ++scopes) {
    FailEachAllocation(32, scopes, FailureKind::kOnce);
  }
}

TEST(Insert, NoMemoryFromAnyPointOnChangesNothing) {
  for (uint64_t scopes = 0; scopes < 20; ++scopes) {
    FailEachAllocation(32, scopes, FailureKind::kFromThenOn);
  }
}

TEST(Insert, NoScopeIsDroppedAtTheLimitWhenAnAllocationFails) {
  // Each limit that a growing table of scopes may have to grow at.
  for (uint64_t max_scopes = 1; max_scopes < 20; ++max_scopes) {
    FailEachAllocation(max_scopes, max_scopes, FailureKind::kOnce);
    FailEachAllocation(max_scopes, max_scopes, FailureKind::kFromThenOn);
  }
}

TEST(Insert, RefusalWithoutMemoryIsStillARefusal) {
  SharedTokenCache cache = MakeCache(1);
  const Tokens doc = {1, 2, kReservedToken, 3};
  for (uint64_t n = 1; n < 5; ++n) {
    const FailingAllocations failing(n, FailureKind::kFromThenOn);
    EXPECT_FALSE(cache.Insert(Tenant(1), doc).ok());
  }
}

TEST(Insert, ExistingScopeAsksForNoMemory) {
  SharedTokenCache cache = MakeCacheWith(2, 2);
  const Tokens fresh = Range(50000, 5000);  // more than the ring holds
  const uint64_t before = AllocationCount();
  ASSERT_TRUE(cache.Insert(Tenant(0), fresh).ok());
  ASSERT_TRUE(cache.Insert(Tenant(1), fresh).ok());
  ASSERT_TRUE(cache.Insert(Tenant(1), fresh).ok());
  EXPECT_EQ(AllocationCount(), before);
}

TEST(Propose, AsksForNoMemory) {
  SharedTokenCache cache = MakeCacheWith(4, 3);
  Tokens out(100);
  std::vector<Tokens> histories = {Range(0, 3), Range(100, 3), Range(7, 3), Range(0, 2), {}};
  uint64_t written = 0;
  const uint64_t before = AllocationCount();
  for (const Tokens& history : histories) {
    for (uint64_t tenant = 0; tenant < 4; ++tenant) {
      written += cache.Propose(Tenant(tenant), history, out.data(), out.size());
      written += cache.stored_tokens(Tenant(tenant)) + cache.scope_count();
    }
  }
  EXPECT_EQ(AllocationCount(), before);
  EXPECT_GT(written, 0u);
}

}  // namespace
}  // namespace lockstep
