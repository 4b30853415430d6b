// The night shift: fuzz targets in processes of their own, their corpus, and what they find.
//
// On disk, so that nothing is lost whenever it ends:
//   CORPUS/TARGET/         grown inputs; merged aside, then renamed
//   OUT/artifacts/TARGET/  what libFuzzer wrote of inputs that failed, before we looked at them
//   OUT/findings/NAME/     of each distinct finding: input, minimised input, transcript, story

#ifndef LOCKSTEP_FUZZ_NIGHT_H_
#define LOCKSTEP_FUZZ_NIGHT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fuzz/fuzzer_log.h"
#include "reports/result.h"

namespace lockstep::fuzz {

struct Target {
  std::string name;
  bool codec = false;        // its inputs decode to operations
  bool any_library = false;  // it takes --impl
  // Fewer executions in a second of its time, and the night was none; a tenth of what it does on a
  // machine that is busy with something else.
  double least_per_second = 0;
};
const std::vector<Target>& Targets();

struct NightOptions {
  std::vector<Target> targets;
  absl::Duration time;
  int jobs = 1;
  std::string impl;
  std::string programs;  // the folder of fuzz_TARGET
  std::string explain;   // the program lockstep-explain
  std::string seeds;     // the corpus in the tree
  std::string corpus;    // the grown one
  std::string out;
  bool accept = false;  // a corpus that shrinks by more than a fifth
  bool keep = false;    // findings become regressions
  // Of the time: one that is too short for the floors to mean anything.
  bool floors() const { return time >= absl::Minutes(1); }
};

// Set by a signal handler: everything ends soon, and in order.
extern volatile int interrupted;
inline bool Interrupted() { return interrupted != 0; }

// Runs the night. The result has the sections `fuzz` and `findings`.
//
// Errors: FailedPrecondition, Internal: the surroundings failed (a target is missing, a corpus is
//         empty or unreadable, no disk is left).
absl::Status RunNight(const NightOptions& options, Result& result);

// How far a target had come after so many seconds of its own.
struct Sample {
  double seconds = 0;
  uint64_t executions = 0;
  uint64_t coverage = 0;
  uint64_t corpus = 0;
};

// What is known of one target.
struct Shift {
  Target target;
  absl::Duration used = {};
  bool finding = true;  // its last slice brought something new
  bool running = false;
  uint64_t slices = 0;
  uint64_t executions = 0;
  Pulse last = {};
  std::vector<Sample> samples = {};  // at the end of each slice
  uint64_t modules = 0;       // that gave libFuzzer coverage: the target itself, and a library
  std::string unmerged = {};  // why the corpus stayed as it was
  bool merge_refused = false;
};

// A distinct finding, judged and made small.
struct FoundFault {
  std::string target;
  std::string signature;
  std::string folder;      // under OUT/findings
  std::string transcript;  // "" where the input is no sequence
  bool flaky = false;
  uint64_t times = 1;
};

// Looks at what libFuzzer left in OUT/artifacts/TARGET: each file is run again, and the first of
// each signature is minimised, decoded and told. Files that were looked at are moved away.
class FaultCabinet {
 public:
  explicit FaultCabinet(const NightOptions& options) : options_(options) {}

  // Runs what is kept in the tree of faults that were found once; what fails again goes to
  // OUT/artifacts, and Examine.
  void ReplayRegressions(const Target& target) const;
  // True when a fault was found that was not known.
  bool Examine(const Target& target, absl::Duration time_to_minimise);
  const std::vector<FoundFault>& faults() const { return faults_; }

 private:
  // The signature of one run; "" when nothing failed.
  std::string RunOnce(const Target& target, const std::string& input) const;
  void Keep(const Target& target, const std::string& artifact, FoundFault fault,
            absl::Duration time_to_minimise);
  // The smallest input of the same signature, as far as the time goes.
  std::string Minimise(const Target& target, const FoundFault& fault, const std::string& input,
                       absl::Duration time) const;
  // Unless the same fault is kept already.
  void KeepAsRegression(const Target& target, const FoundFault& fault,
                        const std::string& input) const;
  void Explain(const Target& target, const std::string& input, FoundFault& fault) const;

  const NightOptions& options_;
  std::vector<FoundFault> faults_;
};

// The arguments of every run of a target.
std::vector<std::string> TargetCommand(const NightOptions& options, const Target& target);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_NIGHT_H_
