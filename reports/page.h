// Results as one page that needs nothing else: no network, no file beside it, and no scripts, which
// only draw what its tables hold.

#ifndef LOCKSTEP_REPORTS_PAGE_H_
#define LOCKSTEP_REPORTS_PAGE_H_

#include <string>
#include <vector>

#include "reports/merge.h"

namespace lockstep {

// index.html. The sections in the order in which they answer questions; those that are not known
// as tables of whatever they hold.
std::string RenderPage(const std::vector<ReportedRun>& runs);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_PAGE_H_
