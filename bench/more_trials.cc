#include "bench/more_trials.h"

#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "bench/trials.h"
#include "bench/workload.h"
#include "lockstep/hash_paths.h"
#include "props/harness/trace.h"

namespace lockstep {
namespace {

constexpr size_t kHashedKeys = 4096;
constexpr SlotLayout kHashLayout = {.slot_bits = 20, .tag_shift = 47};

double NsEach(double seconds, size_t count) { return 1e9 * seconds / static_cast<double>(count); }

uint64_t HashEach(absl::Span<const Token> doc, size_t key_len) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kHashedKeys; ++i) {
    sum += kHashLayout.SlotOf(SlotHash(NgramKey(doc.subspan(i, key_len))));
  }
  return sum;
}

uint64_t HashBlocks(absl::Span<const Token> doc, size_t key_len, HashPath path) {
  constexpr size_t kBlock = 64;
  uint64_t slots[kBlock], tags[kBlock];
  uint64_t sum = 0;
  for (size_t i = 0; i < kHashedKeys; i += kBlock) {
#if LOCKSTEP_X86_PATHS
    const auto hash = path == HashPath::kAvx512 ? internal::HashNgramsAvx512
                      : path == HashPath::kAvx2 ? internal::HashNgramsAvx2
                                                : internal::HashNgramsPlain;
#else
    static_cast<void>(path);
    const auto hash = internal::HashNgramsPlain;
#endif
    hash(doc.data() + i, kBlock, key_len, kHashLayout, slots, tags);
    for (const uint64_t slot : slots) sum += slot;
  }
  return sum;
}

// Tokens drafted, into `drafted`; returns the seconds it took, below 0 when a call fails.
double Replay(const CInterface& functions, const std::vector<ReplayWork::Request>& requests,
              uint64_t& drafted) {
  constexpr lockstep_config kConfig = {uint64_t{4} << 20, 4, 8};
  constexpr size_t kStep = 8;
  lockstep_cache* cache = nullptr;
  if (functions.create(&kConfig, &cache) != LOCKSTEP_OK) return -1;
  const auto destroy = absl::MakeCleanup([&] { functions.destroy(cache); });
  Token out[kStep];
  bool taken = true;
  drafted = 0;
  const double start = ThreadCpuSeconds();
  for (const ReplayWork::Request& request : requests) {
    const std::vector<Token>& tokens = request.tokens;
    for (size_t end = request.prompt_tokens; end < tokens.size(); end += kStep) {
      drafted += functions.propose(cache, &request.scope, tokens.data(), end, out, kStep);
    }
    taken &= functions.insert(cache, &request.scope, tokens.data(), tokens.size()) == LOCKSTEP_OK;
  }
  return taken ? ThreadCpuSeconds() - start : -1;
}

}  // namespace

Rounds::Trial HashTrial(size_t key_len, std::optional<HashPath> path) {
  auto doc = std::make_shared<std::vector<Token>>(FreshDocument(0, key_len, kHashedKeys + key_len));
  return [key_len, path, doc]() -> absl::StatusOr<double> {
    const double start = ThreadCpuSeconds();
    uint64_t sum = path.has_value() ? HashBlocks(*doc, key_len, *path) : HashEach(*doc, key_len);
    asm volatile("" : "+r"(sum));
    const double seconds = ThreadCpuSeconds() - start;
    if (sum != HashEach(*doc, key_len)) {
      return absl::FailedPreconditionError("a hash path computes other slots");
    }
    return NsEach(seconds, kHashedKeys);
  };
}

Rounds::Trial VariedTrial(FullCache& cache, Variation variation) {
  auto random = std::make_shared<Random>(3);
  return [&cache, variation, random]() -> absl::StatusOr<double> {
    double seconds = 0;
    for (uint64_t scope = 0; scope < cache.scope_count(); ++scope) {
      std::vector<Token> doc;
      if (variation == Variation::kOwnRepeats) {
        doc = RepeatingDocument(scope, random->Next(), cache.doc_tokens());
      } else {
        doc = FreshDocument(scope, cache.doc_count(scope) - 1, cache.doc_tokens());
        EditOneIn(40, *random, doc);
      }
      const uint64_t before = cache.StoredTokens(scope);
      const double start = ThreadCpuSeconds();
      const bool taken = cache.Insert(scope, doc);
      seconds += ThreadCpuSeconds() - start;
      if (!taken || cache.StoredTokens(scope) < before) {
        return absl::FailedPreconditionError("a document was not learned");
      }
    }
    return NsEach(seconds, cache.scope_count() * cache.doc_tokens());
  };
}

absl::StatusOr<Rounds::Trial> HitTrial(FullCache& cache, size_t max_len, size_t batch, size_t count,
                                       size_t parts) {
  auto questions = cache.DrawHits(count * parts, max_len, batch);
  if (!questions.ok()) return questions.status();
  auto shared = std::make_shared<Questions>(*std::move(questions));
  Rounds::Trial trial =
      batch == 1 ? ChainedTrial(cache, *shared, count) : BatchTrial(cache, *shared, count, batch);
  return Rounds::Trial([shared, trial] { return trial(); });
}

Rounds::Trial MissTrial(const FullCache& cache, size_t history_tokens, size_t count, size_t parts) {
  auto questions =
      std::make_shared<Questions>(cache.DrawMisses(count * parts, 8, history_tokens, 5));
  Rounds::Trial trial = ChainedTrial(cache, *questions, count);
  return [questions, trial] { return trial(); };
}

absl::StatusOr<std::shared_ptr<ReplayWork>> ReadReplay(
    const std::vector<std::string>& trace_paths) {
  auto reader = TraceReader::Open(trace_paths);
  if (!reader.ok()) return reader.status();
  auto work = std::make_shared<ReplayWork>();
  for (Request request;;) {
    const absl::StatusOr<bool> more = (*reader)->Next(request);
    if (!more.ok()) return more.status();
    if (!*more) return work;
    std::vector<Token> tokens = request.prompt;
    tokens.insert(tokens.end(), request.output.begin(), request.output.end());
    work->tokens += tokens.size();
    work->requests.push_back({ToC(request.scope), std::move(tokens), request.prompt.size()});
  }
}

Rounds::Trial ReplayTrial(const MeasuredImpl& impl, std::shared_ptr<ReplayWork> work) {
  auto own = std::make_shared<std::optional<uint64_t>>();
  return [functions = impl.functions, exact = impl.exact, work = std::move(work),
          own]() -> absl::StatusOr<double> {
    uint64_t drafted = 0;
    const double seconds = Replay(functions, work->requests, drafted);
    std::optional<uint64_t>& expected = exact ? work->drafted : *own;
    if (!expected.has_value()) expected = drafted;
    if (seconds < 0 || drafted != *expected) {
      return absl::FailedPreconditionError("the replay drafted another number of tokens");
    }
    return NsEach(seconds, work->tokens);
  };
}

}  // namespace lockstep
