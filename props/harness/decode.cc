#include <algorithm>
#include <bit>
#include <utility>

#include "lockstep/geometry.h"
#include "props/harness/decoder.h"
#include "props/harness/random.h"

namespace lockstep {
namespace codec {

void Decoder::ReadTinyHeader() {
  ModelOptions& o = input_->options;
  o.slots = std::bit_floor(std::clamp<uint64_t>(in_.Value(SlotsOf), 1, kMaxSlots));
  o.ring_tokens = std::clamp<uint64_t>(in_.Value(RingTokensOf), 3, kMaxRingTokens);
  o.key_len = std::clamp<uint64_t>(in_.Value(TinyKeyLenOf), 1, o.ring_tokens - 2);
  o.max_scopes = std::max<uint64_t>(in_.Value(MaxScopesOf), 1);
  const uint64_t limit = std::clamp<uint64_t>(in_.Value(DuplicateLimitOf), 1, UINT32_MAX);
  o.duplicate_limit = static_cast<uint32_t>(limit);
  o.first_position = std::clamp<uint64_t>(in_.Value(FirstPositionOf), 1, kMaxFirstPosition);
  ring_tokens_ = o.ring_tokens;
  key_len_ = o.key_len;
}

void Decoder::ReadConfig() {
  CacheConfig& c = input_->sequence.config;
  c.max_scopes = in_.Value(MaxScopesOf);
  c.budget_bytes =
      in_.Value([&](uint8_t byte) { return c.max_scopes * ScopeBytesOf(byte) + in_.Byte() % 8; });
  // A number made by a mutation is mostly too large; large caches are slow and show nothing more.
  if (c.budget_bytes > kMaxCodecBudgetBytes) c.budget_bytes %= kSmallBudgetBytes;
  c.key_len = in_.Value(KeyLenOf);
  UseConfig();
}

void Decoder::Configure() {
  const ModelOptions& o = input_->options;
  input_->sequence.config = {o.max_scopes * (6144 + 4 * o.ring_tokens) + o.slots, o.max_scopes,
                             o.key_len};
  input_->tiny = false;
  UseConfig();
}

void Decoder::UseConfig() {
  const CacheConfig& c = input_->sequence.config;
  const absl::StatusOr<ModelOptions> options = ModelOptions::FromConfig(c);
  input_->options = options.ok() ? *options : ModelOptions();
  ring_tokens_ = options.ok() ? options->ring_tokens : kMinRingTokens;
  key_len_ = std::min<uint64_t>(c.key_len, 64);
}

void Decoder::ReadPiece(std::vector<Token>& doc) {
  const Piece piece = kPiecesOfVersion1[in_.Byte() % kPiecesOfVersion1.size()];
  const bool has_len = piece != Piece::kEdit && piece != Piece::kReserved;
  uint64_t len = has_len ? ReadLength() : 0;
  switch (piece) {
    case Piece::kLiteral:
      for (; len > 0 && !in_.AtEnd(); --len) Append(doc, ReadToken());
      break;
    case Piece::kWideLiteral:
      for (; len > 0 && !in_.AtEnd(); --len) Append(doc, static_cast<Token>(in_.Bytes(4)));
      break;
    case Piece::kRun: {
      const Token token = ReadToken();
      for (; len > 0; --len) Append(doc, token);
      break;
    }
    case Piece::kCounter: {
      // The reserved token is left to pieces that mean it.
      uint64_t token = in_.Bytes(4);
      for (; len > 0; --len, ++token) Append(doc, static_cast<Token>(token % kReservedToken));
      break;
    }
    case Piece::kRandom: {
      Random random(in_.Bytes(2));
      for (; len > 0; --len) Append(doc, static_cast<Token>(random.Below(vocabulary_)));
      break;
    }
    case Piece::kSlice: {
      const std::vector<Token>& earlier = ReadEarlier();
      const uint64_t start = ReadPosition(earlier.size());
      len = std::min<uint64_t>(len, earlier.size() - start);
      for (uint64_t i = start; i < start + len; ++i) Append(doc, earlier[i]);
      break;
    }
    case Piece::kEdit: {
      const std::vector<Token>& earlier = ReadEarlier();
      const uint64_t position = ReadPosition(earlier.size());
      const Token token = ReadToken();
      for (uint64_t i = 0; i < earlier.size() && tokens_left_ > 0; ++i) {
        Append(doc, i == position ? token : earlier[i]);
      }
      break;
    }
    case Piece::kReserved:
      Append(doc, kReservedToken);
      break;
  }
}

void Decoder::ReadOperation() {
  const Opcode opcode = (*opcodes_)[in_.Byte() % opcodes_->size()];
  const size_t scope_index = ScopeIndex(in_.Byte());
  const ScopeKey scope = scopes_[scope_index];
  std::vector<Operation>& ops = input_->sequence.ops;
  switch (opcode) {
    case Opcode::kInsert:
      AddInsert(scope, ReadDocument());
      break;
    case Opcode::kInsertAgain: {
      std::vector<Token> doc = ReadEarlier();
      doc.resize(std::min<uint64_t>(doc.size(), tokens_left_));
      tokens_left_ -= doc.size();
      AddInsert(scope, std::move(doc));
      break;
    }
    case Opcode::kPropose:
    case Opcode::kProposeBatched: {
      const bool after_proposal = !ops.empty() && ops.back().kind == Operation::Kind::kPropose;
      const uint64_t max_len = ReadMaxLen();
      ops.push_back(Propose(scope, ReadDocument(), max_len));
      ops.back().batched = opcode == Opcode::kProposeBatched && after_proposal;
      break;
    }
    case Opcode::kProposeAfter:
      ReadProposeAfter(scope);
      break;
    case Opcode::kProposeAged:
      ReadProposeAged(scope);
      break;
    case Opcode::kSetScope: {
      ScopeKey& key = scopes_[scope_index];
      for (uint64_t* field : {&key.model, &key.tokenizer, &key.adapter, &key.tenant}) {
        *field = in_.Value(ItselfOf);
      }
      break;
    }
    case Opcode::kRepeat:
      ReadRepeat();
      break;
  }
  op_scopes_.resize(ops.size(), scope_index);
}

void Decoder::ReadRepeat() {
  const std::vector<Operation>& ops = input_->sequence.ops;
  const uint64_t back = std::min<uint64_t>(in_.Value(RepeatBackOf), ops.size());
  const uint64_t times = RepeatTimes(in_.Value(RepeatTimesOf));
  const uint64_t step = in_.Value(RepeatStepOf) % kScopes;
  const CodecLimits limits = input_->tiny ? kTinyLimits : kConfiguredLimits;
  const size_t begin = ops.size() - back, end = ops.size();
  for (uint64_t i = 1; i <= times && begin < end; ++i) {
    for (size_t op = begin; op < end; ++op) {
      const uint64_t tokens = ops[op].tokens.size();
      if (ops.size() == limits.ops || repeats_left_.ops == 0 || repeats_left_.tokens < tokens) {
        return;
      }
      repeats_left_.ops -= 1;
      repeats_left_.tokens -= tokens;
      Repeat(op, i * step % kScopes);
    }
  }
}

void Decoder::Repeat(size_t op, uint64_t scopes_on) {
  const Operation again = input_->sequence.ops[op];
  const size_t scope_index = (op_scopes_[op] + scopes_on) % kScopes;
  // A scope whose entry got another key since is what it was.
  const ScopeKey scope = scopes_on == 0 ? again.scope : scopes_[scope_index];
  if (again.kind == Operation::Kind::kInsert) {
    std::vector<Token> doc = again.tokens;
    doc.resize(std::min<uint64_t>(doc.size(), tokens_left_));
    tokens_left_ -= doc.size();
    AddInsert(scope, std::move(doc));
  } else {
    std::vector<Operation>& ops = input_->sequence.ops;
    const bool after_proposal = ops.back().kind == Operation::Kind::kPropose;
    AddProposal(scope, again.tokens, again.max_len);
    ops.back().batched = again.batched && after_proposal;
  }
  op_scopes_.push_back(scope_index);
}

void Decoder::ReadProposeAfter(const ScopeKey& scope) {
  const uint64_t max_len = ReadMaxLen();
  const std::vector<Token>& earlier = ReadEarlier();
  const uint64_t end = ReadPosition(earlier.size());
  const uint64_t extra = in_.Value(ExtraOf);
  const uint64_t len = extra > end || key_len_ + extra - 1 > end ? end : key_len_ + extra - 1;
  AddProposal(scope, absl::Span<const Token>(earlier).subspan(end - len, len), max_len);
}

void Decoder::ReadProposeAged(const ScopeKey& scope) {
  const uint64_t max_len = ReadMaxLen();
  const absl::Span<const Token> given = given_[scope];
  // Around the age at which a position stops being live; marks and runs move it a little.
  const uint64_t age = in_.Value(
      [&](uint8_t b) { return ring_tokens_ + 32 - std::min<uint64_t>(b, ring_tokens_ + 32); });
  const uint64_t end = given.size() - std::min<uint64_t>(age, given.size());
  const uint64_t len = std::min(key_len_, end);
  AddProposal(scope, given.subspan(end - len, len), max_len);
}

}  // namespace codec

DecodedInput Decode(absl::Span<const uint8_t> bytes, CodecScopes scopes) {
  DecodedInput input;
  codec::Decoder(bytes, scopes).Run(input, nullptr);
  return input;
}

std::vector<size_t> OperationBoundaries(absl::Span<const uint8_t> bytes) {
  DecodedInput input;
  std::vector<size_t> boundaries;
  codec::Decoder(bytes, CodecScopes::kAny).Run(input, &boundaries);
  return boundaries;
}

}  // namespace lockstep
