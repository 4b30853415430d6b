// The decoder of the codec's bytes, for decode.cc alone.

#ifndef LOCKSTEP_PROPS_HARNESS_DECODER_H_
#define LOCKSTEP_PROPS_HARNESS_DECODER_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "props/harness/codec.h"
#include "props/harness/codec_format.h"

namespace lockstep::codec {

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
    repeats_left_ = result.tiny ? kTinyRepeats : kConfiguredRepeats;
    while (!in_.AtEnd() && result.sequence.ops.size() < limits.ops) {
      ReadOperation();
      if (boundaries != nullptr) boundaries->push_back(in_.at());
    }
    // Bytes past the limits mean nothing; they go with the last operation.
    if (boundaries != nullptr) boundaries->back() = size_;
  }

 private:
  void ReadHeader() {
    opcodes_ = &OpcodesOf(in_.Byte());
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
  void ReadRepeat();
  void Repeat(size_t op, uint64_t scopes_on);

  ByteReader in_;
  size_t size_;
  CodecScopes scopes_wanted_;
  DecodedInput* input_ = nullptr;
  const OpcodeTable* opcodes_ = nullptr;
  std::array<ScopeKey, kScopes> scopes_ = ScopeTable();
  std::vector<size_t> op_scopes_;  // the entry of the table that each operation named
  uint64_t ring_tokens_ = 0;
  uint64_t key_len_ = 0;
  uint32_t vocabulary_ = 0;
  uint64_t tokens_left_ = 0;
  CodecLimits repeats_left_;
  std::vector<std::vector<Token>> docs_;          // every document so far
  std::map<ScopeKey, std::vector<Token>> given_;  // by scope, one after another
};

}  // namespace lockstep::codec

#endif  // LOCKSTEP_PROPS_HARNESS_DECODER_H_
