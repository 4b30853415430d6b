#include "bench/full_cache.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/workload.h"

namespace lockstep {
namespace {

// Several times what the plain implementation needs for 1 GiB.
constexpr absl::Duration kMostFillTime = absl::Seconds(60);

// 0, which the compiler does not know: what is multiplied with it still has to be waited for.
inline uint64_t OpaqueZero() {
  uint64_t zero = 0;
  asm volatile("" : "+r"(zero));
  return zero;
}

// Sets the pointers, which stay good because nothing grows any more.
void Point(Questions& questions, absl::Span<const lockstep_scope_key> scopes, size_t history_tokens,
           size_t max_len) {
  questions.out.assign(Questions::kOutBuffers * max_len, 0);
  questions.proposals.resize(scopes.size());
  for (size_t i = 0; i < scopes.size(); ++i) {
    questions.proposals[i] = {.scope = scopes[i],
                              .history = questions.histories.data() + i * history_tokens,
                              .count = history_tokens,
                              .out = questions.out.data() + i % Questions::kOutBuffers * max_len,
                              .max_len = max_len,
                              .written = 0};
  }
}

}  // namespace

void Questions::CopyPart(const Questions& all, size_t begin, size_t count) {
  const size_t history_tokens = all.proposals[begin].count;
  std::vector<lockstep_scope_key> scopes;
  for (size_t i = begin; i < begin + count; ++i) scopes.push_back(all.proposals[i].scope);
  const auto history = all.histories.begin() + static_cast<std::ptrdiff_t>(begin * history_tokens);
  histories.assign(history, history + static_cast<std::ptrdiff_t>(count * history_tokens));
  if (!all.expected.empty()) {
    const auto answer = all.expected.begin() + static_cast<std::ptrdiff_t>(begin);
    expected.assign(answer, answer + static_cast<std::ptrdiff_t>(count));
  }
  Point(*this, scopes, history_tokens, all.proposals[begin].max_len);
}

lockstep_scope_key ToC(const ScopeKey& key) {
  return {key.model, key.tokenizer, key.adapter, key.tenant};
}

absl::StatusOr<std::unique_ptr<FullCache>> FullCache::Make(const MeasuredImpl& impl,
                                                           const CacheConfig& config,
                                                           size_t doc_tokens) {
  const absl::StatusOr<ScopeGeometry> geometry = ComputeGeometry(config);
  if (!geometry.ok()) return geometry.status();
  const lockstep_config c_config = {config.budget_bytes, config.max_scopes, config.key_len};
  lockstep_cache* cache = nullptr;
  if (impl.functions.create(&c_config, &cache) != LOCKSTEP_OK) {
    return absl::ResourceExhaustedError(absl::StrCat(impl.label, " does not make a cache of ",
                                                     config.budget_bytes,
                                                     " bytes: ", impl.functions.last_error()));
  }
  std::unique_ptr<FullCache> full(new FullCache(impl, config, *geometry, doc_tokens, cache));
  const absl::Status filled = full->Fill();
  if (!filled.ok()) return filled;
  return full;
}

FullCache::FullCache(const MeasuredImpl& impl, const CacheConfig& config,
                     const ScopeGeometry& geometry, size_t doc_tokens, lockstep_cache* cache)
    : functions_(impl.functions),
      exact_(impl.exact),
      config_(config),
      geometry_(geometry),
      doc_tokens_(doc_tokens),
      cache_(cache),
      doc_counts_(config.max_scopes) {
  for (uint64_t i = 0; i < config.max_scopes; ++i) scopes_.push_back(ToC(BenchScope(i)));
}

FullCache::~FullCache() { functions_.destroy(cache_); }

absl::Status FullCache::Fill() {
  const absl::Time deadline = absl::Now() + kMostFillTime;
  const uint64_t docs = geometry_.ring_tokens / (doc_tokens_ + 1) + 1;
  std::vector<Token> doc(doc_tokens_);
  for (uint64_t n = 0; n < docs; ++n) {
    for (uint64_t scope = 0; scope < scope_count(); ++scope) {
      FillFresh(scope, n, 0, absl::MakeSpan(doc));
      if (!Insert(scope, doc)) {
        return absl::ResourceExhaustedError(
            absl::StrCat("an insert failed while filling: ", functions_.last_error()));
      }
      CountDocument(scope);
      if (absl::Now() > deadline) {
        return absl::DeadlineExceededError(absl::StrCat("filling the cache takes more than ",
                                                        absl::FormatDuration(kMostFillTime)));
      }
    }
  }
  return absl::OkStatus();
}

uint64_t FullCache::LiveDocs(uint64_t scope) const {
  return std::min(geometry_.ring_tokens / (doc_tokens_ + 1), doc_counts_[scope]);
}

absl::StatusOr<Questions> FullCache::DrawHits(size_t count, size_t max_len, uint64_t seed) {
  Random random(seed);
  Questions questions;
  std::vector<lockstep_scope_key> scopes;
  std::vector<Token> tokens(config_.key_len + 1);
  uint64_t drawn = 0;
  while (scopes.size() < count) {
    if (++drawn > 10 * count + 1000) {
      const std::string what =
          absl::StrCat("only ", scopes.size(), " of ", drawn, " stored keys are found");
      return exact_ ? absl::FailedPreconditionError(what) : absl::UnavailableError(what);
    }
    const uint64_t scope = random.Below(static_cast<uint32_t>(scope_count()));
    const uint64_t age = random.Below(static_cast<uint32_t>(LiveDocs(scope)));
    const uint64_t last_begin = doc_tokens_ - std::min(doc_tokens_, config_.key_len + max_len);
    const uint64_t begin = random.Below(static_cast<uint32_t>(last_begin + 1));
    FillFresh(scope, doc_counts_[scope] - 1 - age, begin, absl::MakeSpan(tokens));
    Token next = 0;
    // Later keys took some of the slots.
    if (functions_.propose(cache_, &scopes_[scope], tokens.data(), config_.key_len, &next, 1) ==
            0 ||
        next != tokens.back()) {
      continue;
    }
    scopes.push_back(scopes_[scope]);
    questions.expected.push_back(next);
    questions.histories.insert(questions.histories.end(), tokens.begin(), tokens.end() - 1);
  }
  Point(questions, scopes, config_.key_len, max_len);
  return questions;
}

Questions FullCache::DrawMisses(size_t count, size_t max_len, size_t history_tokens,
                                uint64_t seed) const {
  Random random(seed);
  Questions questions;
  std::vector<lockstep_scope_key> scopes;
  questions.histories.resize(count * history_tokens);
  // Token ids that no document holds.
  for (Token& token : questions.histories) token = kVocabulary + random.Below(kVocabulary);
  for (size_t i = 0; i < count; ++i) {
    scopes.push_back(scopes_[random.Below(static_cast<uint32_t>(scope_count()))]);
  }
  Point(questions, scopes, history_tokens, max_len);
  return questions;
}

uint64_t AskChained(const FullCache& cache, const Questions& questions) {
  const auto propose = cache.functions().propose;
  const uint64_t zero = OpaqueZero();
  uint64_t sum = 0;
  for (size_t i = 0; i < questions.size(); ++i) {
    const lockstep_proposal& p = questions.proposals[i + sum * zero];
    propose(cache.get(), &p.scope, p.history, p.count, p.out, p.max_len);
    sum += p.out[0];
  }
  return sum;
}

uint64_t AskSingly(const FullCache& cache, const Questions& questions) {
  const auto propose = cache.functions().propose;
  uint64_t sum = 0;
  for (const lockstep_proposal& p : questions.proposals) {
    if (propose(cache.get(), &p.scope, p.history, p.count, p.out, p.max_len) > 0) sum += p.out[0];
  }
  return sum;
}

uint64_t AskInBatches(const FullCache& cache, Questions& questions, size_t batch) {
  const auto propose_batch = cache.functions().propose_batch;
  uint64_t sum = 0;
  for (size_t begin = 0; begin < questions.size(); begin += batch) {
    const size_t count = std::min(batch, questions.size() - begin);
    lockstep_proposal* const proposals = questions.proposals.data() + begin;
    propose_batch(cache.get(), proposals, count);
    for (size_t i = 0; i < count; ++i) sum += proposals[i].written > 0 ? proposals[i].out[0] : 0;
  }
  return sum;
}

uint64_t SumOf(absl::Span<const Token> tokens) {
  uint64_t sum = 0;
  for (const Token token : tokens) sum += token;
  return sum;
}

}  // namespace lockstep
