#include "props/harness/run_input.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/describe.h"
#include "props/harness/exact_judge.h"
#include "props/harness/interpreter.h"
#include "props/harness/sound_judge.h"

namespace lockstep {
namespace {

// Documents are short, and room for the longest one before is always given; more would be filled
// and compared at every call.
constexpr InterpreterOptions kInterpreter = {.out_tokens = 16};

Finding CreateFinding(const char* kind, std::string what) {
  return {.check = "model", .what = std::move(what), .signature = absl::StrCat("create: ", kind)};
}

}  // namespace

InputCache MakeInputCache(const DecodedInput& input, const CInterface& functions) {
  InputCache made;
  if (input.tiny) {
    made.options = input.options;
    made.cache = MakeTinyCache(input.options);
    return made;
  }
  const CacheConfig& config = input.sequence.config;
  CreateResult result = CreateCache(functions, config);
  const absl::StatusOr<ModelOptions> options = ModelOptions::FromConfig(config);
  // A key as long as the ring may be refused or accepted; what cannot be cut into scopes may not.
  const absl::StatusOr<ModelOptions> lenient = ModelOptions::FromConfig(config, true);
  if (result.status == LOCKSTEP_OK) {
    if (!lenient.ok()) {
      made.finding = CreateFinding("a bad configuration was accepted",
                                   absl::StrCat("create accepted a configuration that has no "
                                                "geometry: ",
                                                std::string(lenient.status().message())));
      return made;
    }
    made.options = *lenient;
    made.cache = std::move(result.cache);
    return made;
  }
  if (result.left_pointer) {
    made.finding = CreateFinding("a failed create left a pointer",
                                 "create failed and did not set its result to NULL");
  } else if (options.ok() || result.status != LOCKSTEP_INVALID_ARGUMENT) {
    made.finding = CreateFinding(
        "a status that was not expected",
        absl::StrCat("create answered ", DescribeStatus(result.status), " (", result.error, ")"));
  } else {
    made.refusal = result.error.empty() ? "refused" : result.error;
  }
  return made;
}

std::optional<Finding> RunExact(const DecodedInput& input, const CInterface& functions,
                                SituationCounts* met) {
  const InputCache made = MakeInputCache(input, functions);
  if (made.cache == nullptr) return made.finding;
  ExactJudge judge(made.options);
  std::optional<Finding> finding = RunBeside(*made.cache, judge, input.sequence.ops, kInterpreter);
  if (met != nullptr) *met = judge.model().situations();
  return finding;
}

std::optional<Finding> RunSound(const DecodedInput& input, const CInterface& functions) {
  const InputCache made = MakeInputCache(input, functions);
  if (made.cache == nullptr) return made.finding;
  SoundJudge judge({.budget_bytes = input.sequence.config.budget_bytes,
                    .max_scopes = made.options.max_scopes,
                    .key_len = made.options.key_len});
  return RunBeside(*made.cache, judge, input.sequence.ops, kInterpreter);
}

}  // namespace lockstep
