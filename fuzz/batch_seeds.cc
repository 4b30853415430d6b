// Seeds of batches, for deep_seeds.h.

#include "fuzz/deep_seeds.h"
#include "fuzz/seed_writer.h"

namespace lockstep::fuzz {

using codec::Opcode;

// The order of a batch is the order of use, whatever the order of the keys.
std::vector<uint8_t> OrderOfABatch() {
  SeedWriter w(2, kSmallScope, 1);
  w.Propose(1, 4, {5});
  w.Propose(0, 4, {5}, Opcode::kProposeBatched);  // while there is no scope at all
  w.InsertTokens(0, {5, 6});
  w.InsertTokens(1, {5, 7});
  w.Propose(1, 4, {5});
  w.Propose(0, 4, {5}, Opcode::kProposeBatched);
  w.InsertTokens(2, {5, 8});
  w.Propose(0, 4, {5});
  w.Propose(1, 4, {5}, Opcode::kProposeBatched);
  w.Propose(0, 0, {5}, Opcode::kProposeBatched);
  w.Propose(3, 4, {5}, Opcode::kProposeBatched);
  w.Propose(0, 4, {9}, Opcode::kProposeBatched);
  w.Propose(0, 4, {}, Opcode::kProposeBatched);
  return w.bytes;
}

// More keys than are hashed at a time, each with an answer of its own, one after the other from
// another scope; the next batch begins in the middle of them.
std::vector<uint8_t> KeysOfABatch() {
  SeedWriter w(3, kSmallScope, 2);
  w.InsertTokens(0, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  w.InsertTokens(1, {9, 8, 7, 6, 5, 4, 3, 2, 1});
  for (const uint8_t first : {1, 3}) {
    w.InsertTokens(2, {7, 7, first});
    for (uint8_t token = first; token < 8; ++token) {
      const Opcode opcode = token == first ? Opcode::kPropose : Opcode::kProposeBatched;
      const auto next = static_cast<uint8_t>(token + 1);
      w.Propose(0, 3, {token, next}, opcode);
      w.Propose(1, 3, {next, token}, Opcode::kProposeBatched);
    }
  }
  return w.bytes;
}

// Of two scopes the older one is in a batch: with an answer, without one, for no tokens, and with
// too short a history. Each is a use, and the other scope is the one that is dropped.
std::vector<uint8_t> UsesByABatch() {
  SeedWriter w(2, kSmallScope, 1);
  for (int kind = 0; kind < 4; ++kind) {
    w.InsertTokens(0, {5, 6});
    w.InsertTokens(1, {5, 7});
    w.Propose(1, 4, {5});
    switch (kind) {
      case 0:
        w.Propose(0, 4, {5}, Opcode::kProposeBatched);
        break;
      case 1:
        w.Propose(0, 4, {9}, Opcode::kProposeBatched);
        break;
      case 2:
        w.Propose(0, 0, {5}, Opcode::kProposeBatched);
        break;
      default:
        w.Propose(0, 4, {}, Opcode::kProposeBatched);
        break;
    }
    w.InsertTokens(2, {5, 8});
    for (uint8_t scope = 0; scope < 3; ++scope) w.Propose(scope, 4, {5});
  }
  return w.bytes;
}

}  // namespace lockstep::fuzz
