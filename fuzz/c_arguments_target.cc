// The C interface with hostile arguments: any configuration, several caches at once, null arrays,
// counts of 0, proposals longer than everything, errors in between.

#include <array>
#include <cstring>
#include <vector>

#include "fuzz/target.h"
#include "props/harness/codec_format.h"

namespace lockstep {
namespace {

// A number that limits are made of, or any.
uint64_t ReadNumber(codec::ByteReader& in) {
  const uint8_t byte = in.Byte();
  if (byte >= 192) return in.Bytes(8);
  const int bit = byte % 64;
  return byte < 64 ? uint64_t{byte} : (uint64_t{1} << bit) + (byte < 128 ? 0 : UINT64_MAX);
}

class Session {
 public:
  explicit Session(const CInterface& functions) : c_(functions) {}
  ~Session() {
    for (lockstep_cache* cache : caches_) c_.destroy(cache);
    c_.destroy(nullptr);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void Step(codec::ByteReader& in) {
    const uint8_t opcode = in.Byte();
    lockstep_cache*& cache = caches_[in.Byte() % caches_.size()];
    if (cache == nullptr || opcode % 8 == 0) return Create(cache, in);
    const lockstep_scope_key key = {in.Byte() % uint64_t{3}, 1, 0, in.Byte() % uint64_t{3}};
    opcode % 2 == 0 ? Insert(cache, key, in) : Propose(cache, key, in);
  }

 private:
  void Create(lockstep_cache*& cache, codec::ByteReader& in) {
    lockstep_config config = {ReadNumber(in), ReadNumber(in), ReadNumber(in)};
    // A scope is small, or larger than any memory: what lies between would only be slow.
    constexpr uint64_t kSmall = uint64_t{1} << 22, kImpossible = uint64_t{1} << 48;
    if (config.max_scopes != 0) {
      const uint64_t share = config.budget_bytes / config.max_scopes;
      if (share > kSmall && share < kImpossible) config.budget_bytes = kSmall;
    }
    c_.destroy(cache);
    cache = reinterpret_cast<lockstep_cache*>(this);  // must be overwritten
    const lockstep_status status = c_.create(&config, &cache);
    fuzz::Require((status == LOCKSTEP_OK) == (cache != nullptr), "c: status and pointer differ");
    if (status == LOCKSTEP_OK) return;
    fuzz::Require(status == LOCKSTEP_INVALID_ARGUMENT || status == LOCKSTEP_RESOURCE_EXHAUSTED,
                  "c: create answers another status");
    fuzz::Require(std::strlen(c_.last_error()) > 0, "c: an error without words");
  }

  std::vector<Token> ReadTokens(codec::ByteReader& in) {
    std::vector<Token> tokens(in.Byte() % 100);
    const uint8_t vocabulary = in.Byte();
    for (Token& token : tokens) {
      token = vocabulary == 255 ? static_cast<Token>(in.Bytes(4)) : in.Byte() % (vocabulary + 1);
    }
    return tokens;
  }

  void Insert(lockstep_cache* cache, const lockstep_scope_key& key, codec::ByteReader& in) {
    const std::vector<Token> doc = ReadTokens(in);
    const uint64_t stored = c_.stored_tokens(cache, &key);
    const size_t scopes = c_.scope_count(cache);
    const lockstep_status status =
        c_.insert(cache, &key, doc.empty() ? nullptr : doc.data(), doc.size());
    if (status == LOCKSTEP_OK) return;
    fuzz::Require(stored == c_.stored_tokens(cache, &key), "c: a failed insert stored tokens");
    fuzz::Require(scopes == c_.scope_count(cache), "c: a failed insert changed the scopes");
    fuzz::Require(std::strlen(c_.last_error()) > 0, "c: an error without words");
  }

  void Propose(lockstep_cache* cache, const lockstep_scope_key& key, codec::ByteReader& in) {
    const std::vector<Token> history = ReadTokens(in);
    // No document is longer than 99 tokens, so that room for those is room enough.
    const uint64_t max_len = ReadNumber(in);
    std::vector<Token> out(std::min<uint64_t>(max_len, 99) + 1, 77);
    const size_t scopes = c_.scope_count(cache);
    const size_t written = c_.propose(cache, &key, history.empty() ? nullptr : history.data(),
                                      history.size(), max_len == 0 ? nullptr : out.data(), max_len);
    fuzz::Require(written < out.size(), "c: more than max_len");
    for (size_t i = written; i < out.size(); ++i) {
      fuzz::Require(out[i] == 77, "c: written past the count");
    }
    fuzz::Require(scopes == c_.scope_count(cache), "c: a proposal changed the scopes");
  }

  const CInterface& c_;
  std::array<lockstep_cache*, 3> caches_ = {};
};

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::codec::ByteReader in({data, size});
  lockstep::Session session(lockstep::fuzz::TargetImplementation());
  for (int i = 0; i < 200 && !in.AtEnd(); ++i) session.Step(in);
  return 0;
}
