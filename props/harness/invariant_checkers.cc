#include "props/harness/invariant_checkers.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/deterministic.h"
#include "props/harness/exact_judge.h"
#include "props/harness/implementation.h"
#include "props/harness/interpreter.h"
#include "props/harness/isolation.h"
#include "props/harness/memory_checks.h"
#include "props/harness/sound_judge.h"

namespace lockstep {
namespace {

using Result = absl::StatusOr<std::optional<Finding>>;

// Of the sequence's tiny cache, with guard pages.
std::optional<Finding> RunTinyBeside(const Sequence& sequence, Judge& judge) {
  const std::unique_ptr<CacheHandle> cache = MakeTinyCache(*sequence.tiny);
  return RunBeside(*cache, judge, sequence.ops, {.guard_pages = true});
}

Result RunContainedFor(const CheckContext& context, const char* id, const Sequence& sequence) {
  CheckContext only = context;
  only.only = {id};
  absl::StatusOr<CheckReport> report = RunJudged(only, sequence);
  if (!report.ok()) return report.status();
  if (report->failures.empty()) return std::nullopt;
  return report->failures.front().finding;
}

Result RunExactFor(const CheckContext& context, const char* id, const Sequence& sequence) {
  if (!sequence.tiny) return RunContainedFor(context, id, sequence);
  ExactJudge judge(*sequence.tiny, {id});
  return RunTinyBeside(sequence, judge);
}

absl::StatusOr<std::vector<Answer>> RunTinyAlone(const ModelOptions& options,
                                                 absl::Span<const Operation> ops) {
  const std::unique_ptr<CacheHandle> cache = MakeTinyCache(options);
  Interpreter interpreter{InterpreterOptions{}};
  std::vector<Answer> answers;
  while (answers.size() < ops.size()) {
    for (Answer& answer : interpreter.Step(*cache, ops.subspan(answers.size()))) {
      answers.push_back(std::move(answer));
    }
  }
  return answers;
}

}  // namespace

Result CheckInsertedSlice(const CheckContext& context, const Sequence& sequence) {
  if (!sequence.tiny) return RunContainedFor(context, "I1", sequence);
  SoundJudge judge({.max_scopes = sequence.tiny->max_scopes, .key_len = sequence.tiny->key_len},
                   {"I1"});
  return RunTinyBeside(sequence, judge);
}

Result CheckScopeIsolation(const CheckContext& context, const Sequence& sequence) {
  if (!sequence.tiny) {
    absl::StatusOr<CheckReport> report = RunIsolated(context, sequence);
    if (!report.ok()) return report.status();
    if (report->failures.empty()) return std::nullopt;
    return report->failures.front().finding;
  }
  Sequence whole = sequence;
  whole.config.max_scopes = sequence.tiny->max_scopes;
  whole.config.key_len = sequence.tiny->key_len;
  const SequenceRunner run = [&](const CacheConfig&, absl::Span<const Operation> ops) {
    return RunTinyAlone(*sequence.tiny, ops);
  };
  absl::StatusOr<IsolationOutcome> outcome = CheckNonInterference(whole, run, {});
  if (!outcome.ok()) return outcome.status();
  return outcome->finding;
}

Result CheckFixedMemory(const CheckContext& context, const Sequence& sequence) {
  auto cache = StartContained(context.impl, sequence.config, MeasuringOptions());
  if (!cache.ok()) return cache.status();
  const int64_t most = MostLiveBytes(sequence.config, context.level);
  // Whatever the calls are, twice as many hold no more.
  for (int round = 0; round < 2; ++round) {
    if (!(*cache)->Repeat(sequence.ops, 1)) return std::nullopt;
    const MemorySample sample = (*cache)->Memory();
    if (sample.live_bytes <= most) continue;
    return Finding{.check = "I3",
                   .what = absl::StrCat("the cache holds ", sample.live_bytes, " bytes, of which ",
                                        most, " are allowed"),
                   .op_index = sequence.ops.empty() ? 0 : sequence.ops.size() - 1,
                   .signature = "I3: above the budget"};
  }
  return std::nullopt;
}

Result CheckDeterminism(const CheckContext& context, const Sequence& sequence) {
  if (sequence.tiny) {
    const auto once = RunTinyAlone(*sequence.tiny, sequence.ops);
    const auto again = RunTinyAlone(*sequence.tiny, sequence.ops);
    const size_t differs =
        std::mismatch(once->begin(), once->end(), again->begin()).first - once->begin();
    if (differs == once->size()) return std::nullopt;
    return Finding{.check = "I4",
                   .what = "a second cache gave another answer to the same calls",
                   .op_index = differs,
                   .signature = "I4: answers differ"};
  }
  const auto plain = RunPlainly(context, sequence);
  if (!plain.ok()) return plain.status();
  NamedSurroundings later{.name = "as a later cache of its process", .surroundings = {}};
  later.later_caches = 1;
  return DiffersIn(context, *plain, later);
}

Result CheckOutBounds(const CheckContext& context, const Sequence& sequence) {
  return RunExactFor(context, "I5", sequence);
}

Result CheckUsefulness(const CheckContext& context, const Sequence& sequence) {
  return RunExactFor(context, "I6", sequence);
}

Result CheckCheapRepeats(const CheckContext& context, const Sequence& sequence) {
  return RunExactFor(context, "I7", sequence);
}

}  // namespace lockstep
