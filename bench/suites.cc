#include "bench/suites.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bench/floor.h"
#include "bench/more_trials.h"
#include "bench/scope_floor.h"
#include "bench/trials.h"
#include "lockstep/ngram_key.h"

namespace lockstep {
namespace {

constexpr uint64_t kScopes = 4;
constexpr uint64_t kKeyLen = 8;
constexpr size_t kDocTokens = 131'072;
constexpr size_t kShortDocTokens = 4096;
constexpr size_t kQuestions = 4096;
constexpr size_t kParts = 16;
constexpr uint64_t kScopeCounts[] = {1, 16, 256, 4096, 65'536};
constexpr uint64_t kLeastScopeBytes = 6144;
constexpr uint64_t kMaxStoredBytes = uint64_t{5} << 30;

CacheConfig ConfigOf(uint64_t budget_kib, uint64_t key_len = kKeyLen) {
  return {.budget_bytes = budget_kib << 10, .max_scopes = kScopes, .key_len = key_len};
}

// Small scopes hold no long document.
size_t DocTokensFor(uint64_t budget_kib) {
  return budget_kib >= (64 << 10) ? kDocTokens : kShortDocTokens;
}

class Maker {
 public:
  Maker(const std::vector<MeasuredImpl>& impls, std::shared_ptr<ReplayWork> replay, bool large,
        CacheStore& store)
      : impls_(impls), replay_(std::move(replay)), store_(store) {
    if (large) budgets_kib_.push_back(1 << 20);
  }

  std::vector<Suite> Make() {
    AddHash();
    for (const uint64_t kib : budgets_kib_) AddFloors(kib);
    for (const uint64_t scopes : kScopeCounts) AddScopeFloor(scopes);
    for (const MeasuredImpl& impl : impls_) {
      for (const uint64_t kib : budgets_kib_) {
        AddInserts(impl, kib);
        AddProposals(impl, kib);
      }
      for (const uint64_t scopes : kScopeCounts) AddScopes(impl, scopes);
      for (const size_t tokens : {1 << 10, 1 << 13, 1 << 17, 1 << 20}) AddLength(impl, tokens);
      for (const uint64_t key_len : {1u, 2u, 4u, 16u, 32u, 64u}) AddKeyLen(impl, key_len);
      if (replay_ != nullptr) {
        Add("BM_Replay", impl.label, "trace:own", "", static_cast<double>(replay_->tokens),
            [&impl, this]() -> absl::StatusOr<Rounds::Trial> {
              return ReplayTrial(impl, replay_);
            });
      }
    }
    return std::move(suites_);
  }

 private:
  void Add(const std::string& operation, const std::string& impl, const std::string& axis,
           const std::string& floor, double units,
           std::function<absl::StatusOr<Rounds::Trial>()> make) {
    suites_.push_back({absl::StrCat(operation, "/", impl, "/", axis), operation, impl, axis, floor,
                       units, std::move(make)});
  }

  // A benchmark of a cache from the store.
  void AddOn(const MeasuredImpl& impl, const std::string& operation, const std::string& axis,
             const std::string& floor, double units, const CacheConfig& config, size_t doc_tokens,
             std::function<absl::StatusOr<Rounds::Trial>(FullCache&)> make) {
    Add(operation, impl.label, axis, floor, units,
        [&impl, config, doc_tokens, make = std::move(make),
         this]() -> absl::StatusOr<Rounds::Trial> {
          const auto cache = store_.Get(impl, config, doc_tokens);
          if (!cache.ok()) return cache.status();
          return make(**cache);
        });
  }

  void AddHash() {
    for (const size_t key_len : {1, 2, 4, 8, 16, 32, 64}) {
      const std::string axis = absl::StrCat("key_len:", key_len);
      Add("BM_HashOneKey", "core", axis, "", 4096,
          [key_len]() -> absl::StatusOr<Rounds::Trial> { return HashTrial(key_len); });
      for (const HashPath path : kHashPaths) {
        if (!HashPathSupported(path)) continue;
        Add(absl::StrCat("BM_HashBlocks_", HashPathName(path)), "core", axis, "", 4096,
            [key_len, path]() -> absl::StatusOr<Rounds::Trial> {
              return HashTrial(key_len, path);
            });
      }
    }
  }

  void AddFloors(uint64_t kib) {
    const std::string axis = absl::StrCat("budget_kib:", kib);
    const size_t doc_tokens = DocTokensFor(kib);
    for (const size_t distance : {16, 32, 64, 128, 256, 512}) {
      for (const CacheLevel level : {CacheLevel::kFirst, CacheLevel::kSecond}) {
        Add(absl::StrCat("BM_InsertFloor_", distance, level == CacheLevel::kFirst ? "_L1" : "_L2"),
            "memory", axis, "", static_cast<double>(kScopes * doc_tokens),
            [kib, doc_tokens, distance, level, this]() -> absl::StatusOr<Rounds::Trial> {
              return InsertFloorTrial(TablesOf(kib), doc_tokens, distance, level);
            });
      }
    }
    Add("BM_ProposeFloor", "memory", axis, "", kQuestions,
        [kib, this]() -> absl::StatusOr<Rounds::Trial> {
          return ChainedFloorTrial(TablesOf(kib), kQuestions);
        });
  }

  void AddScopeFloor(uint64_t scopes) {
    Add("BM_ScopesFloor", "memory", absl::StrCat("scopes:", scopes), "", kQuestions,
        [scopes, this]() -> absl::StatusOr<Rounds::Trial> {
          return ScopeFloorTrial(ScopesOf(scopes), kQuestions);
        });
  }

  void AddInserts(const MeasuredImpl& impl, uint64_t kib) {
    const std::string axis = absl::StrCat("budget_kib:", kib);
    const size_t doc_tokens = DocTokensFor(kib);
    const auto units = static_cast<double>(kScopes * doc_tokens);
    const auto add = [&](const char* operation, auto make) {
      AddOn(impl, operation, axis, "BM_InsertFloor", units, ConfigOf(kib), doc_tokens, make);
    };
    add("BM_InsertFresh", [exact = impl.exact](FullCache& c) { return FreshTrial(c, exact); });
    add("BM_InsertResent", [](FullCache& c) { return ResentTrial(c); });
    add("BM_InsertNearDuplicate",
        [](FullCache& c) { return VariedTrial(c, Variation::kOneEditIn40); });
    add("BM_InsertOwnRepeats", [](FullCache& c) { return VariedTrial(c, Variation::kOwnRepeats); });
  }

  void AddProposals(const MeasuredImpl& impl, uint64_t kib) {
    const std::string axis = absl::StrCat("budget_kib:", kib);
    const auto add = [&](const std::string& operation, const char* floor, auto make) {
      // Inserts get documents of another length, and so another cache: no hit is overwritten.
      AddOn(impl, operation, axis, floor, kQuestions, ConfigOf(kib), DocTokensFor(kib) - 1, make);
    };
    add("BM_ProposeHit", "BM_ProposeFloor",
        [](FullCache& c) { return HitTrial(c, 8, 1, kQuestions, kParts); });
    add("BM_ProposeLongDraft", "BM_ProposeFloor",
        [](FullCache& c) { return HitTrial(c, 256, 1, kQuestions, kParts); });
    add("BM_ProposeMiss", "BM_ProposeFloor",
        [](FullCache& c) { return MissTrial(c, c.key_len(), kQuestions, kParts); });
    add("BM_ProposeShortHistory", "",
        [](FullCache& c) { return MissTrial(c, c.key_len() - 1, kQuestions, kParts); });
    if (impl.functions.propose_batch == nullptr) return;
    for (const size_t batch : {8, 64, 256}) {
      add(absl::StrCat("BM_ProposeBatchOf", batch), "BM_ProposeFloor",
          [batch](FullCache& c) { return HitTrial(c, 8, batch, kQuestions, kParts); });
    }
  }

  void AddScopes(const MeasuredImpl& impl, uint64_t scopes) {
    const CacheConfig config = {scopes * kLeastScopeBytes, scopes, kKeyLen};
    const std::string axis = absl::StrCat("scopes:", scopes);
    AddOn(impl, "BM_ScopesLookup", axis, "BM_ScopesFloor", kQuestions, config, 1000,
          [](FullCache& c) { return HitTrial(c, 8, 1, kQuestions, kParts); });
    // Another cache: a scope that was dropped answers nothing.
    AddOn(impl, "BM_ScopesChurn", axis, "", 256, config, 999,
          [](FullCache& c) { return NewScopeTrial(c, 256); });
  }

  void AddLength(const MeasuredImpl& impl, size_t doc_tokens) {
    AddOn(impl, "BM_InsertLength", absl::StrCat("doc_tokens:", doc_tokens), "",
          static_cast<double>(kScopes * doc_tokens), ConfigOf(64 << 10), doc_tokens,
          [exact = impl.exact](FullCache& c) { return FreshTrial(c, exact); });
  }

  void AddKeyLen(const MeasuredImpl& impl, uint64_t key_len) {
    AddOn(impl, "BM_InsertKeyLen", absl::StrCat("key_len:", key_len), "",
          static_cast<double>(kScopes * kShortDocTokens), ConfigOf(4 << 10, key_len),
          kShortDocTokens, [](FullCache& c) { return FreshTrial(c, false); });
  }

  // The tables are made once, when the first of their floors is measured.
  std::vector<ProbeTable>& TablesOf(uint64_t kib) {
    std::vector<ProbeTable>& tables = tables_[kib];
    if (tables.empty()) {
      const ScopeGeometry geometry = *ComputeGeometry(ConfigOf(kib));
      for (uint64_t i = 0; i < kScopes; ++i) tables.emplace_back(geometry);
    }
    return tables;
  }

  ScopeProbe& ScopesOf(uint64_t scopes) {
    std::unique_ptr<ScopeProbe>& probe = probes_[scopes];
    if (probe == nullptr) {
      const CacheConfig config = {scopes * kLeastScopeBytes, scopes, kKeyLen};
      probe = std::make_unique<ScopeProbe>(*ComputeGeometry(config), scopes);
    }
    return *probe;
  }

  const std::vector<MeasuredImpl>& impls_;
  std::vector<uint64_t> budgets_kib_ = {256, 4 << 10, 64 << 10};
  std::map<uint64_t, std::vector<ProbeTable>> tables_;
  std::map<uint64_t, std::unique_ptr<ScopeProbe>> probes_;
  std::shared_ptr<ReplayWork> replay_;
  CacheStore& store_;
  std::vector<Suite> suites_;
};

}  // namespace

absl::StatusOr<FullCache*> CacheStore::Get(const MeasuredImpl& impl, const CacheConfig& config,
                                           size_t doc_tokens) {
  const Key key = {impl.label, config.budget_bytes, config.max_scopes, config.key_len, doc_tokens};
  if (const auto it = failures_.find(key); it != failures_.end()) return it->second;
  std::erase(used_, key);
  uint64_t bytes = config.budget_bytes;
  for (const auto& [other, cache] : caches_) bytes += std::get<1>(other);
  while (!used_.empty() && !caches_.contains(key) && bytes > kMaxStoredBytes) {
    bytes -= std::get<1>(used_.front());
    caches_.erase(used_.front());
    used_.erase(used_.begin());
  }
  std::unique_ptr<FullCache>& cache = caches_[key];
  if (cache == nullptr) {
    auto made = FullCache::Make(impl, config, doc_tokens);
    if (!made.ok()) {
      caches_.erase(key);
      failures_[key] = made.status();
      return made.status();
    }
    cache = *std::move(made);
  }
  used_.push_back(key);
  return cache.get();
}

std::vector<Suite> MakeSuites(const std::vector<MeasuredImpl>& impls,
                              std::shared_ptr<ReplayWork> replay, bool large, CacheStore& store) {
  // The suites hold on to the maker.
  const auto maker = std::make_shared<Maker>(impls, std::move(replay), large, store);
  std::vector<Suite> suites = maker->Make();
  for (Suite& suite : suites) {
    suite.make = [maker, make = std::move(suite.make)] { return make(); };
  }
  return suites;
}

}  // namespace lockstep
