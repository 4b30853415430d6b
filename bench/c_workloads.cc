#include "bench/c_workloads.h"

#include <algorithm>
#include <cstring>

#include "bench/workload.h"

namespace lockstep {
namespace {

constexpr size_t kKeyLen = 8;
constexpr size_t kDocLen = 512;
constexpr size_t kDraftLen = 8;
constexpr lockstep_scope_key kScope = {1, 2, 3, 4};

// A small cache stays in the second level of the processor's own, one of `cache` in the last level,
// and one of `memory` in neither.
struct Size {
  const char* name;
  uint64_t budget_bytes;
  size_t hash_keys;
};
constexpr Size kSizes[] = {
    {"small", 256 << 10, 4 << 10}, {"cache", 6 << 20, 128 << 10}, {"memory", 96 << 20, 2 << 20}};

// Documents that fill about two thirds of the ring: all of them stay stored.
size_t StoredDocs(const Size& size) {
  return std::max<size_t>(2, size.budget_bytes / 24 / kDocLen);
}

void Fold(uint64_t value, uint64_t& digest) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15;
  digest ^= digest >> 29;
}

bool MakeCache(WorkloadSide& side, uint64_t budget_bytes, uint64_t max_scopes) {
  const lockstep_config config = {budget_bytes, max_scopes, kKeyLen};
  return side.library->create(&config, &side.cache) == LOCKSTEP_OK;
}

void Insert(WorkloadSide& side, const lockstep_scope_key& scope, const uint32_t* tokens,
            size_t count) {
  Fold(side.library->insert(side.cache, &scope, tokens, count), side.digest);
}

void Propose(WorkloadSide& side, const lockstep_scope_key& scope, const uint32_t* tokens,
             size_t count) {
  uint32_t draft[kDraftLen];
  const size_t written = side.library->propose(side.cache, &scope, tokens, count, draft, kDraftLen);
  uint64_t seen = written;
  for (size_t i = 0; i < written; ++i) seen = seen * 31 + draft[i];
  Fold(seen, side.digest);
}

class KeyHash final : public CWorkload {
 public:
  KeyHash(const Size& size, uint64_t seed) {
    Random random(seed);
    tokens_ = FreshDocument(random, size.hash_keys + kKeyLen - 1);
  }
  bool Supports(const CLibrary& library) const override { return library.hash_keys != nullptr; }
  bool SetUp(WorkloadSide& side) const override {
    side.hashes.Resize(2 * Keys());
    return true;
  }
  void Prepare(uint64_t batch, size_t ops) override {
    begin_ = batch * ops % Blocks();
    ops_ = ops;
  }
  void Run(WorkloadSide& side) const override {
    for (size_t op = 0; op < ops_; ++op) {
      const size_t at = (begin_ + op) % Blocks() * kDocLen;
      uint64_t* out = side.hashes.data() + 2 * at;
      side.library->hash_keys(tokens_.data() + at, kDocLen, kKeyLen, 20, out, out + kDocLen);
      // The slots are as the specification says; what else is kept of a hash is the library's own.
      Fold(out[op % kDocLen], side.digest);
    }
  }

 private:
  size_t Keys() const { return tokens_.size() - kKeyLen + 1; }
  size_t Blocks() const { return Keys() / kDocLen; }
  std::vector<uint32_t> tokens_;
  size_t begin_ = 0;
  size_t ops_ = 0;
};

// What the workloads on one scope share: documents that are stored when measuring starts, and the
// tokens of the batch at hand, in pieces of equal length.
class OneScope : public CWorkload {
 public:
  OneScope(const Size& size, uint64_t seed) : size_(size), seed_(seed) {
    Random random(seed);
    stored_ = FreshDocument(random, StoredDocs(size) * kDocLen);
  }
  bool SetUp(WorkloadSide& side) const override {
    if (!MakeCache(side, size_.budget_bytes, 1)) return false;
    for (size_t at = 0; at < stored_.size(); at += kDocLen) {
      Insert(side, kScope, stored_.data() + at, kDocLen);
    }
    return true;
  }
  void Prepare(uint64_t batch, size_t ops) override {
    Random random(seed_ ^ (batch + 1) * 0xd1342543de82ef95);
    batch_.resize(ops * kDocLen);
    for (size_t op = 0; op < ops; ++op) MakeInput(random, batch_.data() + op * kDocLen);
  }

