#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "props/harness/exact_model.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

void AppendTokens(std::string& text, std::string_view name, absl::Span<const Token> tokens) {
  absl::StrAppend(&text, ",\"", std::string(name), "\":[", absl::StrJoin(tokens, ","), "]");
}

void AppendCall(std::string& text, const Operation& op, const Answer* expected) {
  const bool insert = op.kind == Operation::Kind::kInsert;
  absl::StrAppend(&text, "{\"op\":\"", insert ? "insert" : "propose", "\",\"scope\":[",
                  op.scope.model, ",", op.scope.tokenizer, ",", op.scope.adapter, ",",
                  op.scope.tenant, "]");
  AppendTokens(text, insert ? "tokens" : "history", op.tokens);
  if (!insert) absl::StrAppend(&text, ",\"max_len\":", op.max_len);
  if (op.batched) text += ",\"batched\":true";
  if (expected != nullptr) {
    if (!insert) AppendTokens(text, "draft", expected->draft);
    if (insert && expected->status != LOCKSTEP_OK) text += ",\"refused\":true";
    if (insert) absl::StrAppend(&text, ",\"stored_tokens\":", expected->stored_tokens);
    absl::StrAppend(&text, ",\"scopes\":", expected->scope_count);
  }
  text += "}\n";
}

void AppendCalls(std::string& text, const ModelOptions& options, absl::Span<const Operation> ops) {
  ExactModel model(options);
  for (const Operation& op : ops) {
    const Answer expected = model.Apply(op);
    AppendCall(text, op, &expected);
  }
}

std::string WriteTiny(const ModelOptions& tiny, absl::Span<const Operation> ops) {
  std::string text = absl::StrCat(
      "{\"transcript\":1,\"slots\":", tiny.slots, ",\"ring_tokens\":", tiny.ring_tokens,
      ",\"key_len\":", tiny.key_len, ",\"max_scopes\":", tiny.max_scopes,
      ",\"duplicate_limit\":", tiny.duplicate_limit, ",\"first_position\":", tiny.first_position,
      "}\n");
  AppendCalls(text, tiny, ops);
  return text;
}

}  // namespace

std::string WriteTranscript(const Sequence& sequence) {
  if (sequence.tiny) return WriteTiny(*sequence.tiny, sequence.ops);
  const CacheConfig& config = sequence.config;
  std::string text =
      absl::StrCat("{\"transcript\":1,\"budget_bytes\":", config.budget_bytes,
                   ",\"max_scopes\":", config.max_scopes, ",\"key_len\":", config.key_len);
  const absl::StatusOr<ModelOptions> options = ModelOptions::FromConfig(config);
  // The model's memory is the scopes' own; a huge configuration goes without expectations.
  constexpr uint64_t kMaxModelRingTokens = uint64_t{1} << 25;
  if (!options.ok() || options->ring_tokens > kMaxModelRingTokens) {
    text += "}\n";
    for (const Operation& op : sequence.ops) AppendCall(text, op, nullptr);
    return text;
  }
  absl::StrAppend(&text, ",\"slots\":", options->slots, ",\"ring_tokens\":", options->ring_tokens,
                  ",\"scope_bytes\":", 8 * options->slots + 4 * options->ring_tokens, "}\n");
  AppendCalls(text, *options, sequence.ops);
  return text;
}

}  // namespace lockstep
