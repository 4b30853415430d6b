// I5: never more than max_len tokens, nothing past them; any max_len and any configuration is
// survived.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/bounds_sequences.h"
#include "props/harness/check.h"
#include "props/harness/create_judge.h"
#include "props/harness/len_only_cuts.h"

namespace lockstep {
namespace {

std::string Describe(const CacheConfig& config) {
  return absl::StrCat("budget_bytes ", config.budget_bytes, ", max_scopes ", config.max_scopes,
                      ", key_len ", config.key_len);
}

// What every cache must survive, whatever it was made with: calls that store nothing.
std::vector<Operation> HarmlessCalls() {
  const ScopeKey scope = {1, 2, 3, 4};
  return {Propose(scope, {1, 2, 3}, 4), Insert(scope, {}), Propose(scope, {}, 0)};
}

// More bytes than an address has bits for: making a scope of so many fails on every machine.
constexpr uint64_t kBeyondAllMemory = uint64_t{1} << 49;

Operation MakesScope() {
  std::vector<Token> doc(4100);
  for (size_t i = 0; i < doc.size(); ++i) doc[i] = static_cast<Token>(i);
  return Insert({1, 2, 3, 4}, std::move(doc));
}

class BoundsCheck : public Check {
 public:
  std::string name() const override { return "bounds"; }
  std::vector<std::string> serves() const override { return {"I5"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0.1; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    using Part = absl::Status (*)(const CheckContext&, CheckReport&);
    constexpr Part kParts[] = {RunShort, RunConfigs, RunLong};
    for (const Part part : kParts) {
      if (absl::Status status = part(context, report); !status.ok()) return status;
    }
    report.evidence = absl::StrCat(report.sequences, " sequences, ", report.operations, " calls");
    return report;
  }

 private:
  static absl::Status RunShort(const CheckContext& context, CheckReport& report) {
    return RunAll(context, ShortBoundsSequences(context.seed), report);
  }
  static absl::Status RunLong(const CheckContext& context, CheckReport& report) {
    return RunAll(context, LongBoundsSequences(context.seed), report);
  }

  static absl::Status RunAll(const CheckContext& context, const std::vector<Sequence>& sequences,
                             CheckReport& report) {
    for (const Sequence& sequence : sequences) {
      if (!report.failures.empty()) return absl::OkStatus();
      if (context.out_of_time()) {
        report.finished = false;
        return absl::OkStatus();
      }
      context.progress(sequence.name);
      absl::StatusOr<CheckReport> one = RunJudged(context, sequence);
      if (!one.ok()) return one.status();
      report.Add(*std::move(one));
      if (!report.failures.empty() || context.level != Level::kExact) continue;
      auto finding = LenOnlyCuts(context, sequence);
      if (!finding.ok()) return finding.status();
      if (finding->has_value()) AddCut(context, **finding, sequence, report);
    }
    return absl::OkStatus();
  }

  static void AddCut(const CheckContext& context, const Finding& finding, const Sequence& sequence,
                     CheckReport& report) {
    Failure failure{.finding = finding, .found_by = sequence.name, .sequence = sequence};
    failure.sequence.ops.resize(finding.op_index + 1);
    failure.reproduce = [context](const Sequence& candidate) -> std::optional<Finding> {
      auto again = LenOnlyCuts(context, candidate);
      return again.ok() ? *again : std::nullopt;
    };
    report.failures.push_back(std::move(failure));
  }

  // All configurations in one child, as long as it lives.
  static absl::Status RunConfigs(const CheckContext& context, CheckReport& report) {
    const std::vector<CacheConfig> configs = BoundsConfigs();
    const std::vector<Operation> calls = HarmlessCalls();
    // No operation of this one has much to do.
    ContainedOptions options;
    options.time_limit_per_op = absl::Seconds(1);
    auto cache = StartContained(context.impl, configs.front(), options);
    if (!cache.ok()) return cache.status();
    for (const CacheConfig& config : configs) {
      if (!report.failures.empty()) break;
      if (context.out_of_time()) {
        report.finished = false;
        break;
      }
      ++report.sequences;
      (*cache)->Recreate(config);
      std::optional<Finding> finding = EndOf(**cache, config);
      if (!finding) finding = CheckCreate(context.level, config, **cache);
      if (!finding && (*cache)->create_status() == LOCKSTEP_OK) {
        report.operations += (*cache)->Run(calls).size();
        finding = EndOf(**cache, config);
      }
      if (finding) {
        AddConfig(context, *finding, config, HarmlessCalls(), report);
      } else if (config.max_scopes > 0 &&
                 config.budget_bytes / config.max_scopes >= kBeyondAllMemory) {
        RunBeyondAllMemory(context, config, report);
      }
    }
    return absl::OkStatus();
  }

  // An insert that nobody has the memory for is survived. What it answers is not judged here.
  static void RunBeyondAllMemory(const CheckContext& context, const CacheConfig& config,
                                 CheckReport& report) {
    auto cache = StartContained(context.impl, config, {});
    if (!cache.ok() || (*cache)->create_status() != LOCKSTEP_OK) return;
    const std::vector<Operation> ops = {MakesScope()};
    report.operations += (*cache)->Run(ops).size();
    const ChildEnd::Kind kind = (*cache)->end().kind;
    if (kind != ChildEnd::Kind::kCrashed && kind != ChildEnd::Kind::kOutOfMemory) return;
    AddConfig(context, *EndOf(**cache, config), config, ops, report);
  }

  static std::optional<Finding> EndOf(const ContainedCache& cache, const CacheConfig& config) {
    const ChildEnd& end = cache.end();
    if (end.kind == ChildEnd::Kind::kCompleted) return std::nullopt;
    return Finding{.check = "I5",
                   .what = absl::StrCat(end.what, " (", Describe(config), ")"),
                   .signature = "I5: a configuration is not survived"};
  }

  // The shrinker's way of running a configuration finds it again.
  static void AddConfig(const CheckContext& context, const Finding& finding,
                        const CacheConfig& config, std::vector<Operation> ops,
                        CheckReport& report) {
    Failure failure{.finding = finding,
                    .found_by = "configurations",
                    .sequence = {"a configuration", config, std::move(ops)}};
    failure.reproduce = [context](const Sequence& candidate) -> std::optional<Finding> {
      ContainedOptions brisk;
      brisk.time_limit_per_op = absl::Milliseconds(500);
      auto again = RunJudged(context, candidate, brisk);
      if (!again.ok() || again->failures.empty()) return std::nullopt;
      return again->failures.front().finding;
    };
    report.failures.push_back(std::move(failure));
  }
};

}  // namespace

std::unique_ptr<Check> MakeBoundsCheck() { return std::make_unique<BoundsCheck>(); }

}  // namespace lockstep