 protected:
  virtual void MakeInput(Random& random, uint32_t* input) const = 0;
  const uint32_t* AnyStored(Random& random) const {
    return stored_.data() + random.Below(static_cast<uint32_t>(stored_.size() / kDocLen)) * kDocLen;
  }
  const std::vector<uint32_t>& batch() const { return batch_; }

 private:
  Size size_;
  uint64_t seed_;
  std::vector<uint32_t> stored_;
  std::vector<uint32_t> batch_;
};

class Inserts : public OneScope {
 public:
  using OneScope::OneScope;
  void Run(WorkloadSide& side) const override {
    for (size_t at = 0; at < batch().size(); at += kDocLen) {
      Insert(side, kScope, batch().data() + at, kDocLen);
    }
    Fold(side.library->stored_tokens(side.cache, &kScope), side.digest);
  }
};

class InsertFresh final : public Inserts {
  using Inserts::Inserts;
  void MakeInput(Random& random, uint32_t* input) const override {
    for (size_t i = 0; i < kDocLen; ++i) input[i] = random.Below(kVocabulary);
  }
};

class Resent final : public Inserts {
  using Inserts::Inserts;
  void MakeInput(Random& random, uint32_t* input) const override {
    std::memcpy(input, AnyStored(random), kDocLen * sizeof(uint32_t));
  }
};

class NearDuplicate final : public Inserts {
  using Inserts::Inserts;
  static constexpr size_t kTokensPerEdit = 64;
  void MakeInput(Random& random, uint32_t* input) const override {
    std::memcpy(input, AnyStored(random), kDocLen * sizeof(uint32_t));
    for (size_t i = 0; i < kDocLen; i += kTokensPerEdit) {
      input[i + random.Below(kTokensPerEdit)] = random.Below(kVocabulary);
    }
  }
};

class Proposals : public OneScope {
 public:
  using OneScope::OneScope;
  static constexpr size_t kPerInput = 16;  // proposals for each input, at different lengths
  void Run(WorkloadSide& side) const override {
    for (size_t at = 0; at < batch().size(); at += kDocLen) {
      for (size_t i = 1; i <= kPerInput; ++i) {
        Propose(side, kScope, batch().data() + at, i * (kDocLen / kPerInput) - 1);
      }
    }
  }
};

class ProposeHit final : public Proposals {
  using Proposals::Proposals;
  void MakeInput(Random& random, uint32_t* input) const override {
    std::memcpy(input, AnyStored(random), kDocLen * sizeof(uint32_t));
  }
};

class ProposeMiss final : public Proposals {
  using Proposals::Proposals;
  void MakeInput(Random& random, uint32_t* input) const override {
    for (size_t i = 0; i < kDocLen; ++i) input[i] = random.Below(kVocabulary);
  }
};

// More tenants than scopes, each with short requests.
class ScopeChurn final : public OneScope {
 public:
  ScopeChurn(const Size& size, uint64_t seed)
      : OneScope({size.name, kDocLen * 24 * 2, 0}, seed), budget_bytes_(size.budget_bytes) {}
  bool SetUp(WorkloadSide& side) const override { return MakeCache(side, budget_bytes_, kScopes); }
  void Prepare(uint64_t batch, size_t ops) override {
    first_ = batch * ops * kPerInput;
    OneScope::Prepare(batch, ops);
  }
  void Run(WorkloadSide& side) const override {
    uint64_t tenant = first_;
    for (size_t at = 0; at < batch().size(); at += kDocLen / kPerInput, ++tenant) {
      const lockstep_scope_key scope = {1, 2, 3, tenant * 7 % (kScopes + kScopes / 2)};
      Insert(side, scope, batch().data() + at, kDocLen / kPerInput);
      Propose(side, scope, batch().data() + at, kDocLen / kPerInput - kDraftLen);
    }
    Fold(side.library->scope_count(side.cache), side.digest);
  }

