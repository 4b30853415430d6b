#include "bench/protocol.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/floor.h"
#include "bench/scope_floor.h"
#include "bench/trials.h"
#include "props/harness/progress.h"

namespace lockstep {
namespace {

constexpr uint64_t kScopes = 4;
constexpr uint64_t kKeyLen = 8;
constexpr size_t kDraftTokens = 8;
constexpr size_t kBatch = 64;
constexpr size_t kPartsOfQuestions = 32;  // so many turns before a question comes again
constexpr size_t kNewScopes = 256;        // a turn
constexpr uint64_t kLeastScopeBytes = 6144;
constexpr size_t kDistances[] = {16, 32, 64, 128, 256, 512};

// What is promised of a figure. The figure is a time, a ratio to the floor, or how many times as
// fast as the floor it is.
enum class Measure { kNothing, kNs, kRatio, kSpeedup };
struct Promise {
  Measure measure = Measure::kNothing;
  double limit = 0;
};

// A row that will be made of the samples.
struct PlannedRow {
  std::string name, impl, unit;
  size_t trial;
  std::string floor_name;
  std::vector<size_t> floors;  // the fastest counts
  Promise promise;
  double units_per_sample = 1;  // such as tokens a document
};

class Protocol {
 public:
  Protocol(const std::vector<MeasuredImpl>& impls, std::string judged,
           const ProtocolOptions& options)
      : impls_(impls), judged_(std::move(judged)), options_(options) {}

  absl::StatusOr<std::vector<ProtocolRow>> Run() {
    AddFloors();
    for (const MeasuredImpl& impl : impls_) {
      progress_.Show(absl::StrCat("filling caches of ", impl.label));
      for (const auto add : {&Protocol::AddInserts, &Protocol::AddProposals,
                             &Protocol::AddManyScopes, &Protocol::AddNewScopes}) {
        const absl::Status added = (this->*add)(impl);
        if (!added.ok()) {
          return absl::Status(added.code(), absl::StrCat(impl.label, ": ", added.message()));
        }
      }
    }
    CacheSweep sweep;
    const absl::Status ran = rounds_.Run(
        options_.rounds, options_.seed,
        [&](size_t i, size_t n) {
          progress_.Show(absl::StrCat("measuring, round ", i, " of ", n));
        },
        [&sweep] { sweep.Run(); });
    if (!ran.ok()) return ran;
    std::vector<ProtocolRow> rows;
    for (const PlannedRow& planned : rows_) rows.push_back(RowOf(planned));
    CompareWithPlain(rows);
    return rows;
  }

 private:
  CacheConfig Config() const { return {options_.budget_bytes, kScopes, kKeyLen}; }

  void AddFloors() {
    const ScopeGeometry geometry = *ComputeGeometry(Config());
    for (uint64_t i = 0; i < kScopes; ++i) tables_.emplace_back(geometry);
    for (const size_t distance : kDistances) {
      for (const CacheLevel level : {CacheLevel::kFirst, CacheLevel::kSecond}) {
        insert_floors_.push_back(
            rounds_.Add(absl::StrCat("insert floor, ", distance, " ahead"),
                        InsertFloorTrial(tables_, options_.doc_tokens, distance, level)));
      }
    }
    chained_floor_ = rounds_.Add("proposal floor", ChainedFloorTrial(tables_, options_.questions));
    singles_floor_ =
        rounds_.Add("proposal floor, overlapping", SinglesFloorTrial(tables_, options_.questions));
    const CacheConfig many = {options_.scopes * kLeastScopeBytes, options_.scopes, kKeyLen};
    scope_probe_ = std::make_unique<ScopeProbe>(*ComputeGeometry(many), options_.scopes);
    scope_floor_ = rounds_.Add("scope floor", ScopeFloorTrial(*scope_probe_, options_.questions));
  }

  absl::StatusOr<FullCache*> NewCache(const MeasuredImpl& impl, const CacheConfig& config,
                                      size_t doc_tokens) {
    auto cache = FullCache::Make(impl, config, doc_tokens);
    if (!cache.ok()) return cache.status();
    caches_.push_back(*std::move(cache));
    return caches_.back().get();
  }

