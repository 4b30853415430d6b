#include "props/harness/deterministic.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/describe.h"

namespace lockstep {
namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;

// What one cache answered, and how its process ended if it did.
struct Outcome {
  std::vector<Answer> answers;
  ChildEnd end;
};

// One outcome for each cache that is given the sequence.
absl::StatusOr<std::vector<Outcome>> Run(const CheckContext& context, const Sequence& sequence,
                                         const NamedSurroundings& where) {
  ContainedOptions options;
  options.surroundings = where.surroundings;
  for (const Operation& op : sequence.ops) {
    options.interpreter.out_tokens = std::max(options.interpreter.out_tokens, op.tokens.size());
  }
  auto cache = StartContained(context.impl, sequence.config, options);
  if (!cache.ok()) return cache.status();
  std::vector<Outcome> outcomes;
  for (uint64_t i = 0; i <= where.later_caches; ++i) {
    if (i > 0) (*cache)->Recreate(sequence.config);
    outcomes.push_back({(*cache)->Run(sequence.ops), (*cache)->end()});
    if (outcomes.back().answers.size() < sequence.ops.size()) break;
  }
  return outcomes;
}

// How two answers differ, or nothing. The text of errors and what `out` holds past the count are
// not among the answers.
std::string Difference(const Operation& op, const Answer& a, const Answer& b, bool compare_stored) {
  const auto differs = [](const char* what, const std::string& x, const std::string& y) {
    return absl::StrCat(what, " ", x, ", otherwise ", y);
  };
  if (op.kind == Operation::Kind::kInsert && a.status != b.status) {
    return differs("insert gave", DescribeStatus(a.status), DescribeStatus(b.status));
  }
  if (op.kind == Operation::Kind::kPropose && (a.written != b.written || a.draft != b.draft)) {
    return differs("propose gave", DescribeTokens(a.draft), DescribeTokens(b.draft));
  }
  if (a.scope_count != b.scope_count) {
    return differs("scope_count is", absl::StrCat(a.scope_count), absl::StrCat(b.scope_count));
  }
  if (compare_stored && a.stored_tokens != b.stored_tokens) {
    return differs("stored_tokens is", absl::StrCat(a.stored_tokens),
                   absl::StrCat(b.stored_tokens));
  }
  return "";
}

}  // namespace

std::vector<NamedSurroundings> AllSurroundings(uint64_t seed) {
  const uint64_t noise = seed * 2 + 1;
  return {
      {"in another process", {}},
      {"as a later cache of its process", {}, 1},
      {"in a fresh process", {.fresh_process = true, .heap_noise_seed = noise}},
      {"with clocks that go an hour on at each reading", {.clock_step_seconds = kHour}},
      {"with unrelated work on another cache between the calls", {.unrelated_work = true}},
      {"with fresh memory that holds noise",
       {.heap_noise_seed = noise, .fill = MemoryFill::kNoise}},
      {"with fresh memory that holds zeros", {.fill = MemoryFill::kZero}},
      {"with fresh memory that holds ones", {.fill = MemoryFill::kOnes}},
      {"with another heap", {.heap_noise_seed = noise + 2}},
      {"with clocks that go a second on at each reading", {.clock_step_seconds = 1}},
      {"with clocks that go 19 minutes on at each reading", {.clock_step_seconds = 19 * kMinute}},
      {"in another environment, 13 hours later",
       {.fresh_process = true, .other_environment = true, .clock_offset_seconds = 13 * kHour}},
      {"half a minute later", {.clock_offset_seconds = 30}},
      {"half an hour later", {.clock_offset_seconds = 30 * kMinute}},
      {"7 hours later", {.clock_offset_seconds = 7 * kHour}},
      {"19 hours later", {.clock_offset_seconds = 19 * kHour}},
      {"3 days later", {.clock_offset_seconds = 3 * kDay}},
      {"40 days later", {.clock_offset_seconds = 40 * kDay}},
      {"in a fresh process, 14 months later",
       {.fresh_process = true, .heap_noise_seed = noise + 4, .clock_offset_seconds = 425 * kDay}},
      {"31 years earlier", {.clock_offset_seconds = -31 * 365 * kDay}},
      {"40 years later, in 64 bits only", {.clock_offset_seconds = 40 * 365 * kDay}},
      {"with clocks that go 9 days on at each reading", {.clock_step_seconds = 9 * kDay}},
  };
}

std::vector<NamedSurroundings> TellingSurroundings(const NamedSurroundings& found, uint64_t ops) {
  // What counts calls of the process must be given many, and what is drawn at random more than one
  // chance.
  constexpr uint64_t kCalls = 12'000;
  const uint64_t caches = std::clamp<uint64_t>(kCalls / std::max<uint64_t>(ops, 1), 3, 600);
  std::vector<NamedSurroundings> telling = {
      found,
      found,
      {"as a later cache of its process", {}, caches},
      {"with fresh memory that holds noise", {.heap_noise_seed = 3, .fill = MemoryFill::kNoise}},
      {"with fresh memory that holds ones", {.fill = MemoryFill::kOnes}},
  };
  // Process ids go up by one, and what depends on them may not see the difference at once.
  telling.insert(telling.end(), 5, {"in another process", {}});
  // Nor may what depends on addresses.
  if (found.surroundings.fresh_process) telling.insert(telling.end(), 5, found);
  return telling;
}

absl::StatusOr<PlainRun> RunPlainly(const CheckContext& context, const Sequence& sequence) {
  absl::StatusOr<std::vector<Outcome>> outcomes = Run(context, sequence, {});
  if (!outcomes.ok()) return outcomes.status();
  return PlainRun{sequence, std::move(outcomes->front().answers)};
}

absl::StatusOr<std::optional<Finding>> DiffersIn(const CheckContext& context, const PlainRun& plain,
                                                 const NamedSurroundings& surroundings) {
  const Sequence& sequence = plain.sequence;
  // Whoever comes to an end anywhere is for other checks to find.
  if (plain.answers.size() < sequence.ops.size()) return std::nullopt;
  const absl::StatusOr<std::vector<Outcome>> outcomes = Run(context, sequence, surroundings);
  if (!outcomes.ok()) return outcomes.status();
  const bool compare_stored = context.level == Level::kExact;
  const auto found = [&](const std::string& what, size_t op_index) {
    return Finding{.check = "I4",
                   .what = absl::StrCat(surroundings.name, " ", what),
                   .op_index = op_index,
                   .signature = "I4: answers differ"};
  };
  for (const Outcome& other : *outcomes) {
    for (size_t i = 0; i < other.answers.size(); ++i) {
      const std::string difference =
          Difference(sequence.ops[i], other.answers[i], plain.answers[i], compare_stored);
      if (!difference.empty()) return found(difference, i);
    }
    if (other.answers.size() < sequence.ops.size()) {
      return found(absl::StrCat("there is ", other.end.what, ", otherwise an answer"),
                   other.answers.size());
    }
  }
  return std::nullopt;
}

}  // namespace lockstep
