// A sequence's own history against a scan of it, how boldly it drafts against the words of the
// header, and every way to hash keys against the plain one.

#include <algorithm>
#include <vector>

#include "fuzz/target.h"
#include "lockstep/ngram_key.h"
#include "lockstep/own_history.h"
#include "props/harness/codec_format.h"

namespace lockstep {
namespace {

using codec::ByteReader;
using Tokens = std::vector<Token>;

Tokens ReadTokens(ByteReader& in) {
  const uint8_t len = in.Byte(), token = in.Byte();
  // Short ones are written out, of few tokens or of all; long ones repeat a few tokens, or one.
  Tokens tokens(len < 200 ? len % 16 : 8 * (len - 199));
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = len >= 200     ? static_cast<Token>(token % 8 + i % (1 + token / 8))
                : token == 255 ? static_cast<Token>(in.Bytes(4))
                               : in.Byte() % 8;
  }
  return tokens;
}

// The definition: what followed the latest earlier place of the last key_len tokens.
Tokens DraftByScanning(const Tokens& history, size_t key_len, size_t max_len) {
  if (history.size() < key_len) return {};
  for (size_t end = history.size(); end-- > key_len;) {
    if (!std::equal(history.end() - static_cast<ptrdiff_t>(key_len), history.end(),
                    history.begin() + static_cast<ptrdiff_t>(end - key_len))) {
      continue;
    }
    const auto first = history.begin() + static_cast<ptrdiff_t>(end);
    return {first, first + static_cast<ptrdiff_t>(std::min(max_len, history.size() - end))};
  }
  return {};
}

void RunHistory(ByteReader& in) {
  const size_t key_len = 1 + in.Byte() % 4;
  OwnHistory history(key_len);
  Tokens plain;
  for (int step = 0; step < 64 && !in.AtEnd(); ++step) {
    const uint8_t opcode = in.Byte() % 8;
    if (opcode < 4) {
      const Tokens tokens = ReadTokens(in);
      history.Append(tokens);
      plain.insert(plain.end(), tokens.begin(), tokens.end());
    } else if (opcode < 7) {
      plain.resize(plain.size() - std::min<size_t>(in.Byte(), plain.size()));
      history.Rewind(plain.size());
    } else {
      history.Clear();
      plain.clear();
    }
    fuzz::Require(history.size() == plain.size() &&
                      std::equal(plain.begin(), plain.end(), history.tokens().begin()),
                  "own_history: other tokens");
    const size_t max_len = in.Byte();
    const absl::Span<const Token> draft = history.Draft(max_len);
    fuzz::Require(Tokens(draft.begin(), draft.end()) == DraftByScanning(plain, key_len, max_len),
                  "own_history: not what a scan gives");
  }
}

void RunBoldness(ByteReader& in) {
  const uint64_t min = 1 + in.Byte(), max = min + in.Byte(), most_steps = in.Byte();
  CopyWindow window(min, max, in.Byte());
  MissBackoff backoff(most_steps);
  uint64_t misses = 0;  // in a row
  for (int step = 0; step < 64 && !in.AtEnd(); ++step) {
    const uint64_t before = window.size(), accepted = in.Byte() % 4 * before / 3;
    fuzz::Require(min <= before && before <= max, "own_history: a window out of its bounds");
    window.Report(before, accepted);
    const uint64_t wanted = accepted == before ? before * 2 : before / 2;
    fuzz::Require(window.size() == std::clamp(wanted, min, max), "own_history: another window");
    backoff.Report(accepted);
    misses = accepted > 0 ? 0 : misses + 1;
    const uint64_t doubled = misses == 0 ? 0 : uint64_t{1} << (misses - 1);
    for (uint64_t i = 0; i < std::min(doubled, most_steps); ++i) {
      fuzz::Require(!backoff.Ask(), "own_history: drafts before its time");
    }
    fuzz::Require(backoff.Ask(), "own_history: does not draft in its time");
  }
}

void RunHashPaths(ByteReader& in) {
  const size_t key_len = 1 + in.Byte() % 9;
  const SlotLayout layout = {.slot_bits = in.Byte() % 64, .tag_shift = in.Byte() % 64};
  Tokens tokens(key_len + in.Byte() % 100);
  for (Token& token : tokens) token = static_cast<Token>(in.Bytes(4));
  const size_t count = tokens.size() - key_len + 1;
  const HashPath before = CurrentHashPath();
  for (const HashPath path : kHashPaths) {
    if (!HashPathSupported(path)) continue;
    SetHashPathForTesting(path);
    fuzz::Require(HashPathName(path)[0] != '\0', "own_history: a hash path without a name");
    std::vector<uint64_t> slots(count), tags(count);
    HashNgrams(tokens.data(), count, key_len, layout, slots.data(), tags.data());
    for (size_t i = 0; i < count; ++i) {
      const uint64_t hash = SlotHash(NgramKey(absl::MakeSpan(tokens).subspan(i, key_len)));
      fuzz::Require(slots[i] == layout.SlotOf(hash) && tags[i] == layout.TagOf(hash),
                    "own_history: a hash path gives another hash");
    }
  }
  SetHashPathForTesting(before);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::codec::ByteReader in({data, size});
  switch (in.Byte() % 3) {
    case 0:
      lockstep::RunHistory(in);
      break;
    case 1:
      lockstep::RunBoldness(in);
      break;
    default:
      lockstep::RunHashPaths(in);
      break;
  }
  return 0;
}
