#include "fuzz/deep_seeds.h"

#include <initializer_list>

#include "fuzz/seed_writer.h"

namespace lockstep::fuzz {
namespace {

using namespace codec;  // NOLINT: what these bytes are

constexpr uint8_t kScopesOfOneModel = 160;
constexpr uint8_t kAllOfIt = 254;  // a max_len

// A ring of 2^17 tokens, and more documents than it holds; histories and a draft that are long, and
// a scope in the place of the one that had all that.
std::vector<uint8_t> PastSixteenBits() {
  SeedWriter w(1, uint64_t{1} << 20, 3);
  w.InsertCounter(0, 90'000, 1'000);
  w.InsertCounter(0, 90'000, 1'000'000);
  w.ProposeAfter(0, 9, 0, 89'000);
  w.ProposeAfter(0, 9, 0, 100);
  w.ProposeAfter(0, kAllOfIt, 0, 100);
  w.ProposeAfter(0, 9, 0, 89'000, 5'000);
  w.ProposeAfter(0, 9, 0, 89'000, 66'000);
  w.InsertTokens(1, {1, 2, 3, 4});
  w.ProposeAfter(1, 9, 1, 89'000);
  return w.bytes;
}

// Each document contradicts the one before it, so that all are written.
std::vector<uint8_t> ThousandsOfCalls() {
  SeedWriter w(1, kSmallScope, 1);
  w.InsertTokens(0, {5, 6});
  w.InsertTokens(0, {5, 7});
  w.Repeat(2, 510);
  w.Propose(0, 4, {5});
  w.Repeat(1, 1'010);
  return w.bytes;
}

std::vector<uint8_t> HundredsOfTurnovers() {
  SeedWriter w(1, kSmallScope, 1);
  w.InsertTokens(0, {5, 6});
  w.InsertTokens(1, {9, 8});
  w.InsertTokens(2, {9, 8});
  w.Propose(2, 4, {5});
  w.InsertTokens(1, {9, 8});
  w.Propose(1, 4, {5});
  w.Repeat(4, 135);
  return w.bytes;
}

std::vector<uint8_t> SeventyScopes() {
  SeedWriter w(70, kSmallScope, 1);
  w.InsertTokens(kScopesOfOneModel, {5, 6});
  w.Repeat(1, 69, 1);
  w.Propose(kScopesOfOneModel, 4, {5});
  w.InsertTokens(kScopesOfOneModel + 75, {5, 7});
  w.Propose(kScopesOfOneModel, 4, {5});
  w.Propose(kScopesOfOneModel + 1, 4, {5});
  // As many drops and makes as bring the table's searches across each other.
  w.Repeat(4, 300, 3);
  return w.bytes;
}

std::vector<uint8_t> KeysOneBitApart() {
  constexpr uint64_t kHigh = uint64_t{1} << 63;
  SeedWriter w(4, kSmallScope, 1);
  w.SetScope(0, {1, 2, 3, 5});
  w.InsertTokens(0, {5, 6});
  for (const auto& key : {std::initializer_list<uint64_t>{1, 2, 5, 3},
                          {2, 1, 3, 5},
                          {1, 3, 2, 5},
                          {1, 2 | kHigh, 3, 5},
                          {1 | kHigh, 2, 3, 5},
                          {1, 2, 3 | kHigh, 5},
                          {1, 2, 3, 5 | kHigh}}) {
    w.SetScope(1, key);
    w.Propose(1, 4, {5});
  }
  return w.bytes;
}

// Around the oldest position that is live; what was written after it leaves the slots of its keys
// alone.
std::vector<uint8_t> OldestPositions() {
  SeedWriter w(1, uint64_t{1} << 15, 3);
  w.InsertCounter(0, 500, 100);
  w.InsertTokens(0, {5, 5, 5, 6});
  w.InsertTokens(0, {5, 5, 5, 7});
  w.Repeat(2, 371);
  for (uint64_t position = 122; position < 136; ++position) w.ProposeAfter(0, 2, 744, position);
  return w.bytes;
}

// Two keys of four tokens whose hashes agree in the slot and in the tag.
std::vector<uint8_t> KeysThatOnlyTokensTellApart() {
  SeedWriter w(1, kSmallScope, 4);
  w.InsertTokens(0, {113, 101, 46, 121, 1});
  w.Propose(0, 4, {114, 24, 110, 207});
  w.InsertTokens(0, {114, 24, 110, 207, 2});
  w.Propose(0, 4, {113, 101, 46, 121});
  w.Propose(0, 4, {114, 24, 110, 207});
  return w.bytes;
}

// Two such keys with one first token, which lies in the ring's last cell and all others past it.
std::vector<uint8_t> KeysThatDifferPastTheRingsEnd() {
  SeedWriter w(1, kSmallScope, 4);
  w.InsertCounter(0, 1'021, 1'000);
  w.InsertTokens(0, {113, 121, 7, 135, 1});
  w.Propose(0, 4, {113, 132, 101, 154});
  w.InsertTokens(0, {113, 132, 101, 154, 2});
  w.Propose(0, 4, {113, 121, 7, 135});
  w.Propose(0, 4, {113, 132, 101, 154});
  return w.bytes;
}

// A key of which every cut lies at the ring's end once.
std::vector<uint8_t> KeyAcrossTheRingsEnd() {
  SeedWriter w(1, kSmallScope, 3);
  w.InsertCounter(0, 1'010, 1'000);
  for (uint8_t first = 0; first < 40; first += 8) {
    w.InsertTokens(0, {first, static_cast<uint8_t>(first + 1), static_cast<uint8_t>(first + 2),
                       static_cast<uint8_t>(first + 3)});
    w.ProposeAfter(0, 4, 0, 3);
  }
  return w.bytes;
}

// A document comes again, one token longer at its front, when the ring has written up to its
// beginning, a little less and a little more: its oldest positions are believed, and then no
// longer. Each length in a scope that takes over the memory of the one before; what is written in
// between leaves the slots of its keys alone.
std::vector<uint8_t> ResentAsItsTextGoes() {
  SeedWriter w(1, 8192, 1);
  for (uint8_t more = 0; more < 9; ++more) {
    const uint8_t scope = more % 2;
    w.InsertCounter(scope, 40u + more, 1'000);
    w.InsertTokens(scope, {5, 6});
    w.InsertTokens(scope, {5, 7});
    w.Repeat(2, 162);
    w.InsertCounter(scope, 40u + more, 999);
  }
  return w.bytes;
}

// The mark of the newest run comes to lie before one position of an older document after the other:
// each run is of three cells, and the documents begin at each place of three.
std::vector<uint8_t> ReservedTokenAsOldTextGoes() {
  SeedWriter w(3, kSmallScope, 1);
  for (uint8_t scope = 0; scope < 3; ++scope) w.InsertCounter(scope, 1'000 + scope, 1'000);
  for (const uint8_t token : {6, 7}) {
    for (uint8_t scope = 0; scope < 3; ++scope) {
      w.InsertTokens(scope, {5, token});
      w.ProposeReserved(scope, 4);
    }
  }
  w.Repeat(12, 170);
  return w.bytes;
}

// One question after the other in scopes that answer it otherwise, each as long as the last.
std::vector<uint8_t> OneQuestionInAllScopes() {
  SeedWriter w(3, kSmallScope, 2);
  w.InsertTokens(0, {5, 6, 7, 8, 9});
  w.InsertTokens(1, {5, 6, 8, 9, 7});
  w.InsertTokens(2, {1, 2, 3});
  for (const uint8_t max_len : {4, 1, 2, 3, 0, 1}) {
    for (uint8_t scope = 0; scope < 4; ++scope) w.Propose(scope, max_len, {5, 6});
  }
  w.InsertTokens(0, {5, 6, 9, 9});
  w.Propose(0, 1, {5, 6});
  return w.bytes;
}

}  // namespace

std::map<std::string, std::vector<uint8_t>> DeepSeeds() {
  return {{"documents past 16 bits", PastSixteenBits()},
          {"thousands of calls", ThousandsOfCalls()},
          {"hundreds of turnovers", HundredsOfTurnovers()},
          {"seventy scopes", SeventyScopes()},
          {"keys one bit apart", KeysOneBitApart()},
          {"order of a batch", OrderOfABatch()},
          {"keys of a batch", KeysOfABatch()},
          {"uses by a batch", UsesByABatch()},
          {"oldest positions", OldestPositions()},
          {"keys that only tokens tell apart", KeysThatOnlyTokensTellApart()},
          {"keys that differ past the rings end", KeysThatDifferPastTheRingsEnd()},
          {"key across the rings end", KeyAcrossTheRingsEnd()},
          {"resent as its text goes", ResentAsItsTextGoes()},
          {"reserved token as old text goes", ReservedTokenAsOldTextGoes()},
          {"one question in all scopes", OneQuestionInAllScopes()}};
}

}  // namespace lockstep::fuzz
