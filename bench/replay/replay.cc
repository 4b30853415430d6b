#include "bench/replay/replay.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lockstep/geometry.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t NanosecondsSince(Clock::time_point start) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

absl::Status CacheError(lockstep_status status, const std::string& doing,
                        const std::string& message) {
  const std::string text = absl::StrCat(doing, ": ", message.empty() ? "no reason given" : message);
  switch (status) {
    case LOCKSTEP_INVALID_ARGUMENT:
      return absl::InvalidArgumentError(text);
    case LOCKSTEP_RESOURCE_EXHAUSTED:
      return absl::ResourceExhaustedError(text);
    default:
      return absl::InternalError(text);
  }
}

LatencySummary Summarize(const LatencyHistogram& histogram, double unit_ns) {
  return {.median = static_cast<double>(histogram.Quantile(0.5)) * unit_ns,
          .p99 = static_cast<double>(histogram.Quantile(0.99)) * unit_ns,
          .max = static_cast<double>(histogram.max()) * unit_ns};
}

}  // namespace

double ReplayCounts::tokens_per_step() const {
  if (decode.steps == 0) return 0;
  return static_cast<double>(output_tokens) / static_cast<double>(decode.steps);
}

void Replay::Row::Add(const Row& other) {
  counts.requests += other.counts.requests;
  counts.prompt_tokens += other.counts.prompt_tokens;
  counts.output_tokens += other.counts.output_tokens;
  counts.steps_own_only += other.counts.steps_own_only;
  counts.decode.Add(other.counts.decode);
  counts.scope_drops += other.counts.scope_drops;
  counts.live_tokens += other.counts.live_tokens;
  counts.bytes += other.counts.bytes;
  insert_ps_per_token.Add(other.insert_ps_per_token);
  propose_ns.Add(other.propose_ns);
}

ReplayCounts Replay::Row::Summarized() const {
  ReplayCounts summarized = counts;
  summarized.insert_ns_per_token = Summarize(insert_ps_per_token, 0.001);
  summarized.propose_ns_per_call = Summarize(propose_ns, 1);
  return summarized;
}

absl::StatusOr<std::unique_ptr<Replay>> Replay::Make(const CInterface& implementation,
                                                     const ReplaySettings& settings) {
  const absl::StatusOr<ScopeGeometry> geometry = ComputeGeometry(settings.cache);
  if (!geometry.ok()) return geometry.status();
  CreateResult created = CreateCache(implementation, settings.cache);
  if (created.cache == nullptr) {
    return CacheError(created.status, "the cache cannot be made", created.error);
  }
  return std::unique_ptr<Replay>(new Replay(settings, *geometry, std::move(created.cache)));
}

Replay::Replay(const ReplaySettings& settings, const ScopeGeometry& geometry,
               std::unique_ptr<CacheHandle> cache)
    : settings_(settings),
      geometry_(geometry),
      cache_(std::move(cache)),
      history_(settings.cache.key_len),
      draft_(settings.max_draft),
      use_(settings.cache.max_scopes) {}

Replay::Row& Replay::RowOf(const ScopeKey& scope) {
  if (const auto it = row_of_.find(scope); it != row_of_.end()) return *it->second;
  if (rows_.size() == kMostScopeRows) return others_;
  rows_.push_back(std::make_unique<Row>());
  rows_.back()->scope = scope;
  row_of_[scope] = rows_.back().get();
  return *rows_.back();
}

absl::Span<const Token> Replay::Propose(const ScopeKey& scope, absl::Span<const Token> history,
                                        uint64_t max_len, Row& row) {
  const Clock::time_point start = Clock::now();
  const size_t written =
      cache_->Propose(scope, history.data(), history.size(), draft_.data(), max_len);
  row.propose_ns.Record(NanosecondsSince(start));
  if (written <= max_len) return absl::MakeConstSpan(draft_).first(written);
  broken_ = absl::FailedPreconditionError(
      absl::StrCat("I5 bounds: a proposal of at most ", max_len, " tokens returned ", written));
  return {};
}

absl::Status Replay::Insert(const ScopeKey& scope, Row& row) {
  const absl::Span<const Token> doc = history_.tokens();
  const Clock::time_point start = Clock::now();
  const lockstep_status status = cache_->Insert(scope, doc.data(), doc.size());
  const uint64_t ns = NanosecondsSince(start);
  if (status != LOCKSTEP_OK) {
    return CacheError(status, "an insert failed", cache_->LastError());
  }
  if (!doc.empty()) row.insert_ps_per_token.Record(ns * 1000 / doc.size());
  if (doc.size() <= settings_.cache.key_len) return absl::OkStatus();
  if (const std::optional<ScopeKey> dropped = use_.Insert(scope))
    ++RowOf(*dropped).counts.scope_drops;
  return absl::OkStatus();
}

absl::Status Replay::Play(const Request& request) {
  Row& row = RowOf(request.scope);
  ++row.counts.requests;
  row.counts.prompt_tokens += request.prompt.size();
  row.counts.output_tokens += request.output.size();

  history_.Clear();
  history_.Append(request.prompt);
  row.counts.steps_own_only +=
      Decode(history_, request.output, settings_.policy, settings_.max_draft, nullptr).steps;

  history_.Rewind(request.prompt.size());
  bool asked = false;
  row.counts.decode.Add(Decode(history_, request.output, settings_.policy, settings_.max_draft,
                               [&](absl::Span<const Token> history, uint64_t max_len) {
                                 asked = true;
                                 return Propose(request.scope, history, max_len, row);
                               }));
  if (!broken_.ok()) return broken_;
  if (asked) use_.Propose(request.scope);
  return Insert(request.scope, row);
}

ReplayReport Replay::Finish() {
  for (const ScopeKey& scope : use_.scopes()) {
    ReplayCounts& counts = RowOf(scope).counts;
    counts.live_tokens += std::min(cache_->StoredTokens(scope), geometry_.ring_tokens);
    counts.bytes += geometry_.scope_bytes;
  }
  ReplayReport report;
  report.settings = settings_;
  for (const std::unique_ptr<Row>& row : rows_) {
    report.scopes.push_back({.scope = row->scope, .counts = row->Summarized()});
  }
  report.other_scopes = others_.Summarized();
  Row all = others_;
  for (const std::unique_ptr<Row>& row : rows_) all.Add(*row);
  report.all = all.Summarized();
  return report;
}

absl::StatusOr<ReplayReport> ReplayTrace(const CInterface& implementation,
                                         const ReplaySettings& settings,
                                         const std::vector<std::string>& paths,
                                         std::atomic<uint64_t>& tokens_done,
                                         std::atomic<uint64_t>& bytes_done) {
  absl::StatusOr<std::unique_ptr<TraceReader>> reader = TraceReader::Open(paths);
  if (!reader.ok()) return reader.status();
  absl::StatusOr<std::unique_ptr<Replay>> replay = Replay::Make(implementation, settings);
  if (!replay.ok()) return replay.status();
  Request request;
  for (;;) {
    const absl::StatusOr<bool> more = (*reader)->Next(request);
    if (!more.ok()) return more.status();
    if (!*more) break;
    const absl::Status played = (*replay)->Play(request);
    if (!played.ok()) {
      return absl::Status(played.code(),
                          absl::StrCat("request \"", request.id, "\": ", played.message()));
    }
    tokens_done += request.prompt.size() + request.output.size();
    bytes_done = (*reader)->bytes_read();
  }
  return (*replay)->Finish();
}

}  // namespace lockstep
