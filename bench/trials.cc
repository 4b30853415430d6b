#include "bench/trials.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "bench/workload.h"

namespace lockstep {
namespace {

double NsEach(double seconds, size_t count) { return 1e9 * seconds / static_cast<double>(count); }

absl::Status Refused(const FullCache& cache) {
  return absl::FailedPreconditionError(
      absl::StrCat("an insert was refused: ", cache.functions().last_error()));
}

// Takes each turn another part of the questions, so that none finds the lines of the last turn.
using Ask = uint64_t (*)(const FullCache&, Questions&, size_t batch);

Rounds::Trial AskTrial(const FullCache& cache, const Questions& questions, size_t count,
                       size_t batch, Ask ask) {
  auto part = std::make_shared<Questions>();
  auto next = std::make_shared<size_t>(0);
  return [&cache, &questions, count, batch, ask, part, next]() -> absl::StatusOr<double> {
    if (*next + count > questions.size()) *next = 0;
    part->CopyPart(questions, *next, count);
    *next += count;
    const double start = ThreadCpuSeconds();
    const uint64_t sum = ask(cache, *part, batch);
    const double seconds = ThreadCpuSeconds() - start;
    if (sum != SumOf(part->expected)) {
      return absl::FailedPreconditionError("drafts are not what followed in the documents");
    }
    return NsEach(seconds, count);
  };
}

// Runs `probe` over fresh random numbers.
template <typename Probe>
Rounds::Trial ProbeTrial(size_t count, Probe probe) {
  auto source = std::make_shared<Random>(count);
  auto random = std::make_shared<std::vector<uint64_t>>(count);
  return [count, probe, source, random]() -> absl::StatusOr<double> {
    for (uint64_t& r : *random) r = source->Next();
    const double start = ThreadCpuSeconds();
    uint64_t sum = probe(*random);
    asm volatile("" : "+r"(sum));
    return NsEach(ThreadCpuSeconds() - start, count);
  };
}

}  // namespace

Rounds::Trial FreshTrial(FullCache& cache, bool exact) {
  auto doc = std::make_shared<std::vector<Token>>(cache.doc_tokens());
  return [&cache, exact, doc]() -> absl::StatusOr<double> {
    double seconds = 0;
    for (uint64_t scope = 0; scope < cache.scope_count(); ++scope) {
      FillFresh(scope, cache.doc_count(scope), 0, absl::MakeSpan(*doc));
      cache.CountDocument(scope);
      const uint64_t before = cache.StoredTokens(scope);
      const double start = ThreadCpuSeconds();
      const bool taken = cache.Insert(scope, *doc);
      seconds += ThreadCpuSeconds() - start;
      if (!taken) return Refused(cache);
      // A run of a whole document is all its tokens and the mark that ends it.
      if (exact && cache.StoredTokens(scope) != before + doc->size() + 1) {
        return absl::FailedPreconditionError("a fresh document was not stored whole");
      }
    }
    return NsEach(seconds, cache.scope_count() * doc->size());
  };
}

Rounds::Trial ResentTrial(FullCache& cache) {
  auto doc = std::make_shared<std::vector<Token>>(cache.doc_tokens());
  return [&cache, doc]() -> absl::StatusOr<double> {
    double seconds = 0;
    for (uint64_t scope = 0; scope < cache.scope_count(); ++scope) {
      FillFresh(scope, cache.doc_count(scope) - 1, 0, absl::MakeSpan(*doc));
      const double start = ThreadCpuSeconds();
      const bool taken = cache.Insert(scope, *doc);
      seconds += ThreadCpuSeconds() - start;
      if (!taken) return Refused(cache);
    }
    return NsEach(seconds, cache.scope_count() * doc->size());
  };
}

Rounds::Trial InsertFloorTrial(std::vector<ProbeTable>& tables, size_t doc_tokens, size_t distance,
                               CacheLevel level) {
  auto source = std::make_shared<Random>(distance);
  auto random = std::make_shared<std::vector<uint64_t>>(doc_tokens + distance);
  return [&tables, doc_tokens, distance, level, source, random]() -> absl::StatusOr<double> {
    double seconds = 0;
    for (ProbeTable& table : tables) {
      for (uint64_t& r : *random) r = source->Next();
      const double start = ThreadCpuSeconds();
      uint64_t sum = table.Insert(*random, distance, level);
      asm volatile("" : "+r"(sum));
      seconds += ThreadCpuSeconds() - start;
    }
    return NsEach(seconds, tables.size() * doc_tokens);
  };
}

Rounds::Trial ChainedTrial(const FullCache& cache, const Questions& questions, size_t count) {
  return AskTrial(cache, questions, count, 1,
                  [](const FullCache& c, Questions& q, size_t) { return AskChained(c, q); });
}

Rounds::Trial SinglesTrial(const FullCache& cache, const Questions& questions, size_t count) {
  return AskTrial(cache, questions, count, 1,
                  [](const FullCache& c, Questions& q, size_t) { return AskSingly(c, q); });
}

Rounds::Trial BatchTrial(const FullCache& cache, const Questions& questions, size_t count,
                         size_t batch) {
  return AskTrial(cache, questions, count, batch, AskInBatches);
}

Rounds::Trial ChainedFloorTrial(const std::vector<ProbeTable>& tables, size_t count) {
  return ProbeTrial(
      count, [&tables](absl::Span<const uint64_t> random) { return ProbeChained(tables, random); });
}

Rounds::Trial SinglesFloorTrial(const std::vector<ProbeTable>& tables, size_t count) {
  return ProbeTrial(
      count, [&tables](absl::Span<const uint64_t> random) { return ProbeSingly(tables, random); });
}

Rounds::Trial ScopeFloorTrial(ScopeProbe& probe, size_t count) {
  return ProbeTrial(
      count, [&probe](absl::Span<const uint64_t> random) { return probe.ProbeChained(random); });
}

Rounds::Trial NewScopeTrial(FullCache& cache, size_t count) {
  auto next = std::make_shared<uint64_t>(cache.scope_count());
  auto turn = std::make_shared<size_t>(1);
  return [&cache, count, next, turn]() -> absl::StatusOr<double> {
    const std::vector<Token> doc = FreshDocument(0, 0, cache.key_len() + 1);
    std::vector<lockstep_scope_key> keys;
    for (size_t i = 0; i < *turn; ++i) keys.push_back(ToC(BenchScope((*next)++)));
    const CInterface& functions = cache.functions();
    bool taken = true;
    const double start = ThreadCpuSeconds();
    for (const lockstep_scope_key& key : keys) {
      taken &= functions.insert(cache.get(), &key, doc.data(), doc.size()) == LOCKSTEP_OK;
    }
    const double seconds = ThreadCpuSeconds() - start;
    if (!taken) return Refused(cache);
    if (functions.scope_count(cache.get()) != cache.scope_count() ||
        functions.stored_tokens(cache.get(), &keys.back()) == 0) {
      return absl::FailedPreconditionError("no new scope was made in place of another");
    }
    const double ns = NsEach(seconds, *turn);
    // Who clears a scope's memory takes milliseconds for one.
    constexpr double kTurnNs = 2e6;
    *turn = static_cast<size_t>(std::clamp(kTurnNs / ns, 1.0, static_cast<double>(count)));
    return ns;
  };
}

}  // namespace lockstep
