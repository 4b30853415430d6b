// Our own core, searched exhaustively: deeper and deeper while there is time.

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/exhaustive.h"
#include "props/harness/tiny_operations.h"

namespace lockstep {
namespace {

// A search remembers a path to each of its states.
constexpr uint64_t kMostStates = 3'000'000;

class ExhaustiveCheck : public Check {
 public:
  std::string name() const override { return "exhaustive search"; }
  std::vector<std::string> serves() const override { return {"model", "I1", "I2", "I6", "I7"}; }
  bool applies(Level level, bool own_core) const override {
    return own_core && level == Level::kExact;
  }
  double share() const override { return 0.1; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    std::vector<ExhaustiveSearch> searches;
    for (const ExhaustiveBounds& bounds : TinyBounds()) searches.emplace_back(bounds);
    uint64_t uses = 0;
    for (uint64_t turn = 1; !context.out_of_time() && report.failures.empty(); ++turn) {
      const bool sequences_left = SearchUses(context, turn, report, uses);
      const bool states_left = Deepen(context, searches, report);
      if (!sequences_left && !states_left) break;
    }
    uint64_t states = 0, documents = 0, proposals = 0, exhausted = 0;
    uint64_t levels = ~uint64_t{0};
    for (const ExhaustiveSearch& search : searches) {
      states += search.states();
      documents += search.documents();
      proposals += search.proposals();
      if (search.exhausted()) ++exhausted;
      if (!search.exhausted()) levels = std::min(levels, search.levels());
    }
    report.sequences += documents;
    report.operations += documents + proposals;
    report.evidence = absl::StrCat(states, " states of ", searches.size(), " tiny scopes, ");
    if (exhausted > 0) absl::StrAppend(&report.evidence, exhausted, " of them exhausted, ");
    if (exhausted < searches.size()) {
      absl::StrAppend(&report.evidence, "all of ", levels, " documents, ");
    }
    absl::StrAppend(&report.evidence, uses, " orders of use");
    return report;
  }

 private:
  // Each search in turn goes on for a moment, so that a short time reaches all of them. False when
  // nothing is left to search.
  bool Deepen(const CheckContext& context, std::vector<ExhaustiveSearch>& searches,
              CheckReport& report) {
    bool more = false;
    const absl::Duration slice =
        std::clamp((context.deadline - absl::Now()) / (2 * searches.size()), absl::Milliseconds(5),
                   absl::Milliseconds(200));
    for (ExhaustiveSearch& search : searches) {
      if (search.exhausted() || search.states() > kMostStates) continue;
      if (context.out_of_time() || !report.failures.empty()) return true;
      more = true;
      context.progress(
          absl::StrCat(search.states(), " states of ", DescribeOptions(search.bounds().options)));
      const absl::Time end = std::min(context.deadline, absl::Now() + slice);
      while (report.failures.empty() && !search.exhausted() && absl::Now() < end) {
        if (auto failing = search.Deepen(end)) Report(search, *std::move(failing), report);
      }
    }
    return more;
  }

  // Longer sequences of uses each turn, the longest only where there is the time. False when there
  // are no longer ones to come.
  bool SearchUses(const CheckContext& context, uint64_t length, CheckReport& report,
                  uint64_t& sequences) {
    const absl::Duration left = context.deadline - absl::Now();
    if (length > 5 || (length == 4 && left < absl::Seconds(20)) ||
        (length == 5 && left < absl::Seconds(300))) {
      return false;
    }
    for (const uint64_t max_scopes : {1, 2, 3}) {
      ScopeSearchOutcome outcome = SearchScopeUses(max_scopes, length, context.deadline);
      sequences += outcome.sequences;
      report.operations += outcome.sequences * length;
      if (outcome.failure) report.failures.push_back(*std::move(outcome.failure));
    }
    return true;
  }

  // Runs the failing sequence once more under the judge, which says what is wrong.
  void Report(const ExhaustiveSearch& search, Sequence failing, CheckReport& report) {
    CheckReport judged = RunTiny(search.bounds().options, failing.name, failing.ops);
    if (judged.failures.empty()) {
      judged.failures.push_back(
          {.finding = {.check = "model",
                       .what = "differs from the model, but not when asked again",
                       .op_index = failing.ops.size() - 1,
                       .signature = "model: exhaustive"},
           .found_by = failing.name,
           .sequence = std::move(failing)});
    }
    report.Add(std::move(judged));
  }
};

}  // namespace

std::unique_ptr<Check> MakeExhaustiveCheck() { return std::make_unique<ExhaustiveCheck>(); }

}  // namespace lockstep