  absl::StatusOr<const Questions*> NewQuestions(FullCache& cache) {
    auto questions =
        cache.DrawHits(options_.questions * kPartsOfQuestions, kDraftTokens, options_.seed);
    if (!questions.ok()) return questions.status();
    questions_.push_back(std::make_unique<Questions>(*std::move(questions)));
    return questions_.back().get();
  }

  absl::Status AddInserts(const MeasuredImpl& impl) {
    const auto cache = NewCache(impl, Config(), options_.doc_tokens);
    if (!cache.ok()) return cache.status();
    const std::string floor = "memory, prefetched";
    const size_t fresh = rounds_.Add(impl.label + " insert fresh", FreshTrial(**cache, impl.exact));
    const size_t resent = rounds_.Add(impl.label + " insert re-sent", ResentTrial(**cache));
    rows_.push_back({"insert fresh",
                     impl.label,
                     "token",
                     fresh,
                     floor,
                     insert_floors_,
                     {Measure::kRatio, 2.0}});
    rows_.push_back({"insert re-sent",
                     impl.label,
                     "token",
                     resent,
                     floor,
                     insert_floors_,
                     {Measure::kRatio, 1.5}});
    const auto tokens = static_cast<double>(options_.doc_tokens);
    rows_.push_back({absl::StrCat("insert ", options_.doc_tokens, " tokens"),
                     impl.label,
                     "document",
                     fresh,
                     "",
                     {},
                     {Measure::kNs, 2.5e6},
                     tokens});
    return absl::OkStatus();
  }

  absl::Status AddProposals(const MeasuredImpl& impl) {
    // A cache of its own: nothing that was drawn may be overwritten.
    const auto cache = NewCache(impl, Config(), options_.doc_tokens);
    if (!cache.ok()) return cache.status();
    const auto questions = NewQuestions(**cache);
    if (!questions.ok()) return questions.status();
    const size_t count = options_.questions;
    const size_t chained =
        rounds_.Add(impl.label + " propose", ChainedTrial(**cache, **questions, count));
    const size_t singles =
        rounds_.Add(impl.label + " propose singly", SinglesTrial(**cache, **questions, count));
    rows_.push_back({"propose hit",
                     impl.label,
                     "proposal",
                     chained,
                     "two misses",
                     {chained_floor_},
                     {Measure::kRatio, 1.5}});
    rows_.push_back({"propose hit, overlapping",
                     impl.label,
                     "proposal",
                     singles,
                     "two misses, overlapping",
                     {singles_floor_},
                     {}});
    if (impl.functions.propose_batch == nullptr) return absl::OkStatus();
    const size_t batch = rounds_.Add(absl::StrCat(impl.label, " propose, batches of ", kBatch),
                                     BatchTrial(**cache, **questions, count, kBatch));
    rows_.push_back({absl::StrCat("propose, batches of ", kBatch),
                     impl.label,
                     "proposal",
                     batch,
                     "single calls",
                     {singles},
                     {Measure::kSpeedup, 3.0}});
    return absl::OkStatus();
  }

  absl::Status AddManyScopes(const MeasuredImpl& impl) {
    const CacheConfig config = {options_.scopes * kLeastScopeBytes, options_.scopes, kKeyLen};
    const auto cache = NewCache(impl, config, 1000);
    if (!cache.ok()) return cache.status();
    const auto questions = NewQuestions(**cache);
    if (!questions.ok()) return questions.status();
    const size_t trial = rounds_.Add(impl.label + " propose among scopes",
                                     ChainedTrial(**cache, **questions, options_.questions));
    rows_.push_back({absl::StrCat("propose among ", options_.scopes, " scopes"),
                     impl.label,
                     "proposal",
                     trial,
                     "four misses",
                     {scope_floor_},
                     {Measure::kRatio, 2.0}});
    return absl::OkStatus();
  }

