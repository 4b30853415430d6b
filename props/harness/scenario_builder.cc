#include "props/harness/scenario_builder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <utility>

namespace lockstep {
namespace {

ModelOptions OptionsOf(const CacheConfig& config) {
  absl::StatusOr<ModelOptions> options = ModelOptions::FromConfig(config);
  assert(options.ok());
  return *options;
}

}  // namespace

uint64_t ScenarioKeyHash(absl::Span<const Token> key) {
  uint64_t h = 0xcbf29ce484222325;
  for (const Token token : key) h = std::rotl((h ^ token) * 0x00000100000001b3, 29);
  return h;
}

uint64_t ScenarioSlot(absl::Span<const Token> key, int slot_bits) {
  const uint64_t spread = ScenarioKeyHash(key) * 0x9e3779b97f4a7c15;
  return slot_bits == 0 ? 0 : spread >> (64 - slot_bits);
}

CacheConfig ConfigFor(uint64_t per_scope_bytes, uint64_t max_scopes, uint64_t key_len) {
  return {
      .budget_bytes = per_scope_bytes * max_scopes, .max_scopes = max_scopes, .key_len = key_len};
}

ScopeKey ScopeNumber(uint64_t n) {
  return {.model = 7, .tokenizer = 3, .adapter = 0, .tenant = 1 + n};
}

ScenarioBuilder::ScenarioBuilder(std::string name, const CacheConfig& config, uint64_t seed)
    : sequence_{.name = std::move(name), .config = config, .ops = {}},
      model_(OptionsOf(config)),
      random_(seed),
      fresh_(static_cast<uint32_t>(random_.Next())),
      fill_token_(FreshToken()),
      fill_end_(FreshToken()) {}

const Answer& ScenarioBuilder::Apply(Operation op) {
  const uint64_t before = model_.scope(op.scope) == nullptr ? 1 : Head(op.scope);
  answer_ = model_.Apply(op);
  if (op.kind == Operation::Kind::kInsert && answer_.status == LOCKSTEP_OK) {
    std::vector<Token>& written = written_[op.scope];
    // A scope that was dropped and made again starts over.
    if (before == 1) written.clear();
    const uint64_t head = Head(op.scope);
    for (uint64_t p = before; p < head; ++p) {
      // Where one document wrote more than a ring its first cells are lost; no probe needs them.
      const bool lost = head - p > ring_tokens();
      written.push_back(lost ? kReservedToken : model_.scope(op.scope)->ring[p % ring_tokens()]);
    }
  }
  sequence_.ops.push_back(std::move(op));
  return answer_;
}

const Answer& ScenarioBuilder::Insert(const ScopeKey& scope, std::vector<Token> doc) {
  return Apply(lockstep::Insert(scope, std::move(doc)));
}

const Answer& ScenarioBuilder::Propose(const ScopeKey& scope, std::vector<Token> history,
                                       uint64_t max_len) {
  return Apply(lockstep::Propose(scope, std::move(history), max_len));
}

const Answer& ScenarioBuilder::ProposeBatched(const ScopeKey& scope, std::vector<Token> history,
                                              uint64_t max_len) {
  Operation op = lockstep::Propose(scope, std::move(history), max_len);
  op.batched = !sequence_.ops.empty() && sequence_.ops.back().kind == Operation::Kind::kPropose;
  return Apply(std::move(op));
}

int ScenarioBuilder::slot_bits() const { return std::countr_zero(slots()); }

Token ScenarioBuilder::FreshToken() {
  Token token = kReservedToken;
  while (token == kReservedToken) token = ++fresh_ * 0x9e3779b1;
  return token;
}

std::vector<Token> ScenarioBuilder::FreshDoc(uint64_t len) {
  std::vector<Token> doc(len);
  for (Token& token : doc) token = FreshToken();
  return doc;
}

std::vector<Token> ScenarioBuilder::RandomDoc(uint64_t len, uint64_t vocabulary) {
  std::vector<Token> doc(len);
  for (Token& token : doc) token = static_cast<Token>(random_.Below(vocabulary));
  return doc;
}

std::set<uint64_t> ScenarioBuilder::SlotsOf(absl::Span<const Token> doc) const {
  std::set<uint64_t> used;
  for (size_t e = key_len(); e <= doc.size(); ++e) {
    used.insert(ScenarioSlot(doc.subspan(e - key_len(), key_len()), slot_bits()));
  }
  return used;
}

std::vector<Token> ScenarioBuilder::SpreadDoc(uint64_t len, absl::Span<const Token> end) {
  // Across a long seam there are too many keys to find slots for.
  const int attempts = key_len() <= 16 ? 40 : 1;
  const std::vector<Token> filler(key_len(), fill_token_);
  std::set<uint64_t> used = SlotsOf(end);
  used.insert(ScenarioSlot(filler, slot_bits()));
  std::vector<Token> doc;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    doc.clear();
    std::set<uint64_t> taken = used;
    while (doc.size() < len) {
      doc.push_back(FreshToken());
      if (doc.size() < key_len()) continue;
      const auto key = absl::MakeConstSpan(doc).last(key_len());
      for (int i = 0; i < 40; ++i) {
        if (taken.insert(ScenarioSlot(key, slot_bits())).second) break;
        doc.back() = FreshToken();
      }
    }
    std::vector<Token> seam(doc.end() - static_cast<ptrdiff_t>(std::min(len, key_len() - 1)),
                            doc.end());
    const uint64_t from_end = std::min<uint64_t>(end.size(), key_len() - 1);
    seam.insert(seam.end(), end.begin(), end.begin() + static_cast<ptrdiff_t>(from_end));
    const std::set<uint64_t> across = SlotsOf(seam);
    const bool meets = std::any_of(across.begin(), across.end(),
                                   [&](uint64_t slot) { return used.contains(slot); });
    if (!meets) break;
  }
  doc.insert(doc.end(), end.begin(), end.end());
  return doc;
}

