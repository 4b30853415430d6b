// Random operations on a scope of any shape, held to the exact model.

#ifndef LOCKSTEP_PROPS_TESTS_MODEL_CHECK_H_
#define LOCKSTEP_PROPS_TESTS_MODEL_CHECK_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "props/harness/exact_judge.h"
#include "props/harness/exact_model.h"
#include "props/harness/implementation.h"
#include "props/harness/interpreter.h"
#include "props/harness/operation.h"

namespace lockstep {

struct RandomOps {
  uint64_t scopes = 3;      // scope keys drawn from
  Token alphabet = 3;       // tokens drawn from
  size_t longest = 40;      // document or history
  uint64_t max_draft = 12;  // max_len of a proposal
};

// Documents repeat stretches of earlier ones, or there would be few hits.
inline std::vector<Token> RandomDocument(std::mt19937_64& random, const RandomOps& shape,
                                         const std::vector<std::vector<Token>>& earlier) {
  const size_t len = random() % (shape.longest + 1);
  std::vector<Token> doc;
  while (doc.size() < len) {
    const auto* source = earlier.empty() ? nullptr : &earlier[random() % earlier.size()];
    if (source == nullptr || source->empty() || random() % 3 == 0) {
      for (size_t n = 1 + random() % 8; n > 0; --n) {
        doc.push_back(static_cast<Token>(random() % shape.alphabet));
      }
      continue;
    }
    const size_t begin = random() % source->size();
    const size_t end = begin + 1 + random() % (source->size() - begin);
    doc.insert(doc.end(), source->begin() + static_cast<std::ptrdiff_t>(begin),
               source->begin() + static_cast<std::ptrdiff_t>(end));
  }
  doc.resize(len);
  return doc;
}

inline std::vector<Operation> RandomOperations(std::mt19937_64& random, const RandomOps& shape,
                                               size_t count) {
  std::vector<Operation> ops;
  std::vector<std::vector<Token>> earlier;
  for (size_t i = 0; i < count; ++i) {
    const ScopeKey scope{
        .model = 0, .tokenizer = 0, .adapter = 0, .tenant = random() % shape.scopes};
    std::vector<Token> tokens = RandomDocument(random, shape, earlier);
    if (random() % 2 == 0) {
      if (earlier.size() == 16) earlier.erase(earlier.begin());
      earlier.push_back(tokens);
      ops.push_back(Insert(scope, std::move(tokens)));
    } else {
      ops.push_back(Propose(scope, std::move(tokens), random() % (shape.max_draft + 1)));
      ops.back().batched =
          i > 0 && ops[i - 1].kind == Operation::Kind::kPropose && random() % 2 == 0;
    }
  }
  return ops;
}

// "" when the cache answers as the model does; otherwise what differs, and the seed.
inline std::string DifferenceFromModel(CacheHandle& cache, const ModelOptions& options,
                                       const RandomOps& shape, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<Operation> ops = RandomOperations(random, shape, count);
  ExactJudge judge(options);
  const std::optional<Finding> finding = RunBeside(cache, judge, ops);
  if (!finding.has_value()) return "";
  return "seed " + std::to_string(seed) + ", operation " + std::to_string(finding->op_index) +
         ": " + finding->what;
}

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_TESTS_MODEL_CHECK_H_
