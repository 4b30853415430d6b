// What the corpus covers of the core.

#ifndef LOCKSTEP_FUZZ_COVERAGE_H_
#define LOCKSTEP_FUZZ_COVERAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/night.h"

namespace lockstep::fuzz {

// One source file, from a tracefile in the lcov format.
struct FileCoverage {
  std::map<uint64_t, uint64_t> lines;  // how often each ran
  struct Branches {
    uint64_t all = 0;
    uint64_t taken = 0;
  };
  std::map<uint64_t, Branches> branches;  // by line
};
// By path. Errors: InvalidArgument for what is not in that format.
absl::StatusOr<std::map<std::string, FileCoverage>> ReadTracefile(std::string_view text);

// A branch that no input takes, and why: "FILE | TEXT OF THE LINE | REASON"; # begins a comment. A
// reason that begins with "by chance" is one for what some runs take, by their addresses, and
// others do not: it is never stale.
struct CoverageException {
  std::string file, line, reason;
  int at = 0;  // its line in the list
};
// Errors: InvalidArgument "NAME:LINE: what is wrong".
absl::StatusOr<std::vector<CoverageException>> ReadExceptions(const std::string& name,
                                                              std::string_view text);

struct CoverageFigures {
  uint64_t lines = 0, lines_run = 0, branches = 0, branches_taken = 0;
  std::vector<std::string> missed;  // "scope.cc:12: if (...)": a branch that no exception names
  std::vector<std::string> stale;   // exceptions for what is covered, or is no more
};
// `source` gives the text of a file of the tracefile.
CoverageFigures CompareWithExceptions(const std::map<std::string, FileCoverage>& files,
                                      const std::vector<CoverageException>& exceptions,
                                      const std::map<std::string, std::string>& sources);

// Replays seeds, regressions and grown corpus of every target with the preset `coverage`, writes
// llvm-cov's page to OUT/coverage/html and the section `coverage`:
//
// {lines, lines_run, branches, branches_taken, exceptions, missed: [], stale: [], page}
//
// Exit code 5 when a branch is missed without an exception, an exception is stale, or less than 95
// of 100 lines ran.
absl::Status MeasureCoverage(const NightOptions& options, const std::string& root, Result& result);
std::string CoverageText(const Result& result);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_COVERAGE_H_
