// Everything that is measured of an implementation, along every axis that matters, as turns of work
// (rounds.h) that Google Benchmark repeats, in random order.

#ifndef LOCKSTEP_BENCH_SUITES_H_
#define LOCKSTEP_BENCH_SUITES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/full_cache.h"
#include "bench/more_trials.h"
#include "bench/rounds.h"

namespace lockstep {

// One benchmark: BM_<Operation><Case>/<impl>/<axis>:<value>.
struct Suite {
  std::string name;
  std::string operation;  // "BM_InsertFresh"
  std::string impl;       // "memory" for a floor
  std::string axis;       // "budget_kib:65536": equal ones are compared
  std::string floor;      // the operation that is its floor, at the same axis; "" without one
  double units = 1;       // tokens or proposals a turn
  std::function<absl::StatusOr<Rounds::Trial>()> make;
};

// What benchmarks share: filling a cache takes longer than measuring it. The caches that were not
// asked for lately are given up when all together pass a bound.
class CacheStore {
 public:
  absl::StatusOr<FullCache*> Get(const MeasuredImpl& impl, const CacheConfig& config,
                                 size_t doc_tokens);

 private:
  using Key = std::tuple<std::string, uint64_t, uint64_t, uint64_t, size_t>;
  std::map<Key, std::unique_ptr<FullCache>> caches_;
  std::map<Key, absl::Status> failures_;  // not tried again
  std::vector<Key> used_;  // the latest last
};

// `replay`: a trace, or null for none. `large`: caches of 1 GiB too, which take minutes to
// fill. `store` and `impls` must outlive the suites.
std::vector<Suite> MakeSuites(const std::vector<MeasuredImpl>& impls,
                              std::shared_ptr<ReplayWork> replay, bool large, CacheStore& store);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_SUITES_H_
