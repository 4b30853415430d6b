#include "bench/workload.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr size_t kPassageTokens = 200;
constexpr size_t kPassageRepeats = 5;

// Far apart for neighbouring documents: their random sequences do not overlap.
Random DocumentRandom(uint64_t scope, uint64_t n) {
  return Random(Random(Random(scope).Next() ^ n).Next());
}

}  // namespace

void FillFresh(uint64_t scope, uint64_t n, uint64_t first_token, absl::Span<Token> tokens) {
  Random random = DocumentRandom(scope, n);
  random.Skip(first_token);
  for (Token& token : tokens) token = random.Below(kVocabulary);
}

std::vector<Token> FreshDocument(uint64_t scope, uint64_t n, size_t len) {
  std::vector<Token> doc(len);
  FillFresh(scope, n, 0, absl::MakeSpan(doc));
  return doc;
}

void FillFresh(Random& random, std::vector<Token>& doc) {
  for (Token& token : doc) token = random.Below(kVocabulary);
}

std::vector<Token> FreshDocument(Random& random, size_t len) {
  std::vector<Token> doc(len);
  FillFresh(random, doc);
  return doc;
}

void EditOneIn(uint32_t period, Random& random, std::vector<Token>& doc) {
  for (size_t i = random.Below(period); i < doc.size(); i += period) {
    doc[i] = random.Below(kVocabulary);
  }
}

std::vector<Token> RepeatingDocument(uint64_t scope, uint64_t n, size_t len) {
  const size_t passages = std::max<size_t>(len / kPassageTokens / kPassageRepeats, 1);
  const std::vector<Token> text = FreshDocument(scope, n, passages * kPassageTokens);
  Random random(n);
  std::vector<Token> doc;
  while (doc.size() < len) {
    const size_t passage = random.Below(static_cast<uint32_t>(passages));
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(passage * kPassageTokens);
    doc.insert(doc.end(), begin, begin + kPassageTokens);
  }
  doc.resize(len);
  return doc;
}

ScopeKey BenchScope(uint64_t i) {
  return {.model = 1, .tokenizer = 2, .adapter = i % 7, .tenant = i};
}

}  // namespace lockstep
