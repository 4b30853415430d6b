// A library that does to its process what the first token of an insert or a proposal says. It
// stores nothing: each test is about what the harness makes of the deed.

#include "misbehaving.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "lockstep/c_api.h"

struct lockstep_cache {
  uint64_t key_len;
  uint64_t calls;
};

namespace {

volatile uint32_t sink;

[[gnu::noinline]] uint32_t Recurse(uint32_t depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return Recurse(depth + 1) + static_cast<uint32_t>(frame[0]);
}

void Allocate(bool touch, bool raw) {
  constexpr size_t kBytes = size_t{1} << 20;
  for (int i = 0; i < 100'000; ++i) {
    void* const p =
        raw ? reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, kBytes, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
            : std::malloc(kBytes);
    if (p == nullptr || p == MAP_FAILED) std::abort();
    if (touch) std::memset(p, 1, kBytes);
  }
}

void Misbehave(uint32_t deed) {
  switch (deed) {
    case kCrash:
      *static_cast<volatile int*>(nullptr) = 1;
      return;
    case kAbort:
      std::abort();
    case kThrow:
      throw std::runtime_error("thrown across C");
    case kExit:
      std::exit(0);
    case kQuickExit:
      _exit(3);
    case kKill:
      raise(SIGKILL);
      return;
    case kRaiseFault:
      raise(SIGSEGV);
      return;
    case kLoop:
      while (true) sink = sink + 1;
    case kSleep:
      while (true) pause();
    case kOverflowStack:
      sink = Recurse(0);
      return;
    case kRunAway:
      return Allocate(/*touch=*/true, /*raw=*/false);
    case kRunAwayRaw:
      return Allocate(/*touch=*/true, /*raw=*/true);
    case kPrint:
      std::printf("{\"junk\": true}\n");
      std::fflush(stdout);
      std::fprintf(stderr, "a word on stderr\n");
      return;
    case kPrintForever:
      for (int i = 0; i < 200'000; ++i) std::printf("the same line again and again and again\n");
      std::fflush(stdout);
      return;
    case kPrintAndAbort:
      std::fprintf(stderr, "first line\nassertion \"x\" failed\n\n");
      std::abort();
    case kLeak:
      sink = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(std::malloc(16)));
      return;
    case kMap:
      std::memset(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                  1, 4096);
      return;
    case kFork:
      if (fork() == 0) {
        while (true) pause();
      }
      return;
    default:
      return;
  }
}

}  // namespace

extern "C" {

uint32_t lockstep_abi_version(void) { return 1; }
const char* lockstep_impl_name(void) { return "misbehaving"; }
const char* lockstep_last_error(void) { return "told to"; }

lockstep_status lockstep_cache_create(const lockstep_config* config, lockstep_cache** out) {
  *out = nullptr;
  if (config->key_len == 0) return LOCKSTEP_INVALID_ARGUMENT;
  Misbehave(static_cast<uint32_t>(config->key_len));
  *out = new lockstep_cache{config->key_len, 0};
  return LOCKSTEP_OK;
}

void lockstep_cache_destroy(lockstep_cache* cache) {
  if (cache == nullptr) return;
  // What a sequence says with this budget of tokens happens at the end instead.
  if (cache->key_len > kAtDestroy) Misbehave(static_cast<uint32_t>(cache->key_len - kAtDestroy));
  delete cache;
}

lockstep_status lockstep_cache_insert(lockstep_cache* cache, const lockstep_scope_key*,
                                      const uint32_t* tokens, size_t count) {
  ++cache->calls;
  if (count == 0) return LOCKSTEP_OK;
  if (tokens[0] == kReadPastInput) sink = tokens[count];
  Misbehave(tokens[0]);
  return LOCKSTEP_OK;
}

size_t lockstep_cache_propose(lockstep_cache* cache, const lockstep_scope_key*,
                              const uint32_t* history, size_t count, uint32_t* out,
                              size_t max_len) {
  ++cache->calls;
  if (count == 0) return 0;
  switch (history[0]) {
    case kWritePastOut:
      out[max_len] = 1;
      return 0;
    case kTellTheTime: {
      const time_t now = time(nullptr);
      timespec precise;
      clock_gettime(CLOCK_REALTIME, &precise);
      out[0] = static_cast<uint32_t>(now / 3600);
      out[1] = static_cast<uint32_t>(precise.tv_sec / 3600);
      return 2;
    }
    case kTellFreshMemory: {
      auto* const fresh = static_cast<uint32_t*>(std::malloc(64));
      out[0] = fresh[8];
      std::free(fresh);
      return 1;
    }
    case kTellCalls:
      out[0] = static_cast<uint32_t>(cache->calls);
      return 1;
    case kFill:
      for (size_t i = 0; i < max_len; ++i) out[i] = static_cast<uint32_t>(i);
      return max_len;
    case kAllocate:
      out[0] = std::malloc(64) == nullptr;
      return 1;
    default:
      Misbehave(history[0]);
      return 0;
  }
}

uint64_t lockstep_cache_stored_tokens(const lockstep_cache* cache, const lockstep_scope_key*) {
  return cache->calls;
}

size_t lockstep_cache_scope_count(const lockstep_cache*) { return 0; }

}  // extern "C"

#if defined(CRASH_AT_LOAD)
[[gnu::constructor]] static void AtLoad() { std::abort(); }
#endif

#if defined(THREAD_AT_LOAD)
#include <pthread.h>
// A library that answers only while its own thread runs: it does not survive a fork.
static pthread_t helper;
static volatile bool helper_runs;
static void* Help(void*) {
  helper_runs = true;
  while (true) pause();
}
[[gnu::constructor]] static void AtLoad() {
  pthread_create(&helper, nullptr, Help, nullptr);
  while (!helper_runs) usleep(100);
}
#endif
