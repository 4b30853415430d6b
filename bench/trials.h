// What one turn of each measured thing is, for Rounds: the work is timed, and what it did is
// checked when the clock has stopped. The caches, tables and questions must outlive the trials.

#ifndef LOCKSTEP_BENCH_TRIALS_H_
#define LOCKSTEP_BENCH_TRIALS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "bench/floor.h"
#include "bench/full_cache.h"
#include "bench/rounds.h"
#include "bench/scope_floor.h"

namespace lockstep {

// Per token: a document under each scope, that none has text in common with. With `exact`, what it
// leaves in the ring is checked to the token.
Rounds::Trial FreshTrial(FullCache& cache, bool exact);

// Per token: each scope's latest document once more.
Rounds::Trial ResentTrial(FullCache& cache);

// Per entry: what memory must do for a fresh token, in one table after the other.
Rounds::Trial InsertFloorTrial(std::vector<ProbeTable>& tables, size_t doc_tokens, size_t distance,
                               CacheLevel level);

// Per proposal, one after the other; `count` of the questions each turn. See Ask... for the three.
Rounds::Trial ChainedTrial(const FullCache& cache, const Questions& questions, size_t count);
Rounds::Trial SinglesTrial(const FullCache& cache, const Questions& questions, size_t count);
Rounds::Trial BatchTrial(const FullCache& cache, const Questions& questions, size_t count,
                         size_t batch);

// Per proposal.
Rounds::Trial ChainedFloorTrial(const std::vector<ProbeTable>& tables, size_t count);
Rounds::Trial SinglesFloorTrial(const std::vector<ProbeTable>& tables, size_t count);
Rounds::Trial ScopeFloorTrial(ScopeProbe& probe, size_t count);

// Per scope made: up to `count` new scopes, each by a document of one key and one token, in a cache
// that has as many as it may.
Rounds::Trial NewScopeTrial(FullCache& cache, size_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_TRIALS_H_
