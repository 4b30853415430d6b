#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "absl/hash/hash.h"
#include "lockstep/geometry.h"
#include "props/harness/codec.h"
#include "props/harness/codec_format.h"

namespace lockstep {
namespace {

using namespace codec;  // NOLINT: the encoder's own vocabulary

class ByteWriter {
 public:
  std::vector<uint8_t> bytes;

  void Byte(uint64_t byte) { bytes.push_back(static_cast<uint8_t>(byte)); }
  void Bytes(uint64_t value, int count) {
    for (int i = 0; i < count; ++i) Byte(value >> (8 * i));
  }
  // The first byte that stands for the value, or the value itself.
  template <typename FromByte>
  void Value(uint64_t value, FromByte from_byte) {
    for (uint8_t byte = 0; byte < kExplicit; ++byte) {
      if (from_byte(byte) == value) return Byte(byte);
    }
    Byte(kExplicit);
    Bytes(value, 8);
  }
  void Length(uint64_t len) {
    if (len < kLengthInRings) return Byte(len);
    Byte(255);
    Bytes(len, 4);
  }
};

// The byte of a token in the widest vocabulary, if it has one.
std::optional<uint8_t> TokenByte(Token token) {
  if (token < kExplicit) return static_cast<uint8_t>(token);
  for (int byte = kExplicit; byte <= 255; ++byte) {
    if (WideToken(static_cast<uint8_t>(byte)) == token) return static_cast<uint8_t>(byte);
  }
  return std::nullopt;
}

// Finds where tokens stood before: the latest document and place of every few of them.
class Earlier {
 public:
  struct Place {
    size_t doc = 0;
    size_t start = 0;
    size_t len = 0;
  };

  const std::vector<std::vector<Token>>& docs() const { return docs_; }

  void Add(const std::vector<Token>& doc) {
    for (size_t i = 0; i + kGram <= doc.size(); ++i) grams_[Gram(doc, i)] = {docs_.size(), i, 0};
    docs_.push_back(doc);
  }

  // The longest continuation of tokens[at, ...) from the place that its first tokens name.
  Place Find(const std::vector<Token>& tokens, size_t at) const {
    if (at + kGram > tokens.size()) return {};
    const auto found = grams_.find(Gram(tokens, at));
    if (found == grams_.end()) return {};
    Place place = found->second;
    const std::vector<Token>& doc = docs_[place.doc];
    while (at + place.len < tokens.size() && place.start + place.len < doc.size() &&
           tokens[at + place.len] == doc[place.start + place.len]) {
      ++place.len;
    }
    return place;
  }

  // How far back the document is, as the codec counts.
  uint64_t Back(size_t doc) const { return docs_.size() - 1 - doc; }

 private:
  // Shorter repeats are cheaper written out.
  static constexpr size_t kGram = 4;
  static uint64_t Gram(const std::vector<Token>& tokens, size_t at) {
    return absl::HashOf(tokens[at], tokens[at + 1], tokens[at + 2], tokens[at + 3]);
  }

  std::vector<std::vector<Token>> docs_;
  std::unordered_map<uint64_t, Place> grams_;  // a collision finds a place of length 0
};

class Encoder {
 public:
  std::vector<uint8_t> Run(const DecodedInput& input) {
    out_.Byte(kVersion);
    input.tiny ? WriteTinyHeader(input.options) : WriteConfig(input.sequence.config);
    const uint64_t ring_tokens = input.options.ring_tokens;  // 0: refused
    max_len_ = MaxLengthOf(ring_tokens == 0 ? kMinRingTokens : ring_tokens);
    key_len_ =
        input.tiny ? input.options.key_len : std::min<uint64_t>(input.sequence.config.key_len, 64);
    out_.Byte(kWideVocabulary);
    for (const Operation& op : input.sequence.ops) WriteOperation(op);
    return std::move(out_.bytes);
  }

