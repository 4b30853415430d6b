#include "props/harness/isolation.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/contained.h"
#include "props/harness/describe.h"
#include "props/harness/random.h"

namespace lockstep {
namespace {

Finding Broken(const char* kind, std::string what, size_t op_index) {
  return {.check = "I2",
          .what = std::move(what),
          .op_index = op_index,
          .signature = absl::StrCat("I2: ", kind)};
}

std::string DescribeAnswer(const Operation& op, const Answer& answer) {
  if (op.kind == Operation::Kind::kInsert) return DescribeStatus(answer.status);
  return absl::StrCat("draft ", DescribeTokens(answer.draft));
}

// Says in what two answers to one call differ.
std::optional<Finding> Compare(const Operation& op, size_t index, const Answer& among,
                               const Answer& alone, bool compare_stored_tokens) {
  const std::string scope = absl::StrCat("under scope ", DescribeScope(op.scope));
  if (among.status != alone.status || among.written != alone.written ||
      among.draft != alone.draft) {
    return Broken("answers differ alone",
                  absl::StrCat(scope, " ", DescribeAnswer(op, among), "; without the calls under ",
                               "other scopes ", DescribeAnswer(op, alone)),
                  index);
  }
  if (compare_stored_tokens && among.observed && alone.observed &&
      among.stored_tokens != alone.stored_tokens) {
    return Broken("stored_tokens differ alone",
                  absl::StrCat(scope, " stored_tokens is ", among.stored_tokens,
                               "; without the calls under other scopes ", alone.stored_tokens),
                  index);
  }
  return std::nullopt;
}

// Which of `count` lives are run: the first, and others chosen by the seed.
std::vector<size_t> Choose(size_t count, size_t most, uint64_t seed) {
  std::vector<size_t> chosen(count);
  for (size_t i = 0; i < count; ++i) chosen[i] = i;
  if (count <= most) return chosen;
  Random random(seed);
  for (size_t i = 1; i < most; ++i) std::swap(chosen[i], chosen[random.Between(i, count - 1)]);
  chosen.resize(most);
  return chosen;
}

// Keeps one child for all caches that are run one after the other.
class ContainedRunner {
 public:
  ContainedRunner(const ImplementationSpec& impl, const ContainedOptions& options)
      : impl_(impl), options_(options) {}

  absl::StatusOr<std::vector<Answer>> operator()(const CacheConfig& config,
                                                 absl::Span<const Operation> ops) {
    lockstep_status status;
    if (cache_ == nullptr || cache_->end().kind != ChildEnd::Kind::kCompleted) {
      auto cache = StartContained(impl_, config, options_);
      if (!cache.ok()) return cache.status();
      cache_ = *std::move(cache);
      status = cache_->create_status();
    } else {
      status = cache_->Recreate(config);
    }
    const bool alive = cache_->end().kind == ChildEnd::Kind::kCompleted;
    if (status != LOCKSTEP_OK || !alive) return std::vector<Answer>();
    return cache_->Run(ops);
  }

