// The figures that must hold, each measured beside its floor in the same rounds.
//
//   64 MiB in 4 full scopes used in rotation, keys of 8 tokens, documents of 131,072 tokens for
//   inserts, hits drawn uniformly over the live ring and drafts of up to 8 tokens for proposals.

#ifndef LOCKSTEP_BENCH_PROTOCOL_H_
#define LOCKSTEP_BENCH_PROTOCOL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/full_cache.h"
#include "bench/rounds.h"

namespace lockstep {

struct ProtocolOptions {
  size_t rounds = 25;
  uint64_t seed = 1;
  size_t scopes = 65'536;  // of the proposals among many scopes
  // Tests measure a small cache quickly; what must hold is stated for the defaults.
  uint64_t budget_bytes = uint64_t{64} << 20;
  size_t doc_tokens = 131'072;
  size_t questions = 4096;  // a turn
};

// One figure of one implementation. Times are nanoseconds of this thread for one unit.
struct ProtocolRow {
  std::string name;  // "insert fresh"
  std::string impl;
  std::string unit;  // of work: "token", "proposal", "scope", "document"
  Estimate ns;
  std::string floor;  // what the figure is compared with; "" with nothing
  double floor_ns = 0;
  Estimate ratio;                     // to the floor
  std::optional<double> plain_ratio;  // to plain_exact: below 1 is faster
  // The promise, for what is judged: "at most 2.0 x the floor"; "" where nothing is promised.
  std::string promise;
  bool holds = true;
};

// Measures all of `impls`, the promises on the one called `judged`; ratios to the one called
// "plain_exact" where it is there.
//
// Errors: what an implementation says that cannot be measured, or that it does other work than it
//         should.
absl::StatusOr<std::vector<ProtocolRow>> RunProtocol(const std::vector<MeasuredImpl>& impls,
                                                     const std::string& judged,
                                                     const ProtocolOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_PROTOCOL_H_
