#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/describe.h"
#include "props/harness/exact_judge.h"
#include "props/harness/memory_checks.h"

namespace lockstep {
namespace {

constexpr CacheConfig kConfig = {.budget_bytes = 3 * 8192, .max_scopes = 3, .key_len = 2};
// More allocations than this in one call are not all tried.
constexpr uint64_t kMostAllocations = 300;

ScopeKey Scope(uint64_t n) { return {n, 0, 0, 0}; }

std::vector<Token> Doc(Token first, size_t len) {
  std::vector<Token> doc(len);
  for (size_t i = 0; i < len; ++i) doc[i] = first + static_cast<Token>(i % 40);
  return doc;
}

class FailingAllocations {
 public:
  FailingAllocations(const CheckContext& context, ContainedCache& cache)
      : own_core_(context.own_core()), cache_(cache), judge_(*ModelOptions::FromConfig(kConfig)) {}

  // Runs every kind of call with every allocation of it failing in turn; false when it is over
  // because something was found or the child is gone.
  bool Run() {
    const std::vector<Token> doc = Doc(100, 60);
    return Quietly(Insert(Scope(1), Doc(5, 30))) && Quietly(Insert(Scope(2), Doc(7, 30))) &&
           // Makes a scope; adds to one; is refused.
           EachFails(Insert(Scope(3), doc)) && EachFails(Insert(Scope(1), Doc(900, 2000))) &&
           EachFails(Insert(Scope(1), {1, kReservedToken, 2})) &&
           // Only our own core promises to take over a dropped scope's memory: another may free it,
           // and then fail to get it again.
           (!own_core_ ||
            (EachFails(Insert(Scope(4), doc)) && EachFails(Insert(Scope(5), Doc(300, 50))) &&
             EachFails(Propose(Scope(4), {100, 101}, 8)) && EachCreateFails()));
  }

  std::optional<Finding> finding() const { return finding_; }
  const Sequence& sequence() const { return sequence_; }
  uint64_t failed() const { return failed_; }

 private:
  bool Found(const std::string& what, const char* kind) {
    finding_ = {.check = "I3",
                .what = absl::StrCat("when allocation ", n_, " of the call failed: ", what),
                .op_index = sequence_.ops.size() - 1,
                .signature = absl::StrCat("I3: allocation failure: ", kind)};
    return false;
  }

  // The child is gone. Only of our own core is it asked to outlive a failing allocation.
  bool Gone() {
    return own_core_ ? Found(absl::StrCat("the process ended: ", cache_.end().what), "ends")
                     : false;
  }

  // What differs where nothing has failed yet is for others to find.
  bool Judged(const Operation& op, const Answer& answer) {
    const auto finding = judge_.Check(op, answer);
    if (!finding) return true;
    return n_ > 0 && Found(finding->what, "state");
  }

  bool Quietly(const Operation& op) {
    sequence_.ops.push_back(op);
    const std::vector<Answer> answers = cache_.Run(absl::MakeConstSpan(&op, 1));
    return answers.empty() ? Gone() : Judged(op, answers[0]);
  }

  // Nothing has changed: asked without a use of any scope.
  bool NothingChanged() {
    for (uint64_t n = 1; n <= 5; ++n) {
      if (!Quietly(Insert(Scope(n), {}))) return false;
    }
    return true;
  }

  bool EachFails(const Operation& op) {
    for (n_ = 1; n_ <= kMostAllocations; ++n_) {
      const uint64_t before = cache_.Memory().allocations;
      cache_.FailAllocation(n_);
      sequence_.ops.push_back(op);
      const std::vector<Answer> answers = cache_.Run(absl::MakeConstSpan(&op, 1));
      if (answers.empty()) return Gone();
      cache_.FailAllocation(0);
      const bool reached = cache_.Memory().allocations - before >= n_;
      const Answer& answer = answers[0];
      if (!reached) {
        // Whether it is right now: an earlier failure may have left something behind.
        --n_;
        const bool right = Judged(op, answer) && NothingChanged();
        n_ = 0;
        return right;
      }
      ++failed_;
      // It did without the memory, and then has to be right; or it says so.
      if (answer.status == LOCKSTEP_OK) return Judged(op, answer) && NothingChanged();
      const bool right_status = answer.status == LOCKSTEP_RESOURCE_EXHAUSTED ||
                                answer.status == LOCKSTEP_INVALID_ARGUMENT;
      if (own_core_ && !right_status) {
        return Found(absl::StrCat("the status is ", DescribeStatus(answer.status)), "status");
      }
      if (!NothingChanged()) return false;
    }
    return true;
  }

