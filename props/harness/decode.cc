#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "lockstep/geometry.h"
#include "props/harness/codec.h"
#include "props/harness/codec_format.h"
#include "props/harness/random.h"

namespace lockstep {
namespace {

using namespace codec;  // NOLINT: the decoder's own vocabulary

class Decoder {
 public:
  Decoder(absl::Span<const uint8_t> bytes, CodecScopes scopes_wanted)
      : in_(bytes), size_(bytes.size()), scopes_wanted_(scopes_wanted) {}

  // Fills `result`, and notes where operations begin when `boundaries` is not null.
  void Run(DecodedInput& result, std::vector<size_t>* boundaries) {
    input_ = &result;
    ReadHeader();
    if (boundaries != nullptr) boundaries->push_back(in_.at());
    const CodecLimits limits = result.tiny ? kTinyLimits : kConfiguredLimits;
    tokens_left_ = limits.tokens;
    while (!in_.AtEnd() && result.sequence.ops.size() < limits.ops) {
      ReadOperation();
      if (boundaries != nullptr) boundaries->push_back(in_.at());
    }
    // Bytes past the limits mean nothing; they go with the last operation.
    if (boundaries != nullptr) boundaries->back() = size_;
  }

 private:
  void ReadHeader() {
    in_.Byte();  // The version: there is one so far.
    input_->tiny = in_.Byte() % 10 != 0;
    input_->tiny ? ReadTinyHeader() : ReadConfig();
    if (input_->tiny && scopes_wanted_ == CodecScopes::kConfigured) Configure();
    vocabulary_ = kVocabularies[in_.Byte() % kVocabularies.size()];
  }
  void ReadTinyHeader();
  void ReadConfig();
  // Makes of the header of a tiny cache the nearest configuration there is.
  void Configure();
  void UseConfig();

  uint64_t ReadLength() {
    const uint8_t byte = in_.Byte();
    uint64_t len = byte;
    if (byte >= 254) {
      len = in_.Bytes(4) % (MaxLengthOf(ring_tokens_) + 1);
    } else if (byte >= kLengthNearRing) {
      len = ring_tokens_ + byte - kLengthNearRing - 2;
    } else if (byte >= kLengthInRings) {
      len = ring_tokens_ * (byte - kLengthInRings + 1) / 16;
    }
    return std::min(len, tokens_left_);
  }

  uint64_t ReadMaxLen() {
    const uint8_t byte = in_.Byte();
    if (byte == 255) return in_.Bytes(8);
    if (byte == 254) return UINT64_MAX;
    if (byte == 253) return uint64_t{1} << 32;
    return byte >= 250 ? ring_tokens_ + byte - 251 : byte % 64;
  }

  Token ReadToken() {
    const uint8_t byte = in_.Byte();
    return byte < kExplicit ? byte % vocabulary_ : WideToken(byte);
  }

  const std::vector<Token>& ReadEarlier() {
    static const std::vector<Token> kNone;
    const uint64_t back = in_.Value(ItselfOf);
    return docs_.empty() ? kNone : docs_[docs_.size() - 1 - back % docs_.size()];
  }

  // A position in a document of `size` tokens, from its end when the number is large.
  uint64_t ReadPosition(size_t size) {
    const uint64_t position = in_.Value([&](uint8_t b) {
      return b < 160 ? static_cast<uint64_t>(b) : size - (b - 160) % (size + 1);
    });
    return size == 0 ? 0 : position % (size + 1);
  }

  void Append(std::vector<Token>& doc, Token token) {
    if (tokens_left_ == 0) return;
    --tokens_left_;
    doc.push_back(token);
  }

  void ReadPiece(std::vector<Token>& doc);

  std::vector<Token> ReadDocument() {
    const uint8_t byte = in_.Byte();
    uint64_t count = 1 + byte % 4;
    if (byte == kCountExplicit) {
      count = in_.Bytes(4);
    } else if (byte >= kCountExact) {
      count = byte - kCountExact;
    }
    std::vector<Token> doc;
    for (; count > 0 && !in_.AtEnd(); --count) ReadPiece(doc);
    return doc;
  }

  void AddInsert(const ScopeKey& scope, std::vector<Token> doc) {
    std::vector<Token>& given = given_[scope];
    given.insert(given.end(), doc.begin(), doc.end());
    docs_.push_back(doc);
    input_->sequence.ops.push_back(Insert(scope, std::move(doc)));
  }

  void AddProposal(const ScopeKey& scope, absl::Span<const Token> history, uint64_t max_len) {
    history = history.first(std::min<uint64_t>(history.size(), tokens_left_));
    tokens_left_ -= history.size();
    input_->sequence.ops.push_back(Propose(scope, {history.begin(), history.end()}, max_len));
  }

  void ReadOperation();
  void ReadProposeAfter(const ScopeKey& scope);
  void ReadProposeAged(const ScopeKey& scope);

  ByteReader in_;
  size_t size_;
  CodecScopes scopes_wanted_;
  DecodedInput* input_ = nullptr;
  std::array<ScopeKey, kScopes> scopes_ = ScopeTable();
  uint64_t ring_tokens_ = 0;
  uint64_t key_len_ = 0;
  uint32_t vocabulary_ = 0;
  uint64_t tokens_left_ = 0;
  std::vector<std::vector<Token>> docs_;          // every document so far
  std::map<ScopeKey, std::vector<Token>> given_;  // by scope, one after another
};

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
  const Opcode opcode = kOpcodesOfVersion1[in_.Byte() % kOpcodesOfVersion1.size()];
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
  }
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

}  // namespace

DecodedInput Decode(absl::Span<const uint8_t> bytes, CodecScopes scopes) {
  DecodedInput input;
  Decoder(bytes, scopes).Run(input, nullptr);
  return input;
}

std::vector<size_t> OperationBoundaries(absl::Span<const uint8_t> bytes) {
  DecodedInput input;
  std::vector<size_t> boundaries;
  Decoder(bytes, CodecScopes::kAny).Run(input, &boundaries);
  return boundaries;
}

}  // namespace lockstep
