// The questions a plan answers backwards: how much fits into a byte budget?

#ifndef LOCKSTEP_PLAN_FIT_H_
#define LOCKSTEP_PLAN_FIT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lockstep/cache_plan.h"
#include "lockstep/types.h"

namespace lockstep {

// Everything that a plan is made from.
struct CachePlan {
  std::vector<CacheDeclaration> declarations;
  FormatTable formats;
  CacheInputs inputs;
  std::optional<CacheConfig> shared_cache;
  PlanOptions options;
};

// PlanCaches, and after its terms that of the shared token cache if the plan has one.
//
// Errors: as PlanCaches, then as SharedCacheTerm.
absl::StatusOr<std::vector<CacheTerm>> EvaluatePlan(const CachePlan& plan);

// What may be raised until the budget is full. All three live in host memory, so the budget is one
// of host memory: the sum of all host terms stays within it.
enum class FitInput : uint8_t {
  kHistoryTokens,  // per sequence; needs inputs.lookup
  kSequences,      // needs inputs.lookup
  // Scopes of the shared cache, each with the bytes that the plan's shared_cache gives one of its
  // own: budget_bytes / max_scopes. Without shared_cache, the least a scope can have and a key of
  // one token.
  kScopes,
};

struct Fit {
  uint64_t value = 0;            // the most that fits
  bool is_cap = false;           // value is the cap, so that one more was not asked for
  CachePlan plan;                // the plan with that value
  std::vector<CacheTerm> terms;  // its terms
  absl::uint128 host_bytes = 0;  // their host bytes, at most the budget
  // Host bytes with one more, above the budget. Absent at the cap, and when the plan with one more
  // has a number that does not fit 64 bits.
  std::optional<absl::uint128> one_more_host_bytes = std::nullopt;
};

// The largest value up to `cap` with which the plan evaluates and its host bytes are within
// `budget_bytes`. Host bytes never fall as the value grows, so all lower values fit too.
//
// Errors:   InvalidArgument when the plan lacks what is to be raised. ResourceExhausted when even
//           the least value (0; one scope) is over the budget. Else those of EvaluatePlan there.
// Cost:     at most 66 evaluations.
absl::StatusOr<Fit> FitPlan(const CachePlan& plan, FitInput input, uint64_t budget_bytes,
                            uint64_t cap = std::numeric_limits<uint64_t>::max());

}  // namespace lockstep

#endif  // LOCKSTEP_PLAN_FIT_H_
