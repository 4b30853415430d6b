// Writes until positions pass a given one, cheaply: what costs time is a hashed key, so the way
// there is paved with documents of one long key and one token.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/scenario_builder.h"
#include "props/harness/scenarios.h"

namespace lockstep {
namespace {

using Doc = std::vector<Token>;

// This many tokens of documents are made at a time.
constexpr uint64_t kPieceTokens = uint64_t{1} << 18;

class Deep : public OperationSource {
 public:
  Deep(uint64_t seed, uint64_t position)
      : name_(absl::StrCat("positions past ", position, ", seed ", seed)),
        random_(seed),
        target_(position) {
    // Rings of any size but a power of two. Below 2^17 ordinary keys do; far positions need keys
    // that write many cells each.
    const bool near = position <= (uint64_t{1} << 17);
    config_ = near ? ConfigFor(6144 + random_.Between(1, 400), 1, random_.Between(1, 4))
                   : ConfigFor(45'000 + random_.Below(5000), 1, 2500 + random_.Below(500));
    ring_tokens_ = ModelOptions::FromConfig(config_)->ring_tokens;
    key_ = FreshDoc(config_.key_len);
  }

  const std::string& name() const override { return name_; }
  const CacheConfig& config() const override { return config_; }

  bool Next(std::vector<Operation>& ops) override {
    if (head_ > target_ + 3 * ring_tokens_) return false;
    // Ordinary documents at the start, just before the position and after it, and now and then.
    const bool look = head_ < ring_tokens_ || head_ + 2 * ring_tokens_ > target_;
    if (look || pieces_++ % 8 == 0) {
      for (int i = 0; i < 6; ++i) Ordinary(ops);
    }
    const uint64_t wish = look ? head_ + ring_tokens_ / 3 : head_ + kPieceTokens;
    const uint64_t end = head_ + 2 * ring_tokens_ > target_
                             ? wish
                             : std::min(wish, target_ - 2 * ring_tokens_ + config_.key_len + 3);
    while (head_ < end) Pave(ops);
    return true;
  }

 private:
  Token FreshToken() {
    Token token = kReservedToken;
    while (token == kReservedToken) token = static_cast<Token>(random_.Next());
    return token;
  }

  Doc FreshDoc(uint64_t len) {
    Doc doc(len);
    for (Token& token : doc) token = FreshToken();
    return doc;
  }

  void Pave(std::vector<Operation>& ops) {
    if (config_.key_len < 100) {
      Doc doc = FreshDoc(ring_tokens_ / 2 + random_.Below(ring_tokens_ / 2));
      ops.push_back(Insert(kScope, doc));
      doc.resize(doc.size() - 1);
      ops.push_back(Propose(kScope, doc, 2));
      head_ += doc.size() + 2;
      return;
    }
    // The key and a token other than the one it predicts: all of it is written, and a mark.
    Doc doc = key_;
    doc.push_back(flip_ ? 1 : 2);
    flip_ = !flip_;
    head_ += doc.size() + 1;
    ops.push_back(Insert(kScope, std::move(doc)));
    if (++count_ % 16 == 0) ops.push_back(Propose(kScope, key_, 2));
  }

  // A new document, found from several places; then the one before, of which the oldest position
  // may just have gone.
  void Ordinary(std::vector<Operation>& ops) {
    const uint64_t k = config_.key_len;
    Doc doc = FreshDoc(k + random_.Between(2, k > 100 ? 12 : 200));
    head_ += doc.size() + 1;
    ops.push_back(Insert(kScope, doc));
    earlier_.push_back(doc);
    if (earlier_.size() > 12) earlier_.erase(earlier_.begin());
    for (const Doc& from : earlier_) {
      const uint64_t end = &from == &earlier_.back() ? k : random_.Between(k, from.size());
      ops.push_back(Propose(kScope,
                            {from.begin() + static_cast<ptrdiff_t>(end - k),
                             from.begin() + static_cast<ptrdiff_t>(end)},
                            8));
    }
    // Again, so that its tokens are predicted.
    ops.push_back(Insert(kScope, std::move(doc)));
  }

  static constexpr ScopeKey kScope = {.model = 1, .tokenizer = 2, .adapter = 3, .tenant = 4};

  std::string name_;
  Random random_;
  uint64_t target_;
  CacheConfig config_;
  uint64_t ring_tokens_ = 0;
  Doc key_;
  uint64_t head_ = 1;  // at least: a document sent again may write once more where slots collide
  uint64_t pieces_ = 0;
  uint64_t count_ = 0;
  bool flip_ = false;
  std::vector<Doc> earlier_;
};

}  // namespace

std::unique_ptr<OperationSource> DeepSource(uint64_t seed, uint64_t position) {
  return std::make_unique<Deep>(seed, position);
}

}  // namespace lockstep
