// I3: slots and rings are fixed, all scopes stay within the budget, nothing grows with calls.

#include <utility>

#include "props/harness/check.h"
#include "props/harness/memory_checks.h"

namespace lockstep {
namespace {

class MemoryCheck : public Check {
 public:
  std::string name() const override { return "memory"; }
  std::vector<std::string> serves() const override { return {"I3"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0.1; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    // A configuration that every implementation accepts, to see whether this program can count.
    auto probe = StartContained(context.impl, {.budget_bytes = 6144, .max_scopes = 1, .key_len = 1},
                                MeasuringOptions());
    if (!probe.ok()) return probe.status();
    if (!(*probe)->Memory().counted) {
      report.evidence = "not measured: this build does not intercept the allocator";
      return report;
    }
    using Part = absl::Status (*)(const CheckContext&, CheckReport&);
    // What grows shows in one or two calls made again and again, which a reader grasps sooner than
    // the many that it takes to outgrow a budget; so growth is looked for first.
    constexpr std::pair<Part, double> kParts[] = {{CheckGrowthOverTurnovers, 0.3},
                                                  {CheckGrowthOverCalls, 0.6},
                                                  {CheckBudget, 0.6},
                                                  {CheckDestroy, 0.8},
                                                  {CheckAllocationFailures, 1}};
    for (const auto& [part, share_of_rest] : kParts) {
      if (context.out_of_time()) {
        report.finished = false;
        break;
      }
      CheckContext limited = context;
      limited.deadline = absl::Now() + (context.deadline - absl::Now()) * share_of_rest;
      if (absl::Status status = part(limited, report); !status.ok()) return status;
      if (!report.failures.empty()) break;
    }
    return report;
  }
};

}  // namespace

namespace {

// Keeps one half of the operations as long as one of them shows it alone.
void Halve(Sequence& sequence, const Reproduce& reproduce) {
  for (bool smaller = true; smaller && sequence.ops.size() > 1;) {
    smaller = false;
    const auto middle = sequence.ops.begin() + static_cast<ptrdiff_t>(sequence.ops.size() / 2);
    Sequence halves[] = {{sequence.name, sequence.config, {sequence.ops.begin(), middle}},
                         {sequence.name, sequence.config, {middle, sequence.ops.end()}}};
    for (Sequence& half : halves) {
      half.ops.front().batched = false;
      const auto shown = reproduce(half);
      if (!shown.ok() || !shown->has_value()) continue;
      sequence = std::move(half);
      smaller = true;
      break;
    }
  }
}

}  // namespace

void AddMemoryFailure(const Finding& finding, Sequence sequence, const Reproduce& reproduce,
                      CheckReport& report) {
  Failure failure{.finding = finding, .found_by = sequence.name, .sequence = std::move(sequence)};
  failure.finding.op_index = failure.sequence.ops.size() - 1;
  const auto shown = reproduce(failure.sequence);
  if (shown.ok() && shown->has_value()) {
    // Each trial repeats its calls thousands of times, so the first steps down are long ones.
    Halve(failure.sequence, reproduce);
    failure.finding.op_index = failure.sequence.ops.size() - 1;
    failure.reproduce = [reproduce](const Sequence& candidate) -> std::optional<Finding> {
      auto again = reproduce(candidate);
      return again.ok() ? *again : std::nullopt;
    };
  }
  report.failures.push_back(std::move(failure));
}

std::unique_ptr<Check> MakeMemoryCheck() { return std::make_unique<MemoryCheck>(); }

}  // namespace lockstep
