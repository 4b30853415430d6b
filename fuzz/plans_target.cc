// Plan files: any bytes are read or refused, and what is read is planned or refused as a whole.

#include "fuzz/target.h"
#include "props/harness/plan_file.h"

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
  if (!terms.ok()) {
    fuzz::Require(PlanErrorOf(terms.status()).has_value(), "plans: an error of another kind");
    return 0;
  }
  size_t caches = 0;
  for (const CacheDeclaration& declared : plan.declarations) caches += IsCache(declared.kind);
  fuzz::Require(terms->size() == caches, "plans: not one term for each cache");
  return 0;
}
