// The bytes of the codec, for its decoder and its encoder alone.
//
//   input   := version kind header operation*
//   header  := tiny: slots ring key_len max_scopes duplicate_limit first_position vocabulary
//              else: max_scopes budget key_len vocabulary
//   operation := opcode argument*
//   document  := count piece*
//
// The version says which table opcodes and pieces are looked up in. Numbers are never reused: a new
// opcode gets a new number and a place in the table of a new version, so that old inputs go on
// meaning what they meant. Unknown versions read as the latest one.

#ifndef LOCKSTEP_PROPS_HARNESS_CODEC_FORMAT_H_
#define LOCKSTEP_PROPS_HARNESS_CODEC_FORMAT_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "lockstep/types.h"

namespace lockstep::codec {

inline constexpr uint8_t kVersion = 2;

enum class Opcode : uint8_t {
  kInsert = 0,          // scope document
  kInsertAgain = 1,     // scope back: an earlier document
  kPropose = 2,         // scope max_len document: any history
  kProposeAfter = 3,    // scope max_len back position extra: history ends in an earlier document
  kProposeBatched = 4,  // as kPropose, in one call with the proposal before it, if one is
  kProposeAged = 5,     // scope max_len age: history is what the scope was given that long ago
  kSetScope = 6,        // scope key: gives an entry of the scope table another key
  kRepeat = 7,          // scope back times step: the last `back` calls again, `times` times, each
                        // time in the scopes `step` entries further on; its scope means nothing
};

// Frequent opcodes have several bytes; the first of each is the one the encoder writes.
using OpcodeTable = std::array<Opcode, 16>;
inline constexpr OpcodeTable kOpcodesOfVersion1 = {
    Opcode::kInsert,         Opcode::kInsertAgain,  Opcode::kPropose,     Opcode::kProposeAfter,
    Opcode::kProposeBatched, Opcode::kProposeAged,  Opcode::kSetScope,    Opcode::kInsert,
    Opcode::kInsert,         Opcode::kInsert,       Opcode::kInsertAgain, Opcode::kProposeAfter,
    Opcode::kProposeAfter,   Opcode::kProposeAfter, Opcode::kProposeAged, Opcode::kProposeAged,
};
inline constexpr uint8_t kRepeatByte = 15;
inline constexpr OpcodeTable kOpcodesOfVersion2 = [] {
  OpcodeTable table = kOpcodesOfVersion1;
  table[kRepeatByte] = Opcode::kRepeat;
  return table;
}();
constexpr const OpcodeTable& OpcodesOf(uint8_t version) {
  return version == 1 ? kOpcodesOfVersion1 : kOpcodesOfVersion2;
}

enum class Piece : uint8_t {
  kLiteral = 0,      // len token*
  kWideLiteral = 1,  // len u32*
  kRun = 2,          // len token: the same token again and again
  kCounter = 3,      // len u32: ascending tokens
  kRandom = 4,       // len seed: pseudo-random tokens of the vocabulary
  kSlice = 5,        // len back start: of an earlier document
  kEdit = 6,         // back position token: an earlier document with one token replaced
  kReserved = 7,     // the reserved token
};
inline constexpr std::array<Piece, 16> kPiecesOfVersion1 = {
    Piece::kLiteral, Piece::kWideLiteral, Piece::kRun,   Piece::kCounter,
    Piece::kRandom,  Piece::kSlice,       Piece::kEdit,  Piece::kReserved,
    Piece::kLiteral, Piece::kLiteral,     Piece::kRun,   Piece::kCounter,
    Piece::kRandom,  Piece::kSlice,       Piece::kSlice, Piece::kEdit,
};

// A byte of at least kExplicit is followed by the value itself, eight bytes, the lowest first;
// another stands for a value of the kind that finds faults: few slots, short rings, odd budgets.
inline constexpr uint8_t kExplicit = 240;

inline constexpr std::array<uint32_t, 8> kVocabularies = {2, 3, 3, 4, 6, 16, 64, 240};
inline constexpr uint8_t kWideVocabulary = 7;  // the last of them: a byte is its own token

constexpr uint64_t SlotsOf(uint8_t byte) {
  constexpr std::array<uint64_t, 8> kSlots = {1, 2, 2, 4, 4, 8, 16, 64};
  return kSlots[byte % kSlots.size()];
}
constexpr uint64_t RingTokensOf(uint8_t byte) { return 3 + byte % 61; }
constexpr uint64_t TinyKeyLenOf(uint8_t byte) { return 1 + byte % 3; }
constexpr uint64_t KeyLenOf(uint8_t byte) { return 1 + byte % 8; }
constexpr uint64_t MaxScopesOf(uint8_t byte) { return 1 + byte % 4; }
constexpr uint64_t DuplicateLimitOf(uint8_t byte) {
  constexpr std::array<uint32_t, 8> kDuplicateLimits = {1, 2, 2, 3, 3, 4, 8, 32};
  return kDuplicateLimits[byte % kDuplicateLimits.size()];
}
// Mostly 1; the rest a little before a power of two at which a narrow counter ends.
constexpr uint64_t FirstPositionOf(uint8_t byte) {
  if (byte < 160) return 1;
  const int bits = byte % 3 == 0 ? 16 : byte % 3 == 1 ? 32 : 63;
  return (uint64_t{1} << bits) - byte % 40;
}
// Bytes of a scope: enough for a short ring, with an odd rest.
constexpr uint64_t ScopeBytesOf(uint8_t byte) { return 6144 + uint64_t{37} * byte; }
// How a history is longer than the key, plus one: mostly just the key, sometimes one token less.
constexpr uint64_t ExtraOf(uint8_t byte) { return byte < 128 ? 1 : byte % 8; }
constexpr uint64_t ItselfOf(uint8_t byte) { return byte; }
// What is repeated: mostly a few calls, a few times, in the same scopes.
constexpr uint64_t RepeatBackOf(uint8_t byte) { return 1 + byte % 8; }
constexpr uint64_t RepeatTimesOf(uint8_t byte) { return byte < 160 ? 1 + byte % 16 : 32; }
constexpr uint64_t RepeatStepOf(uint8_t byte) { return byte < 128 ? 0 : byte % 4; }

// A number made by a mutation is mostly too large; what takes long is to be meant.
constexpr uint64_t RepeatTimes(uint64_t value) { return value <= 4096 ? value : 1 + value % 16; }

inline constexpr uint64_t kSmallBudgetBytes = 20000;
inline constexpr uint64_t kMaxRingTokens = 4096;
inline constexpr uint64_t kMaxSlots = 4096;
inline constexpr uint64_t kMaxFirstPosition = uint64_t{1} << 63;

// Lengths: a plain one, one in sixteenths of the ring, one near the ring's, or an explicit one.
inline constexpr uint8_t kLengthInRings = 200;
inline constexpr uint8_t kLengthNearRing = 248;
// Of one piece, so that most inputs are quick; longer documents have more pieces.
constexpr uint64_t MaxLengthOf(uint64_t ring_tokens) { return 4 * ring_tokens; }

// Pieces of a document: 1 to 4, 0 to 62, or an explicit count.
inline constexpr uint8_t kCountExact = 192;
inline constexpr uint8_t kCountExplicit = 255;

// Tokens: a byte below kExplicit is one of the vocabulary; the others have one high bit each, and
// the last is the largest token there is.
constexpr Token WideToken(uint8_t byte) {
  return byte == 255 ? kReservedToken - 1 : Token{1} << (16 + byte - kExplicit);
}

// The scope table: a few keys that a careless comparison or hash confuses, then many of one model.
// Most bytes mean the first four.
inline constexpr size_t kScopes = 112;
inline constexpr size_t kAlikeScopes = 16;
constexpr size_t ScopeIndex(uint8_t byte) {
  if (byte < 128) return byte % 4;
  if (byte < 160) return byte % kAlikeScopes;
  return kAlikeScopes + (byte - 160);
}
constexpr uint8_t ScopeByte(size_t index) {
  if (index < 4) return static_cast<uint8_t>(index);
  if (index < kAlikeScopes) return static_cast<uint8_t>(128 + index);
  return static_cast<uint8_t>(160 + index - kAlikeScopes);
}
std::array<ScopeKey, kScopes> ScopeTable();

class ByteReader {
 public:
  explicit ByteReader(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  bool AtEnd() const { return at_ >= bytes_.size(); }
  size_t at() const { return std::min(at_, bytes_.size()); }

  // Past the end every byte is 0.
  uint8_t Byte() {
    const uint8_t byte = AtEnd() ? 0 : bytes_[at_];
    ++at_;
    return byte;
  }
  uint64_t Bytes(int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; ++i) value |= static_cast<uint64_t>(Byte()) << (8 * i);
    return value;
  }
  // An explicit value, or what `from_byte` makes of the byte.
  template <typename FromByte>
  uint64_t Value(FromByte from_byte) {
    const uint8_t byte = Byte();
    return byte >= kExplicit ? Bytes(8) : from_byte(byte);
  }

 private:
  absl::Span<const uint8_t> bytes_;
  size_t at_ = 0;
};

}  // namespace lockstep::codec

#endif  // LOCKSTEP_PROPS_HARNESS_CODEC_FORMAT_H_
