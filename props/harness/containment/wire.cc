#include "props/harness/containment/wire.h"

#include <cstdint>
#include <cstring>

namespace lockstep {
namespace {

struct OperationHeader {
  ScopeKey scope;
  uint64_t max_len;
  uint64_t tokens;
  Operation::Kind kind;
  bool batched;
};

struct AnswerHeader {
  uint64_t written;
  uint64_t stored_tokens;
  uint64_t scope_count;
  uint64_t draft_tokens;
  uint64_t error_bytes;
  lockstep_status status;
  bool touched_past_written;
  bool touched_past_max_len;
  bool changed_input;
  bool observed;
};

constexpr size_t RoundUp(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

char* Put(char* at, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(at, from, bytes);
  return at + RoundUp(bytes);
}

const char* Get(const char* at, void* to, size_t bytes) {
  if (bytes > 0) std::memcpy(to, at, bytes);
  return at + RoundUp(bytes);
}

}  // namespace

size_t WireBytes(const Operation& op) {
  return RoundUp(sizeof(OperationHeader)) + RoundUp(op.tokens.size() * sizeof(Token));
}

size_t WireBytes(const Answer& answer) {
  return RoundUp(sizeof(AnswerHeader)) + RoundUp(answer.draft.size() * sizeof(Token)) +
         RoundUp(answer.error.size());
}

char* Encode(const Operation& op, char* at) {
  const OperationHeader header = {.scope = op.scope,
                                  .max_len = op.max_len,
                                  .tokens = op.tokens.size(),
                                  .kind = op.kind,
                                  .batched = op.batched};
  at = Put(at, &header, sizeof(header));
  return Put(at, op.tokens.data(), op.tokens.size() * sizeof(Token));
}

const char* Decode(const char* at, Operation& op) {
  OperationHeader header;
  at = Get(at, &header, sizeof(header));
  op.kind = header.kind;
  op.scope = header.scope;
  op.max_len = header.max_len;
  op.batched = header.batched;
  op.tokens.resize(header.tokens);
  return Get(at, op.tokens.data(), header.tokens * sizeof(Token));
}

bool PeekBatched(const char* at) {
  OperationHeader header;
  Get(at, &header, sizeof(header));
  return header.kind == Operation::Kind::kPropose && header.batched;
}

char* Encode(const Answer& answer, char* at) {
  const AnswerHeader header = {.written = answer.written,
                               .stored_tokens = answer.stored_tokens,
                               .scope_count = answer.scope_count,
                               .draft_tokens = answer.draft.size(),
                               .error_bytes = answer.error.size(),
                               .status = answer.status,
                               .touched_past_written = answer.touched_past_written,
                               .touched_past_max_len = answer.touched_past_max_len,
                               .changed_input = answer.changed_input,
                               .observed = answer.observed};
  at = Put(at, &header, sizeof(header));
  at = Put(at, answer.draft.data(), answer.draft.size() * sizeof(Token));
  return Put(at, answer.error.data(), answer.error.size());
}

const char* Decode(const char* at, Answer& answer) {
  AnswerHeader header;
  at = Get(at, &header, sizeof(header));
  answer.status = header.status;
  answer.written = header.written;
  answer.touched_past_written = header.touched_past_written;
  answer.touched_past_max_len = header.touched_past_max_len;
  answer.changed_input = header.changed_input;
  answer.observed = header.observed;
  answer.stored_tokens = header.stored_tokens;
  answer.scope_count = header.scope_count;
  answer.draft.resize(header.draft_tokens);
  at = Get(at, answer.draft.data(), header.draft_tokens * sizeof(Token));
  answer.error.resize(header.error_bytes);
  return Get(at, answer.error.data(), header.error_bytes);
}

}  // namespace lockstep
