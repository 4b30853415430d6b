#include "props/harness/memory_traffic.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

constexpr size_t kRecentDocs = 64;
constexpr uint64_t kLongDocTokens = 400;
constexpr uint64_t kShortDocTokens = 50;

}  // namespace

MemoryTraffic::MemoryTraffic(uint64_t seed, const CacheConfig& config)
    : random_(seed), config_(config) {
  recent_.resize(kRecentDocs, {ScopeKey{1, 0, 0, 0}, {1, 2, 3}});
}

std::vector<Token> MemoryTraffic::FreshDoc() {
  const uint64_t most = random_.OneIn(10) ? kLongDocTokens : kShortDocTokens;
  std::vector<Token> doc(config_.key_len + 1 + random_.Below(most));
  for (Token& token : doc) token = static_cast<Token>(random_.Below(kReservedToken));
  return doc;
}

ScopeKey MemoryTraffic::AnyScope() { return {1, 0, 0, random_.Below(config_.max_scopes)}; }

ScopeKey MemoryTraffic::FreshScope() { return {2, 0, 0, ++fresh_scopes_}; }

Operation MemoryTraffic::AnyInsert() {
  const uint64_t kind = random_.Below(20);
  if (kind < 4) {
    const auto& [scope, doc] = random_.Of(recent_);
    return Insert(scope, doc);
  }
  std::vector<Token> doc = FreshDoc();
  if (kind < 6) {
    doc[random_.Below(doc.size())] = kReservedToken;
  } else if (kind < 8) {
    doc.resize(random_.Below(config_.key_len + 1));
  } else {
    auto& slot = recent_[next_recent_++ % kRecentDocs];
    slot = {AnyScope(), doc};
    return Insert(slot.first, std::move(doc));
  }
  return Insert(AnyScope(), std::move(doc));
}

Operation MemoryTraffic::AnyProposal() {
  const auto& [scope, doc] = random_.Of(recent_);
  std::vector<Token> history = doc;
  history.resize(random_.Below(history.size() + 1));
  const uint64_t max_len = random_.Below(64);
  const uint64_t kind = random_.Below(10);
  if (kind == 0) return Propose(FreshScope(), std::move(history), max_len);
  if (kind == 1) return Propose(scope, FreshDoc(), max_len);
  return Propose(scope, std::move(history), max_len);
}

std::vector<Operation> MemoryTraffic::Calls(size_t count) {
  std::vector<Operation> ops;
  while (ops.size() < count) {
    if (random_.OneIn(2)) {
      ops.push_back(AnyInsert());
      continue;
    }
    ops.push_back(AnyProposal());
    while (random_.OneIn(4)) {
      ops.push_back(AnyProposal());
      ops.back().batched = true;
    }
  }
  return ops;
}

std::vector<Operation> MemoryTraffic::Turnovers(size_t count) {
  std::vector<Operation> ops;
  for (size_t i = 0; i < count; ++i) {
    const ScopeKey scope = FreshScope();
    std::vector<Token> doc = FreshDoc();
    ops.push_back(Insert(scope, doc));
    if (random_.OneIn(2)) ops.push_back(Insert(scope, FreshDoc()));
    doc.resize(config_.key_len);
    ops.push_back(Propose(scope, std::move(doc), random_.Below(64)));
  }
  return ops;
}

}  // namespace lockstep
