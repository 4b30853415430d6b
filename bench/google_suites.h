// The suites run by Google Benchmark, and what it found as a table.

#ifndef LOCKSTEP_BENCH_GOOGLE_SUITES_H_
#define LOCKSTEP_BENCH_GOOGLE_SUITES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/suites.h"

namespace lockstep {

struct SuiteOptions {
  std::string filter = ".";  // a regular expression over the names
  double min_time_seconds = 0.02;
  int repetitions = 3;  // in random order when more than 1
};

struct SuiteResults {
  // In Google Benchmark's own format; the build type is the program's, and not that of the library
  // which measures.
  std::string json;
  std::string table;
  bool failed = false;  // a benchmark did other work than it should; not one that is left out
};

// `context` is recorded beside the results.
//
// Errors: InvalidArgument for a filter that matches nothing or is no expression.
absl::StatusOr<SuiteResults> RunSuites(
    const std::vector<Suite>& suites, const SuiteOptions& options,
    const std::vector<std::pair<std::string, std::string>>& context);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_GOOGLE_SUITES_H_
