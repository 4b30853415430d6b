#include "lockstep/plan_fit.h"

#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lockstep/geometry.h"

namespace lockstep {
namespace {

uint64_t ScopeShareBytes(const CachePlan& plan) {
  if (!plan.shared_cache.has_value()) return kMinScopeBytes;
  return plan.shared_cache->budget_bytes / plan.shared_cache->max_scopes;
}

// `plan` with `value` for `input`; OutOfRange when a shared cache cannot even be configured so.
absl::StatusOr<CachePlan> WithValue(const CachePlan& plan, FitInput input, uint64_t value) {
  CachePlan changed = plan;
  switch (input) {
    case FitInput::kHistoryTokens:
      changed.inputs.lookup->history_tokens = value;
      break;
    case FitInput::kSequences:
      changed.inputs.lookup->sequences = value;
      break;
    case FitInput::kScopes: {
      CacheConfig config = plan.shared_cache.value_or(CacheConfig{.key_len = 1});
      config.max_scopes = value;
      if (__builtin_mul_overflow(value, ScopeShareBytes(plan), &config.budget_bytes)) {
        return absl::OutOfRangeError("bytes of the shared cache do not fit 64 bits");
      }
      changed.shared_cache = config;
      break;
    }
  }
  return changed;
}

absl::StatusOr<Fit> Evaluate(const CachePlan& plan, FitInput input, uint64_t value) {
  absl::StatusOr<CachePlan> changed = WithValue(plan, input, value);
  if (!changed.ok()) return changed.status();
  absl::StatusOr<std::vector<CacheTerm>> terms = EvaluatePlan(*changed);
  if (!terms.ok()) return terms.status();
  Fit fit{.value = value, .plan = *std::move(changed), .terms = *std::move(terms)};
  fit.host_bytes = HostBytes(fit.terms);
  return fit;
}

absl::Status CheckPlan(const CachePlan& plan, FitInput input) {
  if (input == FitInput::kScopes) {
    if (!plan.shared_cache.has_value()) return absl::OkStatus();
    return SharedCacheTerm(*plan.shared_cache).status();
  }
  if (plan.inputs.lookup.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "inputs.lookup is absent: give it sequences and history_tokens, one of which is then fitted");
}

absl::Status NothingFits(const Fit& least, uint64_t budget_bytes) {
  std::ostringstream message;  // StrCat takes no 128-bit numbers.
  message << "nothing fits: with the least value, " << least.value << ", host memory takes "
          << least.host_bytes << " bytes of a budget of " << budget_bytes << ": raise the budget";
  return absl::ResourceExhaustedError(message.str());
}

}  // namespace

absl::StatusOr<std::vector<CacheTerm>> EvaluatePlan(const CachePlan& plan) {
  absl::StatusOr<std::vector<CacheTerm>> terms =
      PlanCaches(plan.declarations, plan.formats, plan.inputs, plan.options);
  if (!terms.ok() || !plan.shared_cache.has_value()) return terms;
  absl::StatusOr<CacheTerm> shared = SharedCacheTerm(*plan.shared_cache);
  if (!shared.ok()) return shared.status();
  terms->push_back(*std::move(shared));
  return terms;
}

absl::StatusOr<Fit> FitPlan(const CachePlan& plan, FitInput input, uint64_t budget_bytes,
                            uint64_t cap) {
  if (absl::Status checked = CheckPlan(plan, input); !checked.ok()) return checked;
  const uint64_t least = input == FitInput::kScopes ? 1 : 0;
  if (cap < least) return absl::InvalidArgumentError("the cap is 0: a cache has one scope or more");
  absl::StatusOr<Fit> best = Evaluate(plan, input, least);
  if (!best.ok()) return best.status();
  if (best->host_bytes > budget_bytes) {
    return NothingFits(*best, budget_bytes);
  }
  // What evaluates at the least value and not at a larger one has outgrown 64 bits there, which is
  // over any budget. `refused` is the least value known not to fit.
  std::optional<uint64_t> refused;
  std::optional<absl::uint128> refused_bytes;
  while (best->value != (refused.has_value() ? *refused - 1 : cap)) {
    // The cap is asked for first; from then on the gap halves.
    const uint64_t probe = refused.has_value() ? best->value + (*refused - best->value) / 2 : cap;
    absl::StatusOr<Fit> probed = Evaluate(plan, input, probe);
    if (probed.ok() && probed->host_bytes <= budget_bytes) {
      best = std::move(probed);
    } else {
      refused = probe;
      refused_bytes = probed.ok() ? std::optional(probed->host_bytes) : std::nullopt;
    }
  }
  best->is_cap = best->value == cap;
  best->one_more_host_bytes = refused_bytes;
  return best;
}

}  // namespace lockstep
