// The key hash, insert of fresh and of re-sent documents, propose with a hit and with a miss.
//
// The protocol: 64 MiB in 4 full scopes used in rotation, keys of 8 tokens, documents of 131,072
// tokens. What a loop did is checked after it, outside the timed part.

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "bench/floor.h"
#include "bench/workload.h"
#include "benchmark/benchmark.h"
#include "lockstep/ngram_key.h"
#include "lockstep/token_cache.h"

namespace lockstep {
namespace {

constexpr uint64_t kSeed = 20;
constexpr uint64_t kScopes = 4;
constexpr uint64_t kKeyLen = 8;
constexpr size_t kDocTokens = 131'072;
constexpr size_t kDraftTokens = 8;
constexpr CacheConfig kConfig = {
    .budget_bytes = uint64_t{64} << 20, .max_scopes = kScopes, .key_len = kKeyLen};

void SetTokensPerIteration(benchmark::State& state, size_t tokens) {
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(tokens) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What was inserted last, per scope: enough to know what the ring holds.
struct FullCache {
  SharedTokenCache cache;
  Random random{kSeed};
  std::array<std::vector<std::vector<Token>>, kScopes> docs;
};

// All four rings written once over.
std::unique_ptr<FullCache> MakeFullCache(benchmark::State& state) {
  absl::StatusOr<SharedTokenCache> cache = SharedTokenCache::Make(kConfig);
  if (!cache.ok()) {
    state.SkipWithError(cache.status().ToString().c_str());
    return nullptr;
  }
  auto full = std::make_unique<FullCache>(*std::move(cache));
  const uint64_t docs = full->cache.geometry().ring_tokens / (kDocTokens + 1);
  for (uint64_t i = 0; i <= docs; ++i) {
    for (uint64_t scope = 0; scope < kScopes; ++scope) {
      std::vector<Token> doc = FreshDocument(full->random, kDocTokens);
      if (!full->cache.Insert(BenchScope(scope), doc).ok()) {
        state.SkipWithError("filling the cache failed");
        return nullptr;
      }
      // The oldest document is partly overwritten: not one to draw hits from.
      if (i > 0) full->docs[scope].push_back(std::move(doc));
    }
  }
  return full;
}

void BM_NgramKey(benchmark::State& state) {
  const auto key_len = static_cast<size_t>(state.range(0));
  Random random(kSeed);
  const std::vector<Token> doc = FreshDocument(random, 4096 + key_len);
  uint64_t sum = 0;
  for (auto _ : state) {
    for (size_t end = key_len; end < doc.size(); ++end) {
      sum += NgramKey(absl::MakeConstSpan(doc).subspan(end - key_len, key_len));
    }
  }
  uint64_t once = 0;
  for (size_t end = key_len; end < doc.size(); ++end) {
    once += NgramKey(absl::MakeConstSpan(doc).subspan(end - key_len, key_len));
  }
  if (sum != once * state.iterations()) state.SkipWithError("the keys changed between loops");
  SetTokensPerIteration(state, doc.size() - key_len);
}
BENCHMARK(BM_NgramKey)->ArgName("key_len")->Arg(1)->Arg(2)->Arg(4)->Arg(8)->Arg(16)->Arg(32);

void BM_InsertFresh(benchmark::State& state) {
  std::unique_ptr<FullCache> full = MakeFullCache(state);
  if (full == nullptr) return;
  std::array<uint64_t, kScopes> inserted = {};
  std::array<uint64_t, kScopes> stored_before;
  for (uint64_t i = 0; i < kScopes; ++i)
    stored_before[i] = full->cache.stored_tokens(BenchScope(i));
  std::vector<Token> doc(kDocTokens);
  uint64_t scope = 0;
  for (auto _ : state) {
    FillFresh(full->random, doc);
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(full->cache.Insert(BenchScope(scope), doc).ok());
    state.SetIterationTime(SecondsSince(start));
    ++inserted[scope];
    scope = (scope + 1) % kScopes;
  }
  for (uint64_t i = 0; i < kScopes; ++i) {
    // A run of a whole document is all its tokens and the mark that ends it.
    const uint64_t expected = stored_before[i] + inserted[i] * (kDocTokens + 1);
    if (full->cache.stored_tokens(BenchScope(i)) != expected) {
      state.SkipWithError("stored_tokens is not what fresh documents leave");
    }
  }
  SetTokensPerIteration(state, kDocTokens);
}
BENCHMARK(BM_InsertFresh)->UseManualTime()->Unit(benchmark::kMillisecond);

// True when what follows every `stride`-th key of the document is proposed as it was inserted.
bool ProposesMostOf(SharedTokenCache& cache, uint64_t scope, const std::vector<Token>& doc) {
  uint64_t asked = 0;
  uint64_t right = 0;
  for (size_t end = kKeyLen; end < doc.size(); end += 97, ++asked) {
    Token next = 0;
    const auto history = absl::MakeConstSpan(doc).subspan(0, end);
    right += cache.Propose(BenchScope(scope), history, &next, 1) == 1 && next == doc[end];
  }
  return right * 10 > asked * 8;  // Later keys took some of the slots.
}

void BM_InsertResent(benchmark::State& state) {
  std::unique_ptr<FullCache> full = MakeFullCache(state);
  if (full == nullptr) return;
  uint64_t scope = 0;
  for (auto _ : state) {
    const std::vector<Token>& doc = full->docs[scope].back();
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(full->cache.Insert(BenchScope(scope), doc).ok());
    state.SetIterationTime(SecondsSince(start));
    scope = (scope + 1) % kScopes;
  }
  for (uint64_t i = 0; i < kScopes; ++i) {
    if (!ProposesMostOf(full->cache, i, full->docs[i].back())) {
      state.SkipWithError("a re-sent document is not proposed");
    }
  }
  SetTokensPerIteration(state, kDocTokens);
}
BENCHMARK(BM_InsertResent)->UseManualTime()->Unit(benchmark::kMillisecond);

struct Question {
  uint64_t scope;
  absl::Span<const Token> history;
  Token next;
};

// Keys drawn uniformly over what the rings hold, whole documents only.
std::vector<Question> DrawHits(FullCache& full, size_t count) {
  std::vector<Question> questions;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t scope = i % kScopes;
    const auto& docs = full.docs[scope];
    const std::vector<Token>& doc = docs[full.random.Below(static_cast<uint32_t>(docs.size()))];
    const size_t end = kKeyLen + full.random.Below(kDocTokens - kKeyLen - kDraftTokens);
    const auto history = absl::MakeConstSpan(doc).subspan(end - kKeyLen, kKeyLen);
    Token next = 0;
    if (full.cache.Propose(BenchScope(scope), history, &next, 1) == 0) continue;  // Slot taken.
    questions.push_back({scope, history, doc[end]});
  }
  return questions;
}

void BM_ProposeHit(benchmark::State& state) {
  std::unique_ptr<FullCache> full = MakeFullCache(state);
  if (full == nullptr) return;
  const std::vector<Question> questions = DrawHits(*full, 100'000);
  std::array<Token, kDraftTokens> out = {};
  uint64_t sum = 0;
  size_t i = 0;
  for (auto _ : state) {
    const Question& q = questions[i];
    full->cache.Propose(BenchScope(q.scope), q.history, out.data(), out.size());
    sum += out[0];
    if (++i == questions.size()) i = 0;
  }
  uint64_t expected = 0;
  for (uint64_t n = 0, at = 0; n < static_cast<uint64_t>(state.iterations()); ++n) {
    expected += questions[at].next;
    if (++at == questions.size()) at = 0;
  }
  if (sum != expected) state.SkipWithError("a draft is not what follows in the document");
}
BENCHMARK(BM_ProposeHit);

void BM_ProposeMiss(benchmark::State& state) {
  std::unique_ptr<FullCache> full = MakeFullCache(state);
  if (full == nullptr) return;
  const std::vector<Token> unseen = FreshDocument(full->random, 100'000);
  std::array<Token, kDraftTokens> out = {};
  uint64_t written = 0;
  uint64_t scope = 0;
  size_t end = kKeyLen;
  for (auto _ : state) {
    const auto history = absl::MakeConstSpan(unseen).subspan(end - kKeyLen, kKeyLen);
    written += full->cache.Propose(BenchScope(scope), history, out.data(), out.size());
    if (++end == unseen.size()) end = kKeyLen;
    scope = (scope + 1) % kScopes;
  }
  if (written != 0) state.SkipWithError("a key that was never inserted was found");
}
BENCHMARK(BM_ProposeMiss);

std::vector<ProbeTable> MakeProbeTables() {
  std::vector<ProbeTable> tables;
  const ScopeGeometry geometry = *ComputeGeometry(kConfig);
  for (uint64_t i = 0; i < kScopes; ++i) tables.emplace_back(geometry);
  return tables;
}

void BM_InsertFloor(benchmark::State& state) {
  std::vector<ProbeTable> tables = MakeProbeTables();
  const auto distance = static_cast<size_t>(state.range(0));
  std::vector<uint64_t> random(kDocTokens + distance);
  Random source(kSeed);
  uint64_t scope = 0;
  for (auto _ : state) {
    for (uint64_t& r : random) r = source.Next();
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(tables[scope].Insert(random, distance, CacheLevel::kSecond));
    state.SetIterationTime(SecondsSince(start));
    scope = (scope + 1) % kScopes;
  }
  SetTokensPerIteration(state, kDocTokens);
}
BENCHMARK(BM_InsertFloor)
    ->ArgName("distance")
    ->Arg(8)
    ->Arg(16)
    ->Arg(32)
    ->Arg(64)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void BM_ProposeFloor(benchmark::State& state) {
  const std::vector<ProbeTable> tables = MakeProbeTables();
  Random source(kSeed);
  std::vector<uint64_t> random(100'000);
  for (uint64_t& r : random) r = source.Next();
  size_t i = 0;
  uint64_t sum = 0;
  for (auto _ : state) {
    // The next question waits for the answer to this one, as a caller's would.
    sum += tables[i % kScopes].Propose(random[i] ^ (sum & 1));
    if (++i == random.size()) i = 0;
  }
  benchmark::DoNotOptimize(sum);
}
BENCHMARK(BM_ProposeFloor);

}  // namespace
}  // namespace lockstep
