// A gate over two libraries: equal answers first, then time, then what else there is to ask.

#ifndef LOCKSTEP_BENCH_GATE_COMPARISON_H_
#define LOCKSTEP_BENCH_GATE_COMPARISON_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/gate/decision.h"
#include "bench/gate/measure.h"

namespace lockstep::gate {

struct ComparisonOptions {
  std::vector<std::string> workloads;
  std::vector<std::string> forced;  // those timed on the forced path too
  std::string trace;                // a file of WriteOwnTrace, or ""
  std::string scratch;              // a folder for files that are of no use later; it is removed
  uint64_t seed = 1;
  int first_processes = kFirstProcesses;
  int extended_processes = kExtendedProcesses;
  int pairs = 40;
  int batch_us = 1000;
  double budget_seconds = 0;  // 0: none
  bool skip_identical = true;
  bool instructions = true;
  // Makes the libraries again in the order of objects that the number stands for; none where
  // libraries were given and not built.
  std::function<absl::StatusOr<std::pair<std::string, std::string>>(int)> relink;
  std::function<void(const std::string&)> progress;
  // Accepted losses: row, workload ("resent/cache") or operation ("resent"), to reason.
  std::map<std::string, std::string> accepted;
};

struct Row {
  std::string name;
  Verdict verdict = Verdict::kSame;
  TimeDecision time = {};
  double wall_ratio = 0;
  double base_ns = 0;
  std::optional<double> instructions = {};  // of head over base, less 1
  std::string note = {};
};

// What was measured and what it said, in the order in which it was.
struct Attempt {
  std::string what = {};
  int processes = 0;
  double alpha = kAlpha;
  std::vector<std::string> slower = {};
  std::vector<std::string> unclear = {};
  std::string noise = {};
  LogRatios samples = {};
  std::vector<double> control = {};
};

struct Comparison {
  bool identical = false;
  std::vector<std::string> different_answers = {};  // workloads
  std::vector<Row> rows = {};
  std::vector<Attempt> attempts = {};
  std::string noise = {};            // why this machine cannot tell, or ""
  std::string no_instructions = {};  // why there are none though they were asked for, or ""
  double seconds = 0;
  int exit_code = 0;
  std::string verdict = {};  // the first line of every report
};

// Errors: Unavailable when a library does not load, a process dies, and so on.
absl::StatusOr<Comparison> Compare(const std::string& base, const std::string& head,
                                   const ComparisonOptions& options);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_COMPARISON_H_
