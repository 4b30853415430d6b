// A result as a person reads it: the verdict in the first line, then a row per invariant, then the
// findings and what shows them, then how often each situation occurred.
//
// Sections, each of which may be absent:
//   invariants  [{"id": "I1", "name": "inserted slice", "verdict": "holds", "evidence": "..."}]
//               verdict is "holds", "broken" or "not checked"
//   findings    [{"check", "what", "found_by", "signature", "transcript": path or "",
//                 "ops": N, "tokens": N}]
//   checks      [{"name": "isolation", "evidence": "88 sequences, ..."}]
//   classes     {"ring wrapped": N}; 0 means that it was never reached

#ifndef LOCKSTEP_REPORTS_SUMMARY_H_
#define LOCKSTEP_REPORTS_SUMMARY_H_

#include <string>

#include "absl/status/status.h"
#include "reports/result.h"

namespace lockstep {

// "PASS: lockstep core, exact level: 8 promises hold".
std::string VerdictLine(const Result& result);

// Texts that are not our own are made harmless: a member of another type is shown as JSON.
std::string RenderTerminal(const Result& result, bool colour);
std::string RenderMarkdown(const Result& result);

absl::Status WriteSummary(const Result& result, const std::string& dir);  // DIR/summary.md

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_SUMMARY_H_
