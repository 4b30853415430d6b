// Plan files: any bytes are read or refused, and what is read is planned or refused as a whole.

#include "fuzz/target.h"
#include "props/harness/plan_file.h"
#include "props/harness/wide_plan.h"

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
  const auto all = EvaluatePlan(plan);
  if (!all.ok() || !plan.inputs.lookup.has_value()) return 0;

  // What the plan takes is a budget that what it asks for fits.
  const absl::uint128 host_bytes = HostBytes(*all);
  if (host_bytes > UINT64_MAX) return 0;
  const auto budget = static_cast<uint64_t>(host_bytes);
  const auto history = FitPlan(plan, FitInput::kHistoryTokens, budget);
  fuzz::Require(history.ok() && history->value >= plan.inputs.lookup->history_tokens,
                "plans: a history that fits was not found");
  const auto sequences = FitPlan(plan, FitInput::kSequences, budget);
  fuzz::Require(sequences.ok() && sequences->value >= plan.inputs.lookup->sequences,
                "plans: sequences that fit were not found");
  return 0;
}
