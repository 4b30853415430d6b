// Plan files: the caches an engine declares and what its operator chose, as one JSON object.
//
//   {"states": [{"id": "...", "kind": "ring_snapshot", "format": "bf16" or "{key}",
//                "elements": N}, ...],
//    "formats": {"key": "f16", ...},
//    "inputs": {"prefix_snapshot_slots": N, "ring": [ring slots, sequence slots],
//               "carry": [verify slots, table rows], "verify_table_rows": N, "capture_rows": N,
//               "lookup": {"sequences": N, "history_tokens": N} or null,
//               "tree": [slots, nodes] or null, "drafts": [slots, positions] or null},
//    "shared_cache": {"budget_bytes": N, "max_scopes": N, "key_len": N}}
//
// `shared_cache`, `lookup`, `tree` and `drafts` may be left out; all other members shown are
// needed, and members that are not shown are ignored. Numbers are whole and use all 64 bits.

#ifndef LOCKSTEP_PROPS_HARNESS_PLAN_FILE_H_
#define LOCKSTEP_PROPS_HARNESS_PLAN_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lockstep/cache_plan.h"
#include "lockstep/plan_fit.h"
#include "nlohmann/json.hpp"

namespace lockstep {

inline constexpr uint64_t kMaxPlanFileBytes = uint64_t{16} << 20;

struct PlanFile {
  CachePlan plan;
  // Members of `inputs` that were ignored, as JSON pointers: likely slips of the pen.
  std::vector<std::string> ignored_inputs;
};

// Reads a plan from the bytes of a file; `name` is what errors call it. Any bytes are survived.
//
// Errors: InvalidArgument, one line: "NAME:LINE: ..." where the bytes are not JSON, else
//         "NAME: at /json/pointer: what is wrong; what to do".
absl::StatusOr<PlanFile> ParsePlan(absl::string_view name, absl::string_view bytes);

// The same from a file. Errors: also a file that cannot be read or is above kMaxPlanFileBytes.
absl::StatusOr<PlanFile> ReadPlanFile(const std::string& path);

// {"terms":[...]}, each term as plan files with expectations spell it.
nlohmann::ordered_json TermsToJson(absl::Span<const CacheTerm> terms);

// {"error":{"overflow":"state"}} or {"error":{"missing_format":{"state":"...","key":"..."}}};
// {"error":{"invalid":"message"}} for a status that is not one of PlanCaches.
nlohmann::ordered_json PlanErrorToJson(const absl::Status& status);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_PLAN_FILE_H_
