#include "props/harness/containment/disturbance.h"

#include <algorithm>
#include <cstdlib>

namespace lockstep {
namespace {

constexpr size_t kBlocks = 64;
constexpr size_t kMostBlockBytes = 20'000;
// The other cache lives this long, so that its memory and address are used again.
constexpr uint64_t kOtherCacheUses = 97;

}  // namespace

Disturbance::Disturbance(const Surroundings& surroundings, const CInterface& functions)
    : unrelated_work_(surroundings.unrelated_work),
      heap_noise_(surroundings.heap_noise_seed != 0),
      random_(surroundings.heap_noise_seed | 1),
      functions_(functions) {
  if (heap_noise_) {
    blocks_.resize(kBlocks, nullptr);
    for (size_t i = 0; i < 4 * kBlocks; ++i) MoveHeapAbout();
  }
}

Disturbance::~Disturbance() {
  for (void* const block : blocks_) std::free(block);
}

uint64_t Disturbance::Random() {
  random_ = random_ * 6364136223846793005 + 1442695040888963407;
  return random_ >> 33;
}

void Disturbance::MoveHeapAbout() {
  void*& block = blocks_[Random() % kBlocks];
  std::free(block);
  block = std::malloc(1 + Random() % (Random() % 4 == 0 ? kMostBlockBytes : 256));
}

void Disturbance::Before(absl::Span<const Operation> step, const CacheConfig& config) {
  if (heap_noise_) {
    MoveHeapAbout();
    MoveHeapAbout();
  }
  if (!unrelated_work_) return;
  for (const Operation& op : step) UseOtherCache(op, config);
}

void Disturbance::UseOtherCache(const Operation& op, const CacheConfig& config) {
  if (other_uses_++ % kOtherCacheUses == 0) other_.reset();
  if (other_ == nullptr) other_ = CreateCache(functions_, config).cache;
  if (other_ == nullptr) return;
  // The same keys under the same scopes, with other tokens following them here and there: whatever
  // the two caches share shows in the answers of the first.
  tokens_ = op.tokens;
  for (size_t i = tokens_.size() % 5; i < tokens_.size(); i += 5) tokens_[i] ^= 1;
  std::replace(tokens_.begin(), tokens_.end(), kReservedToken, Token{7});
  other_->Insert(op.scope, tokens_.data(), tokens_.size());
  out_.resize(std::max<size_t>(tokens_.size(), 64));
  other_->Propose(op.scope, op.tokens.data(), op.tokens.size(), out_.data(),
                  std::min<uint64_t>(op.max_len + 1, out_.size()));
}

}  // namespace lockstep
