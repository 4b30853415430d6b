// Turns of work of the suites, beside those of the protocol in trials.h.

#ifndef LOCKSTEP_BENCH_MORE_TRIALS_H_
#define LOCKSTEP_BENCH_MORE_TRIALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/full_cache.h"
#include "bench/rounds.h"
#include "lockstep/ngram_key.h"

namespace lockstep {

// Per key: 4,096 keys of a document, each by itself, or as blocks on a hash path.
Rounds::Trial HashTrial(size_t key_len, std::optional<HashPath> path = std::nullopt);

// Per token: documents that repeat what the cache holds but for one edit in 40 tokens, or
// themselves.
enum class Variation { kOneEditIn40, kOwnRepeats };
Rounds::Trial VariedTrial(FullCache& cache, Variation variation);

// Per proposal: `count` a turn of `parts` times as many; one after the other when batch is 1.
absl::StatusOr<Rounds::Trial> HitTrial(FullCache& cache, size_t max_len, size_t batch, size_t count,
                                       size_t parts);
Rounds::Trial MissTrial(const FullCache& cache, size_t history_tokens, size_t count, size_t parts);

// The requests of a trace, and what is known of their replay.
struct ReplayWork {
  struct Request {
    lockstep_scope_key scope;
    std::vector<Token> tokens;  // prompt and output
    size_t prompt_tokens;
  };
  std::vector<Request> requests;
  size_t tokens = 0;
  std::optional<uint64_t> drafted;  // tokens, by the first exact implementation
};
absl::StatusOr<std::shared_ptr<ReplayWork>> ReadReplay(const std::vector<std::string>& trace_paths);

// Per token of the trace: into a new cache of 4 MiB, requests in the order they ran: a proposal at
// every eighth token of the output, then the insert. All exact implementations must draft equally
// many tokens; any must draft equally many each time.
Rounds::Trial ReplayTrial(const MeasuredImpl& impl, std::shared_ptr<ReplayWork> work);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_MORE_TRIALS_H_
