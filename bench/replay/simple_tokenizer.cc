#include "bench/replay/simple_tokenizer.h"

#include <algorithm>
#include <cstddef>

namespace lockstep {
namespace {

constexpr size_t kMostLetters = 12;
constexpr size_t kMostDigits = 3;
constexpr size_t kMostBlanks = 64;
constexpr size_t kMostMarks = 16;

// Not those of <cctype>: they would follow the locale.
bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }
bool IsLetter(char c) {
  return IsCapital(c) || IsSmall(c) || static_cast<unsigned char>(c) >= 0x80;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }

// The bytes of the piece at the front of `text`, which is not empty.
class Piece {
 public:
  explicit Piece(std::string_view text) : text_(text) {}

  size_t Length() const {
    const size_t lead = text_[0] == ' ' || text_[0] == '_' ? 1 : 0;
    if (const size_t letters = Letters(lead); letters > 0) return lead + letters;
    if (IsDigit(text_[0])) return Run(kMostDigits, IsDigit);
    if (text_[0] == '\n') {
      return 1 + Piece(text_.substr(1)).Run(kMostBlanks - 1, [](char c) {
        return c == ' ' || c == '\t';
      });
    }
    if (IsBlank(text_[0])) return Blanks();
    return Run(kMostMarks, [this](char c) { return c == text_[0]; });
  }

 private:
  template <typename Predicate>
  size_t Run(size_t most, Predicate predicate) const {
    const auto end = text_.begin() + static_cast<ptrdiff_t>(std::min(most, text_.size()));
    return static_cast<size_t>(std::find_if_not(text_.begin(), end, predicate) - text_.begin());
  }

  size_t Letters(size_t from) const {
    size_t end = from;
    while (end < text_.size() && end - from < kMostLetters && IsLetter(text_[end])) {
      if (end > from && IsCapital(text_[end]) && IsSmall(text_[end - 1])) break;
      ++end;
    }
    return end - from;
  }

  size_t Blanks() const {
    const size_t run = Run(kMostBlanks, [](char c) { return IsBlank(c) && c != '\n'; });
    const bool before_word =
        run < text_.size() && run > 1 && text_[run - 1] == ' ' && IsLetter(text_[run]);
    return before_word ? run - 1 : run;
  }

  std::string_view text_;
};

Token TokenOf(std::string_view piece) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : piece) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<Token>((hash * 0x9e3779b97f4a7c15) >> (64 - kSimpleTokenBits));
}

}  // namespace

void SimpleTokenize(std::string_view text, std::vector<Token>& tokens) {
  while (!text.empty()) {
    const size_t length = Piece(text).Length();
    tokens.push_back(TokenOf(text.substr(0, length)));
    text.remove_prefix(length);
  }
}

}  // namespace lockstep