 private:
  ImplementationSpec impl_;
  ContainedOptions options_;
  std::unique_ptr<ContainedCache> cache_;
};

}  // namespace

ScopeLives LivesOf(const CacheConfig& config, absl::Span<const Operation> ops,
                   absl::Span<const Answer> answers) {
  ScopeLives result;
  std::list<ScopeKey> by_use;  // the most recently used first
  std::map<ScopeKey, std::pair<std::list<ScopeKey>::iterator, size_t>> existing;
  for (size_t i = 0; i < std::min(ops.size(), answers.size()); ++i) {
    const Operation& op = ops[i];
    const bool propose = op.kind == Operation::Kind::kPropose;
    const bool takes =
        !propose && answers[i].status == LOCKSTEP_OK && op.tokens.size() > config.key_len;
    auto it = existing.find(op.scope);
    if (it == existing.end()) {
      if (propose) result.absent_proposals.push_back(i);
      if (!takes) continue;
      if (existing.size() >= config.max_scopes) {
        existing.erase(by_use.back());
        by_use.pop_back();
      }
      by_use.push_front(op.scope);
      it = existing.emplace(op.scope, std::pair(by_use.begin(), result.lives.size())).first;
      result.lives.push_back({op.scope, {}});
    } else if (propose || takes) {
      by_use.splice(by_use.begin(), by_use, it->second.first);
    }
    result.lives[it->second.second].ops.push_back(i);
  }
  return result;
}

absl::StatusOr<IsolationOutcome> CheckNonInterference(const Sequence& sequence,
                                                      const SequenceRunner& run,
                                                      const IsolationOptions& options) {
  IsolationOutcome outcome;
  const absl::StatusOr<std::vector<Answer>> among = run(sequence.config, sequence.ops);
  if (!among.ok()) return among.status();
  outcome.operations = among->size();
  if (among->size() < sequence.ops.size()) return outcome;
  const ScopeLives lives = LivesOf(sequence.config, sequence.ops, *among);
  for (const size_t i : lives.absent_proposals) {
    if ((*among)[i].written == 0) continue;
    outcome.finding = Broken("draft from a scope that does not exist",
                             absl::StrCat("scope ", DescribeScope(sequence.ops[i].scope),
                                          " does not exist, or was dropped, yet gave ",
                                          DescribeTokens((*among)[i].draft)),
                             i);
    break;
  }
  for (const size_t chosen : Choose(lives.lives.size(), options.most_lives, options.seed)) {
    const ScopeLife& life = lives.lives[chosen];
    std::vector<Operation> ops;
    for (const size_t i : life.ops) {
      ops.push_back(sequence.ops[i]);
      ops.back().batched = false;
    }
    const absl::StatusOr<std::vector<Answer>> alone = run(sequence.config, ops);
    if (!alone.ok()) return alone.status();
    ++outcome.lives;
    outcome.operations += alone->size();
    if (alone->size() < ops.size()) {
      outcome.ended_alone = Sequence{.name = absl::StrCat(sequence.name, ", one scope alone"),
                                     .config = sequence.config,
                                     .ops = std::move(ops)};
      return outcome;
    }
    for (size_t i = 0; i < ops.size(); ++i) {
      const size_t index = life.ops[i];
      if (outcome.finding && outcome.finding->op_index <= index) break;
      auto finding = Compare(sequence.ops[index], index, (*among)[index], (*alone)[i],
                             options.compare_stored_tokens);
      if (finding) outcome.finding = std::move(finding);
    }
  }
  return outcome;
}

absl::StatusOr<CheckReport> RunIsolated(const CheckContext& context, const Sequence& sequence,
                                        size_t most_lives) {
  ContainedOptions contained;
  for (const Operation& op : sequence.ops) {
    contained.interpreter.out_tokens =
        std::max(contained.interpreter.out_tokens, op.tokens.size() + 64);
  }
  // The lives run in a child of their own, so that nothing the whole sequence left behind in its
  // process can make them agree with it.
  ContainedRunner whole(context.impl, contained), alone(context.impl, contained);
  bool first = true;
  const SequenceRunner run = [&](const CacheConfig& config, absl::Span<const Operation> ops) {
    ContainedRunner& runner = first ? whole : alone;
    first = false;
    return runner(config, ops);
  };
  const absl::StatusOr<IsolationOutcome> outcome =
      CheckNonInterference(sequence, run,
                           {.compare_stored_tokens = context.level == Level::kExact,
                            .most_lives = most_lives,
                            .seed = context.seed});
  if (!outcome.ok()) return outcome.status();
  if (outcome->ended_alone) return RunJudged(context, *outcome->ended_alone);
  CheckReport report;
  report.sequences = outcome->lives + 1;
  report.operations = outcome->operations;
  if (!outcome->finding) return report;
  Failure failure{.finding = *outcome->finding, .found_by = sequence.name, .sequence = sequence};
  failure.sequence.ops.resize(outcome->finding->op_index + 1);
  failure.reproduce = [context](const Sequence& candidate) -> std::optional<Finding> {
    const absl::StatusOr<CheckReport> again = RunIsolated(context, candidate);
    if (!again.ok() || again->failures.empty()) return std::nullopt;
    return again->failures.front().finding;
  };
  report.failures.push_back(std::move(failure));
  return report;
}

}  // namespace lockstep
