// Copies of the core that do more work than they need to.

#ifndef LOCKSTEP_BENCH_GATE_SLOWDOWNS_H_
#define LOCKSTEP_BENCH_GATE_SLOWDOWNS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep::gate {

// Where work is added: each place does a share of its own work once more.
struct Site {
  const char* name;
  const char* file;      // under the root
  const char* anchor;    // a text that occurs once in it ...
  const char* replaced;  // ... and what stands there instead; PERMILLE is the share
  const char* target;    // the workload by which it is calibrated
};
const std::vector<Site>& Sites();

// Copies what the library of `root` is built from, to the folder `to`: whole, or not at all. Does
// nothing when it is there.
absl::Status CopySource(const std::string& root, const std::string& to);

// Builds the core of `root` in `dir`, with `permille` thousandths more work at `site`; a copy of
// the library, in `dir`.
//
// Errors: Unavailable when the core no longer has the anchor, or does not build.
absl::StatusOr<std::string> BuildSlower(const std::string& root, const std::string& dir,
                                        const Site& site, int permille);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_SLOWDOWNS_H_
