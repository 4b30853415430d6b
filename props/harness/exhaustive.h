// Every sequence of documents over a tiny alphabet, into a scope so tiny that its ring wraps, its
// slots are shared and its runs are cut within a few documents; and every sequence of uses of a few
// scopes. Our own core only, in this process.

#ifndef LOCKSTEP_PROPS_HARNESS_EXHAUSTIVE_H_
#define LOCKSTEP_PROPS_HARNESS_EXHAUSTIVE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/time/time.h"
#include "props/harness/check.h"
#include "props/harness/exact_model.h"
#include "props/harness/implementation.h"
#include "props/harness/operation.h"

namespace lockstep {

struct ExhaustiveBounds {
  ModelOptions options;  // of one scope
  Token alphabet = 2;    // tokens 0 up to this
  uint64_t longest_doc = 0;
};

// Breadth first: each level adds one more document to every state that the last one reached. States
// that differ in no way that the model could ever show, or a core that keeps its positions' age
// would, are one.
class ExhaustiveSearch {
 public:
  using CacheMaker = std::function<std::unique_ptr<CacheHandle>(const ModelOptions&)>;

  explicit ExhaustiveSearch(const ExhaustiveBounds& bounds, CacheMaker make = MakeTinyCache);

  // Searches one level deeper, or goes on with the level that the last deadline cut short. After
  // each insert stored_tokens and all proposals are compared with the model.
  //
  // Returns: the failing sequence of the first difference.
  std::optional<Sequence> Deepen(absl::Time deadline);

  bool level_finished() const { return next_path_ == frontier_.size(); }
  bool exhausted() const { return level_finished() && next_frontier_.empty(); }
  uint64_t levels() const { return levels_; }  // finished ones: documents in a sequence
  uint64_t states() const { return seen_.size(); }
  uint64_t documents() const { return documents_; }
  uint64_t proposals() const { return proposals_; }
  const ExhaustiveBounds& bounds() const { return bounds_; }

 private:
  using Path = std::vector<uint16_t>;  // indices of documents

  std::optional<Sequence> Extend(const Path& path);
  std::optional<Sequence> CompareAll(CacheHandle& cache, ExactModel& model, const Path& path);
  uint64_t StateOf(const ExactModel& model) const;
  Sequence SequenceOf(const Path& path) const;

  ExhaustiveBounds bounds_;
  CacheMaker make_;
  std::vector<Operation> inserts_;  // one per document
  std::vector<Operation> asks_;     // one per history and length
  std::vector<Path> frontier_, next_frontier_;
  size_t next_path_ = 0;
  std::unordered_set<uint64_t> seen_;
  std::vector<Token> out_;
  uint64_t levels_ = 0, documents_ = 0, proposals_ = 0;
};

// Scopes small enough that a few documents show everything.
std::vector<ExhaustiveBounds> TinyBounds();

// All sequences of exactly `length` uses of scopes one more than may exist: inserts, short and
// refused ones, proposals that find something, that are short and that ask for nothing. Each is run
// on a new cache of our own core through the C interface.
struct ScopeSearchOutcome {
  std::optional<Failure> failure;
  uint64_t sequences = 0;
  bool finished = true;
};
ScopeSearchOutcome SearchScopeUses(uint64_t max_scopes, uint64_t length, absl::Time deadline);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_EXHAUSTIVE_H_
