// verify: every check in turn within a time, one verdict.

#ifndef LOCKSTEP_PROPS_HARNESS_VERIFY_H_
#define LOCKSTEP_PROPS_HARNESS_VERIFY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "props/harness/check.h"
#include "reports/result.h"

namespace lockstep {

struct VerifyOptions {
  CheckContext context;  // its deadline is set by RunVerify
  absl::Duration time = absl::Seconds(45);
  std::string out_dir;  // where transcripts of failures go
  // Every situation class must have been reached, and drafts have been given: not when only some
  // checks run.
  bool floors = true;
  // End with the first finding, and leave it as large as it is.
  bool first_only = false;
};

// Runs the checks in order. Those without a share run to their end first; the rest divide what time
// is left. After a finding the search ends soon and the failures are made small.
//
// Returns: a result with the sections `invariants`, `classes` and `findings`, and its exit code.
// Effects: writes DIR/finding-N.jsonl, a transcript of each failure.
// Errors:  the harness or its surroundings failed; FailedPrecondition for a library that cannot be
//          used, NotFound or InvalidArgument for a transcript that cannot be read.
absl::StatusOr<Result> RunVerify(const VerifyOptions& options,
                                 const std::vector<std::unique_ptr<Check>>& checks, Result result);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_VERIFY_H_
