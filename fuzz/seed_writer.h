// Writes the bytes of the codec, call by call, for seeds that are written down.

#ifndef LOCKSTEP_FUZZ_SEED_WRITER_H_
#define LOCKSTEP_FUZZ_SEED_WRITER_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "props/harness/codec_format.h"

namespace lockstep::fuzz {

inline constexpr uint64_t kSmallScope = 6144;  // which is the least: a ring of 1,024 tokens

class SeedWriter {
 public:
  SeedWriter(uint64_t max_scopes, uint64_t scope_bytes, uint8_t key_len) {
    Add({codec::kVersion, 0});
    Explicit(max_scopes);
    Explicit(max_scopes * scope_bytes);
    Add({static_cast<uint8_t>(key_len - 1), codec::kWideVocabulary});
  }

  void InsertCounter(uint8_t scope, uint32_t len, uint32_t first) {
    Op(codec::Opcode::kInsert, scope);
    Add({codec::kCountExact + 1, static_cast<uint8_t>(codec::Piece::kCounter), 255});
    Number(len, 4);
    Number(first, 4);
  }
  void InsertTokens(uint8_t scope, std::initializer_list<uint8_t> tokens) {
    Op(codec::Opcode::kInsert, scope);
    Literal(tokens);
  }
  void Propose(uint8_t scope, uint8_t max_len, std::initializer_list<uint8_t> history,
               codec::Opcode opcode = codec::Opcode::kPropose) {
    Op(opcode, scope);
    Add({max_len});
    Literal(history);
  }
  // The reserved token alone.
  void ProposeReserved(uint8_t scope, uint8_t max_len) {
    Op(codec::Opcode::kPropose, scope);
    Add({max_len, codec::kCountExact + 1, static_cast<uint8_t>(codec::Piece::kReserved)});
  }
  // A history that ends at `position` of the document so far back, and is that longer than a key.
  void ProposeAfter(uint8_t scope, uint8_t max_len, uint64_t back, uint64_t position,
                    uint64_t longer = 0) {
    Op(codec::Opcode::kProposeAfter, scope);
    Add({max_len});
    back < codec::kExplicit ? Add({static_cast<uint8_t>(back)}) : Explicit(back);
    position < 160 ? Add({static_cast<uint8_t>(position)}) : Explicit(position);
    longer == 0 ? Add({1}) : Explicit(longer + 1);
  }
  void SetScope(uint8_t scope, std::initializer_list<uint64_t> key) {
    Op(codec::Opcode::kSetScope, scope);
    for (const uint64_t field : key) {
      field < codec::kExplicit ? Add({static_cast<uint8_t>(field)}) : Explicit(field);
    }
  }
  void Repeat(uint8_t calls, uint64_t times, uint8_t scopes_on = 0) {
    Add({codec::kRepeatByte, 0});
    calls <= 8 ? Add({static_cast<uint8_t>(calls - 1)}) : Explicit(calls);
    Explicit(times);
    Add({static_cast<uint8_t>(scopes_on == 0 ? 0 : 128 + scopes_on)});
  }

  std::vector<uint8_t> bytes;

 private:
  void Add(std::initializer_list<uint8_t> more) {
    for (const uint8_t byte : more) bytes.push_back(byte);
  }
  void Number(uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  void Explicit(uint64_t value) {
    Add({codec::kExplicit});
    Number(value, 8);
  }
  void Op(codec::Opcode opcode, uint8_t scope) { Add({static_cast<uint8_t>(opcode), scope}); }
  void Literal(std::initializer_list<uint8_t> tokens) {
    Add({codec::kCountExact + 1, static_cast<uint8_t>(codec::Piece::kLiteral),
         static_cast<uint8_t>(tokens.size())});
    Add(tokens);
  }
};

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_SEED_WRITER_H_
