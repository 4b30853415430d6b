// A tokenizer for making traces: simple, deterministic and in need of no vocabulary file. It cuts
// text about as finely as those of language models do; its ids mean nothing outside these traces.

#ifndef LOCKSTEP_BENCH_REPLAY_SIMPLE_TOKENIZER_H_
#define LOCKSTEP_BENCH_REPLAY_SIMPLE_TOKENIZER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "lockstep/types.h"

namespace lockstep {

inline constexpr int kSimpleTokenBits = 20;

// Appends the tokens of `text`, any bytes, to `tokens`.
//
// Pieces, the first that applies at each place:
//   a word      letters (bytes from 0x80 on count as such), after at most one space or underscore;
//               it ends before a capital that follows a small letter, and after 12 letters
//   a number    up to 3 digits
//   a line end  "\n" and the spaces and tabs that follow it, up to 64 bytes in all
//   blanks      other spaces, tabs and control characters, up to 64 bytes; the last space before a
//               word belongs to the word
//   a mark      one punctuation character, repeated up to 16 times
// A piece's id is the top kSimpleTokenBits bits of its FNV-1a hash times 0x9e3779b97f4a7c15, modulo
// 2^64: rarely, two pieces share one.
void SimpleTokenize(std::string_view text, std::vector<Token>& tokens);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_SIMPLE_TOKENIZER_H_
