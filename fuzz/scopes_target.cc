// Scopes under churn: more scopes than fit, held to the exact model; and with room for all of them,
// calls under one scope answered as if no other were there (I2).

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "fuzz/target.h"
#include "props/harness/interpreter.h"
#include "props/harness/run_input.h"
#include "props/harness/transcript.h"
#include "reports/result.h"

namespace lockstep {
namespace {

// Spreads the calls of an input over more scopes, so that some are dropped and made again.
void SpreadOverScopes(DecodedInput& input) {
  const uint64_t scopes = input.options.max_scopes % 8 + 2;
  for (size_t i = 0; i < input.sequence.ops.size(); ++i) {
    Operation& op = input.sequence.ops[i];
    op.batched = false;
    op.scope.tenant += (op.tokens.size() + op.max_len + i / 3) % scopes;
  }
}

std::vector<Answer> AnswersOf(const DecodedInput& input, const std::vector<Operation>& ops) {
  const InputCache made = MakeInputCache(input, fuzz::TargetImplementation());
  std::vector<Answer> answers;
  if (made.cache == nullptr) return answers;
  Interpreter interpreter({.out_tokens = 16});
  for (const Operation& op : ops) {
    answers.push_back(interpreter.Step(*made.cache, absl::MakeConstSpan(&op, 1))[0]);
    answers.back().scope_count = 0;  // which others may change
  }
  return answers;
}

void CompareAlone(DecodedInput input) {
  const std::vector<Operation>& ops = input.sequence.ops;
  std::map<ScopeKey, std::vector<size_t>> by_scope;
  for (size_t i = 0; i < ops.size(); ++i) by_scope[ops[i].scope].push_back(i);
  input.options.max_scopes = by_scope.size() + 1;  // none is dropped
  const std::vector<Answer> together = AnswersOf(input, ops);
  for (const auto& [scope, indices] : by_scope) {
    std::vector<Operation> own;
    for (const size_t i : indices) own.push_back(ops[i]);
    const std::vector<Answer> alone = AnswersOf(input, own);
    for (size_t i = 0; i < alone.size(); ++i) {
      fuzz::Require(alone[i] == together[indices[i]], "I2: another scope's calls were seen");
    }
  }
}

// Where the night shift asks for it: these are not the calls that the bytes decode to.
void WriteCalls(const DecodedInput& input) {
  const char* const path = std::getenv("LOCKSTEP_FUZZ_TRANSCRIPT");
  if (path == nullptr) return;
  Sequence sequence = input.sequence;
  if (input.tiny) sequence.tiny = input.options;
  if (!WriteFileAtomically(path, WriteTranscript(sequence)).ok()) std::abort();
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: an entry point of a few lines
  const bool own = fuzz::TargetIsOwnCore();
  DecodedInput input = Decode({data, size}, own ? CodecScopes::kAny : CodecScopes::kConfigured);
  SpreadOverScopes(input);
  WriteCalls(input);
  fuzz::Report(RunExact(input, fuzz::TargetImplementation()));
  if (input.tiny && input.sequence.ops.size() <= 64) CompareAlone(std::move(input));
  return 0;
}