 private:
  static constexpr uint64_t kScopes = 16;
  static constexpr size_t kPerInput = 8;
  void MakeInput(Random& random, uint32_t* input) const override {
    for (size_t i = 0; i < kDocLen; ++i) input[i] = random.Below(kVocabulary);
  }
  uint64_t budget_bytes_;
  uint64_t first_ = 0;
};

// Each request asks for drafts along its output, then is learned. After the last one the first
// comes again, other tokens in it, so that text is as new as it was.
class Replay final : public CWorkload {
 public:
  Replay(const ReplayTrace& trace, const Size& size) : trace_(trace), size_(size) {}
  bool SetUp(WorkloadSide& side) const override { return MakeCache(side, size_.budget_bytes, 4); }
  void Prepare(uint64_t batch, size_t ops) override {
    requests_.resize(ops);
    for (size_t op = 0; op < ops; ++op) {
      const uint64_t at = batch * ops + op;
      requests_[op] = trace_.requests[at % trace_.requests.size()];
      const auto lap = static_cast<uint32_t>(at / trace_.requests.size() * 0x3f5);
      for (uint32_t& token : requests_[op].tokens) token = (token ^ lap) & 0x7fffffff;
    }
  }
  void Run(WorkloadSide& side) const override {
    for (const ReplayTrace::Request& request : requests_) {
      const lockstep_scope_key scope = {1, 2, 3, request.tenant};
      for (size_t len = request.prompt_len; len < request.tokens.size(); len += kDraftLen) {
        Propose(side, scope, request.tokens.data(), len);
      }
      Insert(side, scope, request.tokens.data(), request.tokens.size());
    }
  }

 private:
  const ReplayTrace& trace_;
  Size size_;
  std::vector<ReplayTrace::Request> requests_;
};

constexpr const char* kOperations[] = {"key_hash",       "insert_fresh", "resent",
                                       "near_duplicate", "propose_hit",  "propose_miss",
                                       "scope_churn",    "replay"};

std::unique_ptr<CWorkload> Make(const std::string& operation, const Size& size,
                                const ReplayTrace* trace, uint64_t seed) {
  if (operation == "key_hash") return std::make_unique<KeyHash>(size, seed);
  if (operation == "insert_fresh") return std::make_unique<InsertFresh>(size, seed);
  if (operation == "resent") return std::make_unique<Resent>(size, seed);
  if (operation == "near_duplicate") return std::make_unique<NearDuplicate>(size, seed);
  if (operation == "propose_hit") return std::make_unique<ProposeHit>(size, seed);
  if (operation == "propose_miss") return std::make_unique<ProposeMiss>(size, seed);
  if (operation == "scope_churn") return std::make_unique<ScopeChurn>(size, seed);
  if (operation == "replay" && trace != nullptr && !trace->requests.empty()) {
    return std::make_unique<Replay>(*trace, size);
  }
  return nullptr;
}

}  // namespace

bool CWorkload::Supports(const CLibrary& /*library*/) const { return true; }

std::vector<std::string> CWorkloadNames() {
  std::vector<std::string> names;
  for (const char* operation : kOperations) {
    for (const Size& size : kSizes) names.push_back(std::string(operation) + "/" + size.name);
  }
  return names;
}

std::vector<std::string> ShortGateNames() {
  return {"key_hash/small",       "insert_fresh/cache", "resent/cache",
          "near_duplicate/cache", "propose_hit/cache",  "scope_churn/small"};
}

std::unique_ptr<CWorkload> MakeCWorkload(const std::string& name, const ReplayTrace* trace,
                                         uint64_t seed) {
  const size_t slash = name.find('/');
  if (slash == std::string::npos) return nullptr;
  for (const Size& size : kSizes) {
    if (name.substr(slash + 1) == size.name) return Make(name.substr(0, slash), size, trace, seed);
  }
  return nullptr;
}

}  // namespace lockstep
