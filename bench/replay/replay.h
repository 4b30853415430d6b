// What a shared cache would have saved on recorded traffic: every request is decoded without it and
// with it, and then inserted, in the order in which the requests ran.

#ifndef LOCKSTEP_BENCH_REPLAY_REPLAY_H_
#define LOCKSTEP_BENCH_REPLAY_REPLAY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/replay/decode.h"
#include "bench/replay/latency.h"
#include "bench/replay/scope_use.h"
#include "lockstep/geometry.h"
#include "lockstep/own_history.h"
#include "lockstep/types.h"
#include "props/harness/implementation.h"
#include "props/harness/trace.h"

namespace lockstep {

// More would be no draft that an engine verifies in one step.
inline constexpr uint64_t kMostMaxDraft = 65536;

struct ReplaySettings {
  CacheConfig cache{.budget_bytes = uint64_t{64} << 20, .max_scopes = 4, .key_len = 8};
  uint64_t max_draft = 8;
  DraftPolicy policy = DraftPolicy::kPlain;
};

struct LatencySummary {  // in nanoseconds
  double median = 0;
  double p99 = 0;
  double max = 0;
};

// What was counted and measured, for one scope or for all.
struct ReplayCounts {
  uint64_t requests = 0;
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;   // and so the steps with no cache at all
  uint64_t steps_own_only = 0;  // with the own history alone
  DecodeCounts decode;          // with the own history, then the shared cache
  uint64_t scope_drops = 0;     // times the scope was dropped to make room for another
  uint64_t live_tokens = 0;     // in the ring at the end
  uint64_t bytes = 0;           // of the scopes that exist at the end
  LatencySummary insert_ns_per_token;
  LatencySummary propose_ns_per_call;

  uint64_t steps_saved() const { return output_tokens - decode.steps; }
  double tokens_per_step() const;  // 0 without steps
};

struct ReplayReport {
  struct ScopeRow {
    ScopeKey scope;
    ReplayCounts counts;
  };

  ReplaySettings settings;
  ReplayCounts all;
  std::vector<ScopeRow> scopes;  // in the order of their first request
  ReplayCounts other_scopes;     // those past Replay::kMostScopeRows
};

// One setting over one trace. Uses one thread; several replays may run at once.
class Replay {
 public:
  // Scopes beyond these are counted together: memory must not grow with the trace.
  static constexpr size_t kMostScopeRows = 256;

  // Errors: InvalidArgument for a configuration that the implementation refuses, ResourceExhausted
  //         or Internal for one that it cannot make.
  static absl::StatusOr<std::unique_ptr<Replay>> Make(const CInterface& implementation,
                                                      const ReplaySettings& settings);

  // Plays one request and inserts it.
  //
  // Errors: FailedPrecondition when the implementation broke its bounds, ResourceExhausted or
  //         Internal when an insert failed.
  absl::Status Play(const Request& request);

  // What it came to. Call once, after the last request.
  ReplayReport Finish();

 private:
  struct Row {
    ScopeKey scope;
    ReplayCounts counts;
    LatencyHistogram insert_ps_per_token;  // one value a document, in picoseconds
    LatencyHistogram propose_ns;           // one value a call

    void Add(const Row& other);
    ReplayCounts Summarized() const;
  };

  Replay(const ReplaySettings& settings, const ScopeGeometry& geometry,
         std::unique_ptr<CacheHandle> cache);

  Row& RowOf(const ScopeKey& scope);
  absl::Span<const Token> Propose(const ScopeKey& scope, absl::Span<const Token> history,
                                  uint64_t max_len, Row& row);
  absl::Status Insert(const ScopeKey& scope, Row& row);

  ReplaySettings settings_;
  ScopeGeometry geometry_;
  std::unique_ptr<CacheHandle> cache_;
  OwnHistory history_;
  std::vector<Token> draft_;
  absl::Status broken_;  // what the implementation did wrong in a proposal
  ScopeUse use_;
  std::vector<std::unique_ptr<Row>> rows_;
  absl::flat_hash_map<ScopeKey, Row*> row_of_;
  Row others_;
};

// Replays a whole trace. Adds to `tokens_done` and sets `bytes_done` (compressed, as in the files)
// as it goes, for progress.
//
// Errors: those of the trace reader and of Replay.
absl::StatusOr<ReplayReport> ReplayTrace(const CInterface& implementation,
                                         const ReplaySettings& settings,
                                         const std::vector<std::string>& paths,
                                         std::atomic<uint64_t>& tokens_done,
                                         std::atomic<uint64_t>& bytes_done);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_REPLAY_H_
