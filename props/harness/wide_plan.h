// The sizing once more, in 128 bits and straight from the contract's table: what a plan must equal.

#ifndef LOCKSTEP_PROPS_HARNESS_WIDE_PLAN_H_
#define LOCKSTEP_PROPS_HARNESS_WIDE_PLAN_H_

#include <vector>

#include "lockstep/cache_plan.h"
#include "nlohmann/json.hpp"

namespace lockstep {

// What TermsToJson or PlanErrorToJson must say of PlanCaches, with a group width of 16.
nlohmann::ordered_json WidePlan(const std::vector<CacheDeclaration>& declarations,
                                const FormatTable& formats, const CacheInputs& inputs);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_WIDE_PLAN_H_
