#include "props/harness/interpreter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "props/harness/call_buffers.h"

namespace lockstep {
namespace {

// The token that `out` is filled with before a call: another one each time, so that nothing a
// library could write all the time goes unseen.
Token FillPattern(uint64_t call) {
  uint64_t x = (call + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<Token>(x >> 32) | 0x80000000;
}

// What `written` of a batched proposal holds beforehand: no library could mean it.
constexpr size_t kNotWritten = size_t{1} << 62;

Edge EdgeOf(uint64_t turn) { return turn % 2 == 0 ? Edge::kEndsAtGuard : Edge::kStartsAtGuard; }

}  // namespace

struct Interpreter::Buffers {
  // The arrays of one proposal of a batch.
  struct Arrays {
    explicit Arrays(bool guarded) : input(guarded), out(guarded) {}
    InputArray input;
    OutputArray out;
  };

  explicit Buffers(bool is_guarded) : guarded(is_guarded), key(is_guarded) {}

  Arrays& at(size_t i) {
    while (arrays.size() <= i) arrays.push_back(std::make_unique<Arrays>(guarded));
    return *arrays[i];
  }

  bool guarded;
  InputArray key;
  std::vector<std::unique_ptr<Arrays>> arrays;
  std::vector<lockstep_proposal> proposals;
  std::vector<lockstep_proposal> expected;
  uint64_t inserts = 0;
  uint64_t proposals_made = 0;
  size_t longest_doc = 0;
};

Interpreter::Interpreter(const InterpreterOptions& options)
    : options_(options), buffers_(std::make_unique<Buffers>(options.guard_pages)) {}

Interpreter::~Interpreter() = default;

void Interpreter::Observe(const CacheHandle& cache, const ScopeKey& key, Answer& answer) {
  answer.observed = options_.observe;
  if (!options_.observe) return;
  answer.stored_tokens = cache.StoredTokens(key);
  answer.scope_count = cache.ScopeCount();
}

Answer Interpreter::StepInsert(CacheHandle& cache, const Operation& op) {
  Buffers& b = *buffers_;
  InputArray& input = b.at(0).input;
  const uint64_t turn = b.inserts++;
  b.longest_doc = std::max(b.longest_doc, op.tokens.size());
  const ScopeKey& key = b.key.Place(op.scope);
  const Token* doc = input.Place(op.tokens.data(), op.tokens.size(), EdgeOf(turn));
  if (op.tokens.empty() && turn % 2 != 0) doc = nullptr;
  Answer answer;
  answer.status = cache.Insert(key, doc, op.tokens.size());
  if (answer.status != LOCKSTEP_OK) answer.error = cache.LastError();
  answer.changed_input = input.changed() || b.key.changed();
  Observe(cache, key, answer);
  answer.changed_input |= b.key.changed();
  return answer;
}

lockstep_proposal Interpreter::PlaceProposal(const Operation& op, size_t index) {
  Buffers& b = *buffers_;
  const uint64_t turn = b.proposals_made++;
  const size_t room = std::min<uint64_t>(op.max_len, std::max(options_.out_tokens, b.longest_doc));
  lockstep_proposal proposal = {
      .scope = {op.scope.model, op.scope.tokenizer, op.scope.adapter, op.scope.tenant},
      .history = b.at(index).input.Place(op.tokens.data(), op.tokens.size(), EdgeOf(turn)),
      .count = op.tokens.size(),
      .out = b.at(index).out.Place(room, FillPattern(turn), EdgeOf(turn)),
      .max_len = op.max_len,
      .written = kNotWritten,
  };
  // Both a null pointer and one that may not be followed are right where there is nothing.
  if (proposal.count == 0 && turn % 2 != 0) proposal.history = nullptr;
  if (proposal.max_len == 0 && turn % 2 != 0) proposal.out = nullptr;
  return proposal;
}

Answer Interpreter::ReadProposal(const Operation& op, size_t index, size_t written) {
  const Buffers::Arrays& arrays = buffers_->at(index);
  Answer answer;
  answer.written = written;
  const absl::Span<const Token> out = arrays.out.tokens();
  const size_t kept = std::min<uint64_t>({written, op.max_len, out.size()});
  answer.draft.assign(out.begin(), out.begin() + static_cast<ptrdiff_t>(kept));
  answer.touched_past_written = arrays.out.touched_past(written);
  answer.touched_past_max_len = arrays.out.touched_outside();
  answer.changed_input = arrays.input.changed();
  return answer;
}

Answer Interpreter::StepPropose(CacheHandle& cache, const Operation& op) {
  Buffers& b = *buffers_;
  const ScopeKey& key = b.key.Place(op.scope);
  const lockstep_proposal p = PlaceProposal(op, 0);
  const size_t written = cache.Propose(key, p.history, p.count, p.out, p.max_len);
  Answer answer = ReadProposal(op, 0, written);
  Observe(cache, key, answer);
  answer.changed_input |= b.key.changed();
  return answer;
}

bool Interpreter::StepBatch(CacheHandle& cache, absl::Span<const Operation> ops,
                            std::vector<Answer>& answers) {
  Buffers& b = *buffers_;
  if (!cache.has_batch()) return false;
  b.proposals.clear();
  for (size_t i = 0; i < ops.size(); ++i) b.proposals.push_back(PlaceProposal(ops[i], i));
  b.expected = b.proposals;
  cache.ProposeBatch(b.proposals.data(), b.proposals.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    lockstep_proposal& got = b.proposals[i];
    Answer answer = ReadProposal(ops[i], i, got.written);
    lockstep_proposal unchanged = b.expected[i];
    unchanged.written = got.written;
    answer.changed_input |= std::memcmp(&unchanged, &got, sizeof(got)) != 0;
    Observe(cache, b.key.Place(ops[i].scope), answer);
    answers.push_back(std::move(answer));
  }
  return true;
}

std::vector<Answer> Interpreter::Step(CacheHandle& cache, absl::Span<const Operation> ops) {
  std::vector<Answer> answers;
  Step(cache, ops, answers);
  return answers;
}

void Interpreter::Step(CacheHandle& cache, absl::Span<const Operation> ops,
                       std::vector<Answer>& answers) {
  answers.clear();
  if (ops[0].kind == Operation::Kind::kInsert) {
    answers.push_back(StepInsert(cache, ops[0]));
    return;
  }
  const size_t count = StepLength(ops);
  if (count > 1 && StepBatch(cache, ops.first(count), answers)) return;
  for (const Operation& op : ops.first(count)) answers.push_back(StepPropose(cache, op));
}

size_t Interpreter::StepLength(absl::Span<const Operation> ops) {
  if (ops.empty() || ops[0].kind == Operation::Kind::kInsert)
    return std::min<size_t>(ops.size(), 1);
  size_t count = 1;
  while (count < ops.size() && ops[count].kind == Operation::Kind::kPropose && ops[count].batched) {
    ++count;
  }
  return count;
}

const char* Interpreter::ExplainFault(const void* address) const {
  const Buffers& b = *buffers_;
  if (b.key.area().GuardsAfter(address) || b.key.area().GuardsBefore(address)) {
    return "outside the scope key";
  }
  for (const auto& arrays : b.arrays) {
    if (arrays->out.area().GuardsAfter(address)) return "past the end of `out`";
    if (arrays->out.area().GuardsBefore(address)) return "before the start of `out`";
    if (arrays->input.area().GuardsAfter(address)) return "past the end of its input";
    if (arrays->input.area().GuardsBefore(address)) return "before the start of its input";
  }
  return nullptr;
}

std::optional<Finding> RunBeside(CacheHandle& cache, Judge& judge, absl::Span<const Operation> ops,
                                 const InterpreterOptions& options) {
  Interpreter interpreter(options);
  std::vector<Answer> answers;
  for (size_t i = 0; i < ops.size();) {
    interpreter.Step(cache, ops.subspan(i), answers);
    for (const Answer& answer : answers) {
      if (std::optional<Finding> finding = judge.Check(ops[i], answer)) {
        finding->op_index = i;
        return finding;
      }
      ++i;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep
