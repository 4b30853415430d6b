// Compares the planned term of the shared cache with what the allocator is really asked for. The
// program is linked so that every way to ask for memory comes by here first.

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/cache_plan.h"
#include "lockstep/token_cache.h"

namespace {

// Asked for since the program began, less what was mapped only to be cut to an aligned piece.
uint64_t asked_bytes = 0;

}  // namespace

extern "C" {

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* old, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void** out, size_t alignment, size_t size);
void* __real_mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void* at, size_t size);

void* __wrap_malloc(size_t size) {
  asked_bytes += size;
  return __real_malloc(size);
}
void* __wrap_calloc(size_t count, size_t size) {
  asked_bytes += count * size;
  return __real_calloc(count, size);
}
void* __wrap_realloc(void* old, size_t size) {
  asked_bytes += size;
  return __real_realloc(old, size);
}
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  asked_bytes += size;
  return __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void** out, size_t alignment, size_t size) {
  asked_bytes += size;
  return __real_posix_memalign(out, alignment, size);
}
// operator new of the three kinds that the compiler calls here.
void* __real__Znwm(size_t size);
void* __real__Znam(size_t size);
void* __real__ZnwmSt11align_val_t(size_t size, std::align_val_t alignment);

void* __wrap__Znwm(size_t size) {
  asked_bytes += size;
  return __real__Znwm(size);
}
void* __wrap__Znam(size_t size) {
  asked_bytes += size;
  return __real__Znam(size);
}
void* __wrap__ZnwmSt11align_val_t(size_t size, std::align_val_t alignment) {
  asked_bytes += size;
  return __real__ZnwmSt11align_val_t(size, alignment);
}
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  asked_bytes += size;
  return __real_mmap(at, size, protection, flags, fd, offset);
}

int __wrap_munmap(void* at, size_t size) {
  asked_bytes -= size;
  return __real_munmap(at, size);
}

}  // extern "C"

namespace lockstep {
namespace {

// What a scope and the table of scopes may take beside slots and ring.
constexpr uint64_t kBookkeepingBytesPerScope = 512;
constexpr uint64_t kBookkeepingBytes = 4096;

class SharedCacheMemory : public ::testing::TestWithParam<CacheConfig> {};

TEST_P(SharedCacheMemory, IsAskedForAsPlanned) {
  const CacheConfig config = GetParam();
  const uint64_t planned = SharedCacheTerm(config)->bytes;
  const std::vector<Token> doc(config.key_len + 1, 7);

  const uint64_t before = asked_bytes;
  absl::StatusOr<SharedTokenCache> cache = SharedTokenCache::Make(config);
  ASSERT_TRUE(cache.ok()) << cache.status();
  for (uint64_t tenant = 0; tenant < config.max_scopes; ++tenant) {
    ASSERT_TRUE(cache->Insert({.tenant = tenant}, doc).ok());
  }
  const uint64_t asked = asked_bytes - before;  // before any scope is given back
  EXPECT_GE(asked, planned);
  EXPECT_LE(asked, planned + kBookkeepingBytes + kBookkeepingBytesPerScope * config.max_scopes);
}

INSTANTIATE_TEST_SUITE_P(
    Configurations, SharedCacheMemory,
    ::testing::Values(CacheConfig{.budget_bytes = 6144, .max_scopes = 1, .key_len = 8},
                      CacheConfig{.budget_bytes = 1 << 20, .max_scopes = 3, .key_len = 8},
                      CacheConfig{.budget_bytes = 10000019, .max_scopes = 7, .key_len = 1},
                      CacheConfig{.budget_bytes = 64 << 20, .max_scopes = 4, .key_len = 8},
                      CacheConfig{.budget_bytes = 6144 * 5000, .max_scopes = 5000, .key_len = 3}));

TEST(PlannedMemory, EveryWayToAskIsCounted) {
  const uint64_t before = asked_bytes;
  void* const p = std::malloc(1000);
  void* const q = std::calloc(10, 100);
  int* const r = new int[250];
  EXPECT_NE(p, nullptr);
  EXPECT_NE(q, nullptr);
  EXPECT_GE(asked_bytes - before, 3000u);
  std::free(p);
  std::free(q);
  delete[] r;
}

}  // namespace
}  // namespace lockstep
