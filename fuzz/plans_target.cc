// Plan files: any bytes are read or refused, and what is read is planned or refused as a whole.

#include "fuzz/target.h"
#include "props/harness/plan_file.h"
#include "props/harness/wide_plan.h"

namespace lockstep {
namespace {

// The largest value that fits is one that evaluates within the budget, and one more does not.
void CheckFit(const CachePlan& plan, FitInput input, uint64_t budget, uint64_t cap) {
  const absl::StatusOr<Fit> fit = FitPlan(plan, input, budget, cap);
  if (!fit.ok()) {
    fuzz::Require(!fit.status().message().empty(), "plans: a refusal without words");
    return;
  }
  const auto terms = EvaluatePlan(fit->plan);
  fuzz::Require(terms.ok() && HostBytes(*terms) == fit->host_bytes, "plans: other bytes of a fit");
  fuzz::Require(fit->host_bytes <= budget && fit->value <= cap, "plans: what fits is too large");
  fuzz::Require(fit->is_cap == (fit->value == cap), "plans: a cap that is none");
  if (fit->one_more_host_bytes.has_value()) {
    fuzz::Require(*fit->one_more_host_bytes > budget, "plans: one more fits too");
  }
}

// Questions that a plan does not ask: other kinds, a shared cache that is refused.
void CheckRest(const CachePlan& plan) {
  for (const CacheKind kind :
       {CacheKind::kRecurrent, CacheKind::kPagedKv, CacheKind::kSharedTokenCache}) {
    const auto units = UnitsOf(kind, plan.inputs);
    fuzz::Require(units.ok() && *units == 0, "plans: units of what has none");
  }
  CachePlan refused = plan;
  refused.shared_cache = CacheConfig{};
  fuzz::Require(!FitPlan(refused, FitInput::kScopes, UINT64_MAX).ok(),
                "plans: scopes of a cache that is refused");
  const auto terms = EvaluatePlan(refused);
  fuzz::Require(!terms.ok() && PlanErrorToJson(terms.status()).contains("error"),
                "plans: a cache that is refused has terms");
}

// What the plan takes is a budget that what it asks for fits.
void CheckOwnFits(const CachePlan& plan, uint64_t budget) {
  const auto history = FitPlan(plan, FitInput::kHistoryTokens, budget);
  fuzz::Require(history.ok() && history->value >= plan.inputs.lookup->history_tokens,
                "plans: a history that fits was not found");
  const auto sequences = FitPlan(plan, FitInput::kSequences, budget);
  fuzz::Require(sequences.ok() && sequences->value >= plan.inputs.lookup->sequences,
                "plans: sequences that fit were not found");
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: an entry point of a few lines
  const absl::StatusOr<PlanFile> file = ParsePlan("p", {reinterpret_cast<const char*>(data), size});
  if (!file.ok()) {
    const std::string message(file.status().message());
    fuzz::Require(message.starts_with("p:"), "plans: a refusal without its place");
    fuzz::Require(message.find('\n') == message.npos, "plans: a refusal of several lines");
    return 0;
  }
  const CachePlan& plan = file->plan;
  const auto terms = PlanCaches(plan.declarations, plan.formats, plan.inputs);
  const auto answer = terms.ok() ? TermsToJson(*terms) : PlanErrorToJson(terms.status());
  fuzz::Require(answer == WidePlan(plan.declarations, plan.formats, plan.inputs),
                "plans: not what 128 bits give");
  CheckRest(plan);
  const auto all = EvaluatePlan(plan);
  const absl::uint128 host_bytes = all.ok() ? HostBytes(*all) : 0;
  for (const FitInput input : {FitInput::kHistoryTokens, FitInput::kSequences, FitInput::kScopes}) {
    CheckFit(plan, input, uint64_t{1} << 34, UINT64_MAX);
    CheckFit(plan, input, absl::Uint128Low64(host_bytes) / 2, size);
    CheckFit(plan, input, UINT64_MAX, 0);
  }
  if (!all.ok() || !plan.inputs.lookup.has_value() || host_bytes > UINT64_MAX) return 0;
  CheckOwnFits(plan, static_cast<uint64_t>(host_bytes));
  return 0;
}