 private:
  void WriteTinyHeader(const ModelOptions& o) {
    out_.Byte(1);
    out_.Value(o.slots, SlotsOf);
    out_.Value(o.ring_tokens, RingTokensOf);
    out_.Value(o.key_len, TinyKeyLenOf);
    out_.Value(o.max_scopes, MaxScopesOf);
    out_.Value(o.duplicate_limit, DuplicateLimitOf);
    out_.Value(o.first_position, FirstPositionOf);
  }

  void WriteConfig(const CacheConfig& c) {
    out_.Byte(0);
    out_.Value(c.max_scopes, MaxScopesOf);
    out_.Byte(kExplicit);
    out_.Bytes(c.budget_bytes, 8);
    out_.Value(c.key_len, KeyLenOf);
  }

  // The scope's byte, after an entry of the table was given its key if none had it.
  uint8_t ScopeByteOf(const ScopeKey& key) {
    const auto found = std::find(scopes_.begin(), scopes_.end(), key);
    if (found != scopes_.end()) return ScopeByte(static_cast<size_t>(found - scopes_.begin()));
    const size_t index = next_scope_;
    next_scope_ = next_scope_ + 1 < kScopes ? next_scope_ + 1 : kAlikeScopes;
    scopes_[index] = key;
    WriteOpcode(Opcode::kSetScope);
    out_.Byte(ScopeByte(index));
    for (const uint64_t field : {key.model, key.tokenizer, key.adapter, key.tenant}) {
      out_.Value(field, ItselfOf);
    }
    return ScopeByte(index);
  }

  void WriteOpcode(Opcode opcode) { out_.Byte(static_cast<uint8_t>(opcode)); }

  void WriteMaxLen(uint64_t max_len) {
    if (max_len < 64) return out_.Byte(max_len);
    if (max_len == UINT64_MAX) return out_.Byte(254);
    out_.Byte(255);
    out_.Bytes(max_len, 8);
  }

  void WritePosition(uint64_t position) {
    if (position < 160) return out_.Byte(position);
    out_.Byte(kExplicit);
    out_.Bytes(position, 8);
  }

  void WriteOperation(const Operation& op) {
    const uint8_t scope = ScopeByteOf(op.scope);
    if (op.kind == Operation::Kind::kInsert) {
      const std::vector<std::vector<Token>>& docs = earlier_.docs();
      const auto same = std::find(docs.rbegin(), docs.rend(), op.tokens);
      const bool again = same != docs.rend();
      WriteOpcode(again ? Opcode::kInsertAgain : Opcode::kInsert);
      out_.Byte(scope);
      again ? out_.Value(static_cast<uint64_t>(same - docs.rbegin()), ItselfOf)
            : WriteDocument(op.tokens);
      earlier_.Add(op.tokens);
      return;
    }
    const Earlier::Place place = earlier_.Find(op.tokens, 0);
    const uint64_t len = op.tokens.size();
    const bool after = !op.batched && len > 0 && place.len == len && len + 1 >= key_len_;
    WriteOpcode(op.batched ? Opcode::kProposeBatched
                : after    ? Opcode::kProposeAfter
                           : Opcode::kPropose);
    out_.Byte(scope);
    WriteMaxLen(op.max_len);
    if (!after) return WriteDocument(op.tokens);
    out_.Value(earlier_.Back(place.doc), ItselfOf);
    WritePosition(place.start + len);
    out_.Value(len + 1 - key_len_, ExtraOf);
  }

  void WriteDocument(const std::vector<Token>& doc);
  void WriteLiteral(absl::Span<const Token> tokens);