  bool EachCreateFails() {
    for (n_ = 1; n_ <= kMostAllocations; ++n_) {
      const uint64_t before = cache_.Memory().allocations;
      cache_.FailAllocation(n_);
      const lockstep_status status = cache_.Recreate(kConfig);
      if (cache_.end().kind != ChildEnd::Kind::kCompleted) return Gone();
      cache_.FailAllocation(0);
      const bool reached = cache_.Memory().allocations - before >= n_;
      if (!reached && status == LOCKSTEP_OK) return true;
      if (status != LOCKSTEP_OK && status != LOCKSTEP_RESOURCE_EXHAUSTED) {
        return Found(absl::StrCat("create gave ", DescribeStatus(status)), "create");
      }
      if (cache_.create_left_pointer()) return Found("create left a pointer", "create");
    }
    return true;
  }

  bool own_core_;
  ContainedCache& cache_;
  ExactJudge judge_;
  Sequence sequence_ = {"failing allocations", kConfig, {}};
  std::optional<Finding> finding_;
  uint64_t n_ = 0;
  uint64_t failed_ = 0;
};

// A scope that no machine has memory for is an error, and the cache stays as it was.
std::optional<Finding> BeyondAllMemory(ContainedCache& cache) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  constexpr CacheConfig kConfigs[] = {{uint64_t{1} << 45, 1, 2}, {kMost, 1, 2}, {kMost, 3, 8}};
  for (const CacheConfig& config : kConfigs) {
    if (cache.Recreate(config) != LOCKSTEP_OK) continue;
    const std::vector<Operation> ops = {Insert(Scope(1), Doc(1, 30)), Insert(Scope(1), {})};
    const std::vector<Answer> answers = cache.Run(ops);
    std::string what;
    if (answers.size() < ops.size()) {
      what = cache.end().what;
    } else if (answers[0].status == LOCKSTEP_OK) {
      continue;  // then it has it
    } else if (answers[0].status != LOCKSTEP_RESOURCE_EXHAUSTED) {
      what = absl::StrCat("insert gave ", DescribeStatus(answers[0].status));
    } else if (answers[1].scope_count != 0 || answers[1].stored_tokens != 0) {
      what = "insert failed and left a scope";
    } else {
      continue;
    }
    return Finding{.check = "I3",
                   .what = absl::StrCat("with a budget of ", config.budget_bytes, ": ", what),
                   .signature = "I3: no memory for a scope"};
  }
  return std::nullopt;
}

}  // namespace

absl::Status CheckAllocationFailures(const CheckContext& context, CheckReport& report) {
  if (context.level != Level::kExact) return absl::OkStatus();
  auto cache = StartContained(context.impl, kConfig, MeasuringOptions());
  if (!cache.ok()) return cache.status();
  FailingAllocations failing(context, **cache);
  failing.Run();
  ++report.sequences;
  report.operations += failing.sequence().ops.size();
  AddEvidence(report, failing.failed(), " failing allocations",
              (*cache)->end().kind == ChildEnd::Kind::kCompleted
                  ? ""
                  : " (it ends with one, which is not judged)");
  std::optional<Finding> finding = failing.finding();
  if (!finding && context.own_core()) finding = BeyondAllMemory(**cache);
  if (!finding) return absl::OkStatus();
  report.failures.push_back(
      {.finding = *finding, .found_by = failing.sequence().name, .sequence = failing.sequence()});
  return absl::OkStatus();
}

}  // namespace lockstep
