// The gate, measured: many gates over equal libraries, and over ones that are slower by a known
// share; alone and beside a noisy neighbour.

#ifndef LOCKSTEP_BENCH_GATE_CERTIFY_H_
#define LOCKSTEP_BENCH_GATE_CERTIFY_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/gate/comparison.h"
#include "nlohmann/json.hpp"

namespace lockstep::gate {

inline constexpr int kCertifyBatchUs = 300;

struct CertifyOptions {
  std::string root;  // whose core is measured: as it is when the first run in `dir` starts
  std::string dir;   // records.jsonl, builds; a run goes on where the last one in it stopped
  double seconds = 3600;
  std::string commit;  // of the gate and the core, and the machine's kind: for the records
  std::string machine;
  ComparisonOptions full;  // what a full gate is
  std::function<void(const std::string&)> progress;
};

// Runs gates until the time is over or all that is asked for is done, a record for each, synced to
// disk before the next one starts.
absl::Status RunCertification(const CertifyOptions& options);

// What the records say, as figures and as a page.
struct Certificate {
  nlohmann::ordered_json json;
  std::string markdown;
};
absl::StatusOr<Certificate> RenderCertificate(const std::string& records_path);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_CERTIFY_H_
