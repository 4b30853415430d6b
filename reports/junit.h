// Results for test viewers, and as Markdown for step summaries and comments.

#ifndef LOCKSTEP_REPORTS_JUNIT_H_
#define LOCKSTEP_REPORTS_JUNIT_H_

#include <string>
#include <vector>

#include "reports/merge.h"

namespace lockstep {

// junit.xml: a suite per run; a case per promise, per finding, and one for the run's verdict, so
// that a run that fails without either is seen too.
std::string RenderJunit(const std::vector<ReportedRun>& runs);

// summary.md: the answer in the first line, then each run as summary.h renders it.
std::string RenderMergedMarkdown(const std::vector<ReportedRun>& runs);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_JUNIT_H_