  // Scopes of very different sizes, full: what is taken over was written to.
  absl::Status AddNewScopes(const MeasuredImpl& impl) {
    const uint64_t mib = uint64_t{1} << 20;
    const uint64_t largest = options_.budget_bytes;
    for (const uint64_t scope_bytes :
         {kLeastScopeBytes, std::min(mib, largest), std::min(16 * mib, largest), largest}) {
      const size_t doc_tokens = scope_bytes == kLeastScopeBytes ? 1000 : options_.doc_tokens;
      const auto cache = NewCache(impl, {2 * scope_bytes, 2, kKeyLen}, doc_tokens);
      if (!cache.ok()) return cache.status();
      const std::string name =
          scope_bytes < mib ? absl::StrFormat("new scope at the limit, %d KiB", scope_bytes >> 10)
                            : absl::StrFormat("new scope at the limit, %d MiB", scope_bytes >> 20);
      const size_t trial =
          rounds_.Add(absl::StrCat(impl.label, " ", name), NewScopeTrial(**cache, kNewScopes));
      rows_.push_back({name, impl.label, "scope", trial, "", {}, {Measure::kNs, 2000}});
    }
    return absl::OkStatus();
  }

  ProtocolRow RowOf(const PlannedRow& planned) const {
    ProtocolRow row;
    row.name = planned.name;
    row.impl = planned.impl;
    row.unit = planned.unit;
    row.floor = planned.floor_name;
    std::vector<double> ns = rounds_.samples(planned.trial);
    for (double& sample : ns) sample *= planned.units_per_sample;
    row.ns = EstimateMedian(ns);
    if (!planned.floors.empty()) {
      const size_t floor = rounds_.Fastest(planned.floors);
      row.floor_ns = EstimateMedian(rounds_.samples(floor)).median;
      row.ratio = EstimateMedian(Ratios(ns, rounds_.samples(floor)));
    }
    if (planned.impl == judged_) Judge(planned.promise, row);
    return row;
  }

  static void Judge(const Promise& promise, ProtocolRow& row) {
    switch (promise.measure) {
      case Measure::kNothing:
        return;
      case Measure::kNs:
        row.promise = promise.limit < 1e6 ? absl::StrFormat("under %g us", promise.limit / 1e3)
                                          : absl::StrFormat("under %g ms", promise.limit / 1e6);
        row.holds = row.ns.median < promise.limit;
        return;
      case Measure::kRatio:
        row.promise = absl::StrFormat("at most %g x %s", promise.limit, row.floor);
        row.holds = row.ratio.median <= promise.limit;
        return;
      case Measure::kSpeedup:
        row.promise = absl::StrFormat("at least %g x as fast as %s", promise.limit, row.floor);
        row.holds = row.ratio.median * promise.limit <= 1;
        return;
    }
  }

  void CompareWithPlain(std::vector<ProtocolRow>& rows) const {
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t j = 0; j < rows.size(); ++j) {
        if (rows[i].impl == "plain_exact" || rows[j].impl != "plain_exact" ||
            rows[j].name != rows[i].name) {
          continue;
        }
        rows[i].plain_ratio =
            EstimateMedian(Ratios(rounds_.samples(rows_[i].trial), rounds_.samples(rows_[j].trial)))
                .median;
      }
    }
  }

  const std::vector<MeasuredImpl>& impls_;
  std::string judged_;
  ProtocolOptions options_;
  ProgressLine progress_;
  Rounds rounds_;
  std::vector<PlannedRow> rows_;
  std::vector<ProbeTable> tables_;
  std::unique_ptr<ScopeProbe> scope_probe_;
  std::vector<size_t> insert_floors_;
  size_t chained_floor_ = 0;
  size_t singles_floor_ = 0;
  size_t scope_floor_ = 0;
  std::vector<std::unique_ptr<FullCache>> caches_;
  std::vector<std::unique_ptr<Questions>> questions_;
};

}  // namespace

absl::StatusOr<std::vector<ProtocolRow>> RunProtocol(const std::vector<MeasuredImpl>& impls,
                                                     const std::string& judged,
                                                     const ProtocolOptions& options) {
  return Protocol(impls, judged, options).Run();
}

}  // namespace lockstep
