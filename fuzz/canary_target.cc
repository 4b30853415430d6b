// A cache with a planted fault, which every night must find: from the third draft of two tokens or
// more on, a draft loses its last token once its scope's ring has wrapped.

#include <memory>
#include <utility>

#include "fuzz/target.h"
#include "props/harness/exact_judge.h"
#include "props/harness/interpreter.h"
#include "props/harness/run_input.h"

namespace lockstep {
namespace {

class FaultyCache : public CacheHandle {
 public:
  FaultyCache(std::unique_ptr<CacheHandle> cache, uint64_t ring_tokens)
      : cache_(std::move(cache)), ring_tokens_(ring_tokens) {}

  lockstep_status Insert(const ScopeKey& scope, const Token* doc, size_t count) override {
    return cache_->Insert(scope, doc, count);
  }
  size_t Propose(const ScopeKey& scope, const Token* history, size_t count, Token* out,
                 size_t max_len) override {
    std::vector<Token> draft(std::min<size_t>(max_len, ring_tokens_));
    size_t written = cache_->Propose(scope, history, count, draft.data(), draft.size());
    drafts_ += written >= 2;
    const bool wrapped = cache_->StoredTokens(scope) > ring_tokens_;
    if (written >= 2 && drafts_ >= 3 && wrapped) --written;
    std::copy(draft.begin(), draft.begin() + static_cast<ptrdiff_t>(written), out);
    return written;
  }
  bool has_batch() const override { return false; }
  void ProposeBatch(lockstep_proposal*, size_t) override {}
  uint64_t StoredTokens(const ScopeKey& scope) const override {
    return cache_->StoredTokens(scope);
  }
  uint64_t ScopeCount() const override { return cache_->ScopeCount(); }
  std::string LastError() const override { return cache_->LastError(); }

 private:
  std::unique_ptr<CacheHandle> cache_;
  uint64_t ring_tokens_;
  uint64_t drafts_ = 0;
};

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: an entry point of a few lines
  const DecodedInput input = Decode({data, size});
  if (!input.tiny) return 0;
  FaultyCache cache(MakeTinyCache(input.options), input.options.ring_tokens);
  ExactJudge judge(input.options);
  fuzz::Report(RunBeside(cache, judge, input.sequence.ops, {.out_tokens = 16}));
  return 0;
}
