// What verify is made of: checks, each of which tries for a while to show that an implementation
// breaks a promise.

#ifndef LOCKSTEP_PROPS_HARNESS_CHECK_H_
#define LOCKSTEP_PROPS_HARNESS_CHECK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "props/harness/contained.h"
#include "props/harness/exact_model.h"
#include "props/harness/judge.h"
#include "props/harness/operation.h"

namespace lockstep {

enum class Level : uint8_t { kExact, kSound };

// A broken promise and what shows it.
struct Failure {
  Finding finding;
  std::string found_by;  // the check, or the name of the sequence
  Sequence sequence;     // up to and including the operation that showed it
  // Runs a candidate and says what is found in it now; the shrinker calls it. Null when no one
  // sequence shows the failure (memory over many calls, two processes that differ).
  std::function<std::optional<Finding>(const Sequence&)> reproduce = {};
};

struct CheckContext {
  ImplementationSpec impl;
  Level level = Level::kExact;
  uint64_t seed = 1;
  absl::Time deadline = absl::InfiniteFuture();  // of the check that is running
  // Ids of the invariants to be checked, and "model"; empty means all.
  std::set<std::string> only;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  std::function<bool()> interrupted = [] { return false; };

  bool own_core() const { return impl.library.empty(); }
  bool enabled(const std::string& id) const { return only.empty() || only.contains(id); }
  // Also true once the user asked for the end (Ctrl-C): what was found so far is kept.
  bool out_of_time() const { return interrupted() || absl::Now() >= deadline; }
};

// What a check did: evidence when it found nothing.
struct CheckReport {
  std::vector<Failure> failures;  // the first of each signature
  uint64_t sequences = 0;
  uint64_t operations = 0;
  uint64_t tokens = 0;
  SituationCounts situations;
  uint64_t expected_drafts = 0;  // that the exact model gives
  uint64_t given_drafts = 0;     // ... and the implementation gave as well
  std::string evidence;          // one line for the table, such as "12 surroundings, all equal"
  bool finished = true;          // false: the deadline cut it short

  void Add(CheckReport other);
};

class Check {
 public:
  virtual ~Check() = default;
  virtual std::string name() const = 0;
  // The invariants it serves, "I1".."I7"; "model" for comparison with the exact model.
  virtual std::vector<std::string> serves() const = 0;
  virtual bool applies(Level level, bool own_core) const = 0;
  // Part of the time after the directed sequences that it should get; 0: it runs to its end.
  virtual double share() const = 0;
  // Errors: the harness or its surroundings failed (exit 4).
  virtual absl::StatusOr<CheckReport> Run(const CheckContext& context) = 0;
};

// Yields the operations of one cache in pieces, so that a sequence may be longer than memory.
class OperationSource {
 public:
  virtual ~OperationSource() = default;
  virtual const std::string& name() const = 0;
  virtual const CacheConfig& config() const = 0;
  // Appends the next operations to `ops`; false when there are none.
  virtual bool Next(std::vector<Operation>& ops) = 0;
};

// The workhorse: runs a sequence in a child, holding every answer to the judges of the context's
// level that are enabled, and stops at the first finding.
absl::StatusOr<CheckReport> RunJudged(const CheckContext& context, const Sequence& sequence,
                                      const ContainedOptions& options = {});
absl::StatusOr<CheckReport> RunJudged(const CheckContext& context, OperationSource& source,
                                      const ContainedOptions& options = {});

// One per file of checks; verify runs them in this order.
std::unique_ptr<Check> MakeTranscriptCheck(std::vector<std::string> paths);  // golden, regressions
// The same transcripts, for what no single run shows: memory over repetitions, other surroundings.
std::unique_ptr<Check> MakeReplayCheck(std::vector<std::string> paths);  // I3 I4 I5
std::unique_ptr<Check> MakeDirectedCheck();     // directed sequences: every situation once
std::unique_ptr<Check> MakeIsolationCheck();    // I2
std::unique_ptr<Check> MakeMemoryCheck();       // I3
std::unique_ptr<Check> MakeDeterminismCheck();  // I4
std::unique_ptr<Check> MakeBoundsCheck();       // I5
std::unique_ptr<Check> MakeDepthCheck();        // positions past 2^16, 2^20, 2^24, 2^32
std::unique_ptr<Check> MakeRandomCheck();       // random operations until the deadline
std::unique_ptr<Check> MakeExhaustiveCheck();   // our own core, tiny scopes
// Our own core under libFuzzer: runs the program `target` on the seeds of `corpus`; what it finds
// is kept in `out_dir`.
std::unique_ptr<Check> MakeFuzzCheck(std::string target, std::string corpus, std::string out_dir);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CHECK_H_
