#include "bench/workload.h"

namespace lockstep {

void FillFresh(Random& random, std::vector<Token>& doc) {
  for (Token& token : doc) token = random.Below(kVocabulary);
}

std::vector<Token> FreshDocument(Random& random, size_t len) {
  std::vector<Token> doc(len);
  FillFresh(random, doc);
  return doc;
}

ScopeKey BenchScope(uint64_t i) {
  return {.model = 1, .tokenizer = 2, .adapter = i % 7, .tenant = i};
}

}  // namespace lockstep
