// Several results as one: what they are of, which answer they add up to, and why.

#ifndef LOCKSTEP_REPORTS_MERGE_H_
#define LOCKSTEP_REPORTS_MERGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/result.h"

namespace lockstep {

// The result of one run, and what lay beside it.
struct ReportedRun {
  std::string dir;
  Result result;
  // Google Benchmark's own file, DIR/bench.json, as it is; "" when there is none.
  std::string google_benchmark;
};

// Reads DIR/result.json of each folder. Stories of findings that lie in files beside it are taken
// in: the page must not need them.
//
// Errors: NotFound, InvalidArgument: the first folder that holds no readable result, in one line.
absl::StatusOr<std::vector<ReportedRun>> ReadRuns(const std::vector<std::string>& dirs);

enum class Answer { kYes, kNo, kNotShown };
const char* AnswerName(Answer answer);  // "Yes", "No", "Not shown"

// What is asked of one library: all runs over the same name and hash, and for our own core, which
// has no file, the same commit.
struct Subject {
  std::string name;    // the library's path, or its own name
  std::string sha256;  // "" for our own core
  std::string commit;  // of our own core; "" otherwise
  std::vector<const ReportedRun*> runs;
  Answer answer = Answer::kNotShown;
  std::string because;  // "8 promises hold (exact level)"
  int exit_code = kExitPass;
};

// Runs that name no library (such as a plan) belong to the only subject where there is just one,
// and stand apart otherwise, as a subject without a name.
std::vector<Subject> SubjectsOf(const std::vector<ReportedRun>& runs);

// The worst of all: 4, 2, 1, 3, 5, 6, and 0 only when nothing else holds.
int OverallExitCode(const std::vector<ReportedRun>& runs);

// The first line of every rendering: "May this go upstream? Yes, because 8 promises hold (exact
// level)." Never one answer for several libraries, unless it is the same no.
std::string UpstreamLine(const std::vector<Subject>& subjects);

// The command that makes a run's figures again.
std::string ReproduceCommand(const Result& result);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_MERGE_H_
