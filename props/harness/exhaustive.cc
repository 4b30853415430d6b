#include "props/harness/exhaustive.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/exact_judge.h"
#include "props/harness/interpreter.h"
#include "props/harness/tiny_operations.h"

namespace lockstep {
namespace {

constexpr ScopeKey kScope = {.model = 1, .tokenizer = 2, .adapter = 3, .tenant = 4};

// All words of `len` letters, appended to `words`.
void AddWords(uint64_t len, Token alphabet, std::vector<std::vector<Token>>& words) {
  std::vector<Token> word(len, 0);
  while (true) {
    words.push_back(word);
    size_t i = len;
    while (i > 0 && word[i - 1] + 1 == alphabet) word[--i] = 0;
    if (i == 0) return;
    ++word[i - 1];
  }
}

void Mix(uint64_t& state, uint64_t value) {
  state = (state ^ value) * 0x9e3779b97f4a7c15;
  state ^= state >> 29;
}

}  // namespace

ExhaustiveSearch::ExhaustiveSearch(const ExhaustiveBounds& bounds, CacheMaker make)
    : bounds_(bounds), make_(std::move(make)), out_(bounds.options.ring_tokens + 1) {
  const ModelOptions& options = bounds_.options;
  std::vector<std::vector<Token>> words;
  for (uint64_t len = options.key_len + 1; len <= bounds_.longest_doc; ++len) {
    AddWords(len, bounds_.alphabet, words);
  }
  for (std::vector<Token>& word : words) inserts_.push_back(Insert(kScope, std::move(word)));
  words.clear();
  AddWords(options.key_len, bounds_.alphabet, words);
  for (const std::vector<Token>& word : words) {
    for (const uint64_t max_len : {uint64_t{1}, options.ring_tokens}) {
      asks_.push_back(Propose(kScope, word, max_len));
    }
    // The first token overwritten by a mark; no such history matches.
    std::vector<Token> marked = word;
    marked[0] = kReservedToken;
    asks_.push_back(Propose(kScope, std::move(marked), options.ring_tokens));
  }
  frontier_.push_back({});
}

std::optional<Sequence> ExhaustiveSearch::Deepen(absl::Time deadline) {
  if (level_finished() && levels_ > 0) {
    frontier_ = std::exchange(next_frontier_, {});
    next_path_ = 0;
  }
  while (next_path_ < frontier_.size()) {
    if (next_path_ % 16 == 0 && absl::Now() >= deadline) return std::nullopt;
    if (auto failing = Extend(frontier_[next_path_])) return failing;
    ++next_path_;
  }
  ++levels_;
  return std::nullopt;
}

// Adds each document to the path. The core cannot be copied, so it goes the whole way each time.
std::optional<Sequence> ExhaustiveSearch::Extend(const Path& path) {
  ExactModel before(bounds_.options);
  for (const uint16_t document : path) before.Apply(inserts_[document]);
  for (size_t document = 0; document < inserts_.size(); ++document) {
    Path longer = path;
    longer.push_back(static_cast<uint16_t>(document));
    ExactModel model = before;
    model.Apply(inserts_[document]);
    const std::unique_ptr<CacheHandle> cache = make_(bounds_.options);
    for (const uint16_t i : longer) {
      cache->Insert(kScope, inserts_[i].tokens.data(), inserts_[i].tokens.size());
    }
    ++documents_;
    const bool is_new = seen_.insert(StateOf(model)).second;
    if (auto failing = CompareAll(*cache, model, longer)) return failing;
    if (is_new) next_frontier_.push_back(std::move(longer));
  }
  return std::nullopt;
}

std::optional<Sequence> ExhaustiveSearch::CompareAll(CacheHandle& cache, ExactModel& model,
                                                     const Path& path) {
  if (cache.StoredTokens(kScope) != model.stored_tokens(kScope)) return SequenceOf(path);
  for (const Operation& ask : asks_) {
    const Answer expected = model.Apply(ask);
    const size_t written =
        cache.Propose(kScope, ask.tokens.data(), ask.tokens.size(), out_.data(), ask.max_len);
    ++proposals_;
    if (written != expected.written ||
        !std::equal(expected.draft.begin(), expected.draft.end(), out_.begin())) {
      Sequence failing = SequenceOf(path);
      failing.ops.push_back(ask);
      return failing;
    }
  }
  return std::nullopt;
}

uint64_t ExhaustiveSearch::StateOf(const ExactModel& model) const {
  const ExactModel::Scope& scope = *model.scope(kScope);
  const uint64_t ring = bounds_.options.ring_tokens;
  uint64_t state = 1;
  Mix(state, scope.head % ring);
  Mix(state, std::min(scope.head - bounds_.options.first_position, 2 * ring));
  for (uint64_t age = 1; age <= ring; ++age) {
    Mix(state, scope.ring[(scope.head + ring - age) % ring]);
  }
  // Positions two rings back are as good as none; younger dead ones are told apart, as a faulty
  // core might believe them.
  for (const uint64_t position : scope.slots) {
    Mix(state, position == 0 ? 0 : std::min(scope.head - position, 2 * ring));
  }
  return state;
}

Sequence ExhaustiveSearch::SequenceOf(const Path& path) const {
  Sequence sequence{
      .name = absl::StrCat("exhaustive search, ", DescribeOptions(bounds_.options)),
      .config = {.budget_bytes = 6144, .max_scopes = 1, .key_len = bounds_.options.key_len},
      .ops = {},
      .tiny = bounds_.options};
  for (const uint16_t document : path) sequence.ops.push_back(inserts_[document]);
  return sequence;
}

std::vector<ExhaustiveBounds> TinyBounds() {
  struct Row {
    uint64_t ring, slots, key_len, longest;
    uint32_t duplicate_limit;
    Token alphabet;
  };
  constexpr Row kRows[] = {
      {4, 2, 1, 5, 2, 3}, {3, 1, 1, 4, 2, 3}, {5, 4, 2, 6, 2, 2},  {6, 2, 1, 5, 3, 2},
      {5, 8, 1, 4, 2, 3}, {7, 4, 2, 7, 3, 2}, {8, 16, 3, 7, 2, 2}, {9, 8, 1, 6, 4, 2},
  };
  std::vector<ExhaustiveBounds> bounds;
  for (const Row& row : kRows) {
    bounds.push_back({.options = {.slots = row.slots,
                                  .ring_tokens = row.ring,
                                  .key_len = row.key_len,
                                  .max_scopes = 1,
                                  .duplicate_limit = row.duplicate_limit},
                      .alphabet = row.alphabet,
                      .longest_doc = row.longest});
  }
  return bounds;
}

namespace {

// What can be done with a scope: its own document, so that a wrong scope shows.
std::vector<Operation> UsesOf(uint64_t number) {
  const ScopeKey scope{.tenant = number};
  const Token own = static_cast<Token>(10 + number);
  return {Insert(scope, {1, own}), Propose(scope, {1}, 1),
          Insert(scope, {1}),      Insert(scope, {1, kReservedToken}),
          Propose(scope, {}, 1),   Propose(scope, {1}, 0)};
}

std::optional<Finding> RunOwnCore(const Sequence& sequence) {
  const absl::StatusOr<ModelOptions> options = ModelOptions::FromConfig(sequence.config);
  if (!options.ok()) return std::nullopt;
  const CreateResult created = CreateCache(OwnCore(), sequence.config);
  if (created.cache == nullptr) return std::nullopt;
  ExactJudge judge(*options);
  return RunBeside(*created.cache, judge, sequence.ops);
}

}  // namespace

ScopeSearchOutcome SearchScopeUses(uint64_t max_scopes, uint64_t length, absl::Time deadline) {
  ScopeSearchOutcome outcome;
  std::vector<Operation> uses;
  for (uint64_t i = 0; i <= max_scopes; ++i) {
    for (Operation& use : UsesOf(i)) uses.push_back(std::move(use));
  }
  Sequence sequence{
      .name = absl::StrCat("every ", length, " uses of ", max_scopes + 1, " scopes"),
      .config = {.budget_bytes = 6144 * max_scopes, .max_scopes = max_scopes, .key_len = 1},
      .ops = {}};
  std::vector<size_t> word(length, 0);  // counts through all of them
  for (bool done = false; !done;) {
    if (outcome.sequences % 64 == 0 && absl::Now() >= deadline) {
      outcome.finished = false;
      break;
    }
    ++outcome.sequences;
    sequence.ops.clear();
    for (const size_t use : word) sequence.ops.push_back(uses[use]);
    size_t i = length;
    while (i > 0 && word[i - 1] + 1 == uses.size()) word[--i] = 0;
    if (i > 0) ++word[i - 1];
    done = i == 0;
    std::optional<Finding> finding = RunOwnCore(sequence);
    if (!finding) continue;
    sequence.ops.resize(finding->op_index + 1);
    outcome.failure = Failure{.finding = *std::move(finding),
                              .found_by = sequence.name,
                              .sequence = sequence,
                              .reproduce = RunOwnCore};
    break;
  }
  return outcome;
}

}  // namespace lockstep
