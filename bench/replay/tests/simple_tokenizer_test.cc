#include "bench/replay/simple_tokenizer.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

std::vector<Token> Tokenize(const std::string& text) {
  std::vector<Token> tokens;
  SimpleTokenize(text, tokens);
  return tokens;
}

// What the tokens of `text` are when it is cut into these pieces.
void ExpectPieces(const std::vector<std::string>& pieces) {
  std::string text;
  std::vector<Token> want;
  for (const std::string& piece : pieces) {
    text += piece;
    const std::vector<Token> token = Tokenize(piece);
    ASSERT_EQ(token.size(), 1u) << "\"" << piece << "\" is no piece";
    want.push_back(token[0]);
  }
  EXPECT_EQ(Tokenize(text), want) << text;
}

TEST(SimpleTokenize, EachRuleOfTheHeader) {
  ExpectPieces({"max", "_draft", "_tokens", " ", "=", " ", "8"});
  ExpectPieces({"Hello", " world", "!"});
  ExpectPieces({"Draft", "Tokens", "URL"});
  ExpectPieces({"abcdefghijkl", "mno"});
  ExpectPieces({"123", "456", "7"});
  ExpectPieces({"if", " ", "(", "x", ")", " ", "{", "\n    ", "return", ";", "\n", "}"});
  ExpectPieces({"a", "   ", " b"});
  ExpectPieces({"----------------", "--", "//", " ", "_"});
  ExpectPieces({"na\xc3\xafve", "\t\t", "x"});
}

TEST(SimpleTokenize, IdsAreFixedForAllTime) {
  // FNV-1a of "a" is 0xaf63dc4c8601ec8c; times the odd constant, its top 20 bits are these.
  constexpr uint64_t kProduct = 0xaf63dc4c8601ec8cU * 0x9e3779b97f4a7c15U;
  EXPECT_EQ(Tokenize("a"), std::vector<Token>{static_cast<Token>(kProduct >> 44)});
  EXPECT_EQ(Tokenize(""), std::vector<Token>{});
}

TEST(SimpleTokenize, AnyBytesGiveTokensThatAreNeverReserved) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random());
    for (const Token token : Tokenize(text)) EXPECT_LT(token, Token{1} << kSimpleTokenBits);
  }
}

TEST(SimpleTokenize, WordsRarelyShareAnId) {
  std::set<Token> ids;
  std::string word = "aaa";
  for (int i = 0; i < 5000; ++i) {
    for (size_t at = 0; ++word[at] > 'z'; ++at) word[at] = 'a';
    ids.insert(Tokenize(word).at(0));
  }
  EXPECT_GT(ids.size(), 4950u);
}

}  // namespace
}  // namespace lockstep