uint64_t ScenarioBuilder::Head(const ScopeKey& scope) const {
  const ExactModel::Scope* found = model_.scope(scope);
  return found == nullptr ? 1 : found->head;
}

uint64_t ScenarioBuilder::Oldest(const ScopeKey& scope) const {
  const uint64_t head = Head(scope);
  return head > ring_tokens() ? head - ring_tokens() : 1;
}

std::vector<Token> ScenarioBuilder::Written(const ScopeKey& scope, uint64_t begin,
                                            uint64_t end) const {
  const auto it = written_.find(scope);
  if (it == written_.end() || begin < 1 || end - 1 > it->second.size()) return {};
  return {it->second.begin() + static_cast<ptrdiff_t>(begin - 1),
          it->second.begin() + static_cast<ptrdiff_t>(end - 1)};
}

void ScenarioBuilder::Probe(const ScopeKey& scope, uint64_t position, uint64_t max_len) {
  if (position <= key_len()) return;
  Propose(scope, Written(scope, position - key_len(), position), max_len);
}

void ScenarioBuilder::ProbeEdges(const ScopeKey& scope) {
  const uint64_t least = Oldest(scope) + key_len();
  const uint64_t head = Head(scope);
  for (const uint64_t p : {least - 2, least - 1, least, least + 1, head - 2, head - 1, head}) {
    if (p > key_len() && p <= head) Probe(scope, p);
  }
}

void ScenarioBuilder::ProbeAnywhere(const ScopeKey& scope, uint64_t count) {
  const uint64_t head = Head(scope);
  if (head <= key_len() + 1) return;
  for (uint64_t i = 0; i < count; ++i) {
    Probe(scope, random_.Between(key_len() + 1, head), random_.Between(1, 12));
  }
}

void ScenarioBuilder::ProbeSweep(const ScopeKey& scope, uint64_t step) {
  const uint64_t head = Head(scope);
  for (uint64_t p = Oldest(scope) + key_len(); p < head; p += step) Probe(scope, p, 3);
}

void ScenarioBuilder::Fill(const ScopeKey& scope, uint64_t cells) {
  const uint64_t least = key_len() + 3;
  const uint64_t most = std::max(least, std::min(key_len() + 33, ring_tokens()));
  uint64_t documents = (cells + most - 1) / most;
  if (documents * least > cells) --documents;  // A gap between sizes that can be made: fall short.
  cells = std::min(cells, documents * most);
  for (; documents > 0; --documents) {
    const uint64_t share = cells / documents;
    // The key, some tokens more, the end: all predicted by the same key, the first and the last of
    // them wrongly. The mark is the last cell.
    std::vector<Token> doc(share - 2, fill_token_);
    doc.push_back(fill_end_);
    Insert(scope, std::move(doc));
    cells -= share;
  }
}

std::vector<Token> ScenarioBuilder::SparseDoc(std::vector<Token> begin, uint64_t len) {
  const uint64_t period = key_len() + 9;
  for (uint64_t i = 0; begin.size() < len; ++i) {
    begin.push_back(i % period == period - 1 ? fill_end_ : fill_token_);
  }
  return begin;
}

}  // namespace lockstep