  ByteWriter out_;
  uint64_t key_len_ = 0;
  uint64_t max_len_ = 1;  // of a piece
  std::array<ScopeKey, kScopes> scopes_ = ScopeTable();
  size_t next_scope_ = kAlikeScopes;
  Earlier earlier_;
};

void Encoder::WriteLiteral(absl::Span<const Token> tokens) {
  const bool narrow =
      std::all_of(tokens.begin(), tokens.end(), [](Token t) { return TokenByte(t).has_value(); });
  out_.Byte(static_cast<uint8_t>(narrow ? Piece::kLiteral : Piece::kWideLiteral));
  out_.Length(tokens.size());
  for (const Token token : tokens) narrow ? out_.Byte(*TokenByte(token)) : out_.Bytes(token, 4);
}

void Encoder::WriteDocument(const std::vector<Token>& doc) {
  ByteWriter header = std::exchange(out_, {});
  uint64_t pieces = 0;
  size_t literal = 0;  // where tokens begin that are written out
  const auto flush = [&](size_t end) {
    for (; literal < end; ++pieces) {
      const uint64_t len = std::min<uint64_t>(end - literal, max_len_);
      WriteLiteral(absl::Span<const Token>(doc).subspan(literal, len));
      literal += len;
    }
  };
  for (size_t i = 0; i < doc.size();) {
    size_t run = 1, counter = 1;
    while (i + run < doc.size() && doc[i + run] == doc[i]) ++run;
    while (i + counter < doc.size() && doc[i + counter] == doc[i] + counter &&
           doc[i + counter] != kReservedToken) {
      ++counter;
    }
    if (!TokenByte(doc[i])) run = 1;
    const Earlier::Place slice = earlier_.Find(doc, i);
    const size_t longest = std::max({run, counter, slice.len});
    const size_t len = std::min<uint64_t>(longest, max_len_);
    if (len < 6) {
      ++i;
      continue;
    }
    flush(i);
    ++pieces;
    if (longest == run) {
      out_.Byte(static_cast<uint8_t>(Piece::kRun));
      out_.Length(len);
      out_.Byte(*TokenByte(doc[i]));
    } else if (longest == counter) {
      out_.Byte(static_cast<uint8_t>(Piece::kCounter));
      out_.Length(len);
      out_.Bytes(doc[i], 4);
    } else {
      out_.Byte(static_cast<uint8_t>(Piece::kSlice));
      out_.Length(len);
      out_.Value(earlier_.Back(slice.doc), ItselfOf);
      WritePosition(slice.start);
    }
    i += len;
    literal = i;
  }
  flush(doc.size());
  std::swap(header, out_);  // out_ is what came before the document again; header is its pieces
  if (pieces < kCountExplicit - kCountExact) {
    out_.Byte(kCountExact + pieces);
  } else {
    out_.Byte(kCountExplicit);
    out_.Bytes(pieces, 4);
  }
  out_.bytes.insert(out_.bytes.end(), header.bytes.begin(), header.bytes.end());
}

bool CanBeSaid(const DecodedInput& input) {
  const CodecLimits limits = input.tiny ? kTinyLimits : kConfiguredLimits;
  const std::vector<Operation>& ops = input.sequence.ops;
  uint64_t tokens = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    tokens += ops[i].tokens.size();
    if (ops[i].batched && (i == 0 || ops[i - 1].kind != Operation::Kind::kPropose)) return false;
  }
  if (ops.size() > limits.ops || tokens > limits.tokens) return false;
  if (!input.tiny) return input.sequence.config.budget_bytes <= kMaxCodecBudgetBytes;
  const ModelOptions& o = input.options;
  return std::has_single_bit(o.slots) && o.slots <= kMaxSlots && o.ring_tokens >= 3 &&
         o.ring_tokens <= kMaxRingTokens && o.key_len >= 1 && o.key_len <= o.ring_tokens - 2 &&
         o.max_scopes >= 1 && o.duplicate_limit >= 1 && o.first_position >= 1 &&
         o.first_position <= kMaxFirstPosition;
}

}  // namespace

std::optional<std::vector<uint8_t>> Encode(const DecodedInput& input) {
  if (!CanBeSaid(input)) return std::nullopt;
  DecodedInput complete = input;
  if (!input.tiny) {
    const absl::StatusOr<ModelOptions> options = ModelOptions::FromConfig(input.sequence.config);
    complete.options = options.ok() ? *options : ModelOptions();
  }
  return Encoder().Run(complete);
}

}  // namespace lockstep
