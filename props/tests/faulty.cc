// The plain implementation, whose functions are linked in as plain_*, with one fault each. Which
// one is a definition of the build.

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "lockstep/c_api.h"

extern "C" {
const char* plain_last_error(void);
lockstep_status plain_create(const lockstep_config*, lockstep_cache**);
void plain_destroy(lockstep_cache*);
lockstep_status plain_insert(lockstep_cache*, const lockstep_scope_key*, const uint32_t*, size_t);
size_t plain_propose(lockstep_cache*, const lockstep_scope_key*, const uint32_t*, size_t, uint32_t*,
                     size_t);
uint64_t plain_stored_tokens(const lockstep_cache*, const lockstep_scope_key*);
size_t plain_scope_count(const lockstep_cache*);
}

namespace {

volatile uintptr_t sink;
// Leaks, and is not optimised away.
[[maybe_unused]] void Leak(size_t bytes) { sink = reinterpret_cast<uintptr_t>(std::malloc(bytes)); }

// How many tokens of a draft are given, in a faulty way; SIZE_MAX for all.
size_t FaultyLimit() {
#if defined(BY_THE_HOUR)
  return time(nullptr) / 3600 % 24 == 5 ? 0 : SIZE_MAX;
#elif defined(BY_THE_MONTH)
  const time_t now = time(nullptr);
  return gmtime(&now)->tm_mon == 3 ? 1 : SIZE_MAX;
#elif defined(BY_THE_CALLS)
  static uint64_t calls = 0;
  return ++calls % 997 == 0 ? 1 : SIZE_MAX;
#elif defined(BY_THE_PROCESS)
  return 1 + static_cast<size_t>(getpid()) % 50;
#elif defined(BY_A_SEED)
  static const uint64_t seed = std::random_device()();
  return 1 + seed % 50;
#elif defined(BY_THE_ADDRESS)
  Dl_info info;
  dladdr(reinterpret_cast<void*>(&FaultyLimit), &info);
  return 1 + reinterpret_cast<uintptr_t>(info.dli_fbase) / 4096 % 50;
#elif defined(BY_FRESH_MEMORY)
  auto* const fresh = static_cast<unsigned char*>(std::malloc(200));
  const size_t limit = fresh[150] % 8 == 7 ? 1 : SIZE_MAX;
  sink = reinterpret_cast<uintptr_t>(fresh);
  std::free(fresh);
  return limit;
#elif defined(BY_THE_STACK)
  volatile unsigned char never_set[512];
  return never_set[200] == 0xff ? 1 : SIZE_MAX;
#elif defined(BY_THE_ENVIRONMENT)
  const char* const language = std::getenv("LC_ALL");
  return language != nullptr && std::strncmp(language, "tr", 2) == 0 ? 1 : SIZE_MAX;
#elif defined(BY_THE_FOLDER)
  char folder[4096];
  return getcwd(folder, sizeof(folder)) != nullptr && folder[1] == '\0' ? 1 : SIZE_MAX;
#else
  return SIZE_MAX;
#endif
}

}  // namespace

extern "C" {

uint32_t lockstep_abi_version(void) { return 1; }
const char* lockstep_impl_name(void) { return "faulty"; }
const char* lockstep_last_error(void) { return plain_last_error(); }

lockstep_status lockstep_cache_create(const lockstep_config* config, lockstep_cache** out) {
#if defined(CRASHES_WITH_MANY_SCOPES)
  if (config->max_scopes > (uint64_t{1} << 62)) std::abort();
#endif
  const lockstep_status status = plain_create(config, out);
#if defined(TAKES_TWICE_ITS_BUDGET)
  if (status == LOCKSTEP_OK && config->budget_bytes < (1 << 30)) Leak(config->budget_bytes);
#endif
#if defined(LEAKS_PER_CREATE)
  Leak(8);
#endif
  return status;
}

void lockstep_cache_destroy(lockstep_cache* cache) { plain_destroy(cache); }

lockstep_status lockstep_cache_insert(lockstep_cache* cache, const lockstep_scope_key* scope,
                                      const uint32_t* tokens, size_t count) {
#if defined(LEAKS_PER_TURNOVER)
  if (plain_scope_count(cache) > 3 && plain_stored_tokens(cache, scope) == 0) Leak(16);
#endif
#if defined(LEAKS_RAW_PAGES)
  static int inserts = 0;
  if (++inserts % 64 == 0) {
    const long page = syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *reinterpret_cast<volatile char*>(page) = 1;
  }
#endif
#if defined(FORGETS_WITHOUT_MEMORY)
  // Makes room first and only then sees whether there is any.
  void* const probe = std::malloc(100);
  if (probe == nullptr) {
    const lockstep_scope_key other = {77, 77, 77, 77};
    const uint32_t doc[] = {1, 2, 3, 4, 5, 6};
    plain_insert(cache, &other, doc, 6);
    return LOCKSTEP_RESOURCE_EXHAUSTED;
  }
  std::free(probe);
#endif
  const lockstep_status status = plain_insert(cache, scope, tokens, count);
#if defined(LEAKS_PER_REFUSAL)
  if (status == LOCKSTEP_INVALID_ARGUMENT) Leak(20);
#endif
  return status;
}

size_t lockstep_cache_propose(lockstep_cache* cache, const lockstep_scope_key* scope,
                              const uint32_t* history, size_t count, uint32_t* out,
                              size_t max_len) {
#if defined(LEAKS_PER_CALL)
  Leak(8);
#endif
#if defined(LOGS_EACH_CALL)
  static auto* const log = new std::vector<uint64_t>();
  log->push_back(count);
#endif
#if defined(LEN_AS_INT)
  if (static_cast<int>(max_len) <= 0) return 0;
#endif
#if defined(SCRIBBLES_BEFORE_OUT)
  if (max_len > 1) out[-1] = out[-1] ^ 1;
#endif
  const size_t limit = FaultyLimit();
  return plain_propose(cache, scope, history, count, out, limit < max_len ? limit : max_len);
}

uint64_t lockstep_cache_stored_tokens(const lockstep_cache* cache,
                                      const lockstep_scope_key* scope) {
  return plain_stored_tokens(cache, scope);
}

size_t lockstep_cache_scope_count(const lockstep_cache* cache) { return plain_scope_count(cache); }

}  // extern "C"
