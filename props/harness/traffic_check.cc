#include "props/harness/traffic_check.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/contained.h"
#include "props/harness/trace.h"
#include "props/harness/trace_source.h"

namespace lockstep {
namespace {

class TrafficCheck : public Check {
 public:
  explicit TrafficCheck(Traffic traffic) : traffic_(std::move(traffic)) {}

  std::string name() const override { return "trace"; }
  std::vector<std::string> serves() const override { return {"I1", "I5", "I6", "I7", "model"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return traffic_.share; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    auto options = ModelOptions::FromConfig(traffic_.config);
    if (!options.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--budget, --scopes, --key-len: ", options.status().message()));
    }
    auto reader = TraceReader::Open(traffic_.paths);
    if (!reader.ok()) return reader.status();
    TraceSource source(traffic_.paths.front(), *std::move(reader), traffic_.config, *options,
                       traffic_.max_draft);
    ContainedOptions contained;
    contained.interpreter.out_tokens = std::max<uint64_t>(traffic_.max_draft, 4096);
    absl::StatusOr<CheckReport> report = RunJudged(context, source, contained);
    if (!report.ok()) return report;
    if (!source.status().ok()) return source.status();
    report->evidence = absl::StrCat(source.requests(), " requests, ", report->operations,
                                    " calls, ", report->given_drafts, " drafts");
    return report;
  }

 private:
  Traffic traffic_;
};

}  // namespace

std::unique_ptr<Check> MakeTrafficCheck(Traffic traffic) {
  return std::make_unique<TrafficCheck>(std::move(traffic));
}

}  // namespace lockstep
