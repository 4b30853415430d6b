#include "bench/growth.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/more_trials.h"
#include "bench/trials.h"
#include "props/harness/progress.h"
#include "reports/text.h"

namespace lockstep {
namespace {

constexpr size_t kQuestions = 2048;
constexpr uint64_t kMib = uint64_t{1} << 20;

struct Point {
  const char* axis;
  uint64_t value;
  CacheConfig config;
  size_t doc_tokens;
};

std::vector<Point> Points() {
  std::vector<Point> points;
  for (uint64_t tokens = 64; tokens <= 1 << 20; tokens *= 4) {
    points.push_back({"doc_tokens", tokens, {64 * kMib, 4, 8}, tokens});
  }
  for (uint64_t kib = 64; kib <= 256 << 10; kib *= 4) {
    points.push_back({"budget_kib", kib, {kib << 10, 4, 8}, 2048});
  }
  // Of keys of one token, most are stored often and predict something else.
  for (uint64_t key_len = 2; key_len <= 128; key_len *= 2) {
    points.push_back({"key_len", key_len, {64 * kMib, 4, key_len}, 8192});
  }
  for (uint64_t scopes = 1; scopes <= 4096; scopes *= 4) {
    points.push_back({"scopes", scopes, {64 * kMib, scopes, 8}, 512});
  }
  return points;
}

absl::StatusOr<GrowthRow> Measure(const MeasuredImpl& impl, const Point& point, size_t rounds,
                                  uint64_t seed) {
  auto cache = FullCache::Make(impl, point.config, point.doc_tokens);
  if (!cache.ok()) return cache.status();
  GrowthRow row = {impl.label, point.axis, point.value, {}, {}};
  // Proposals first: the inserts overwrite what is asked for.
  const auto hits = HitTrial(**cache, 8, 1, kQuestions, 8);
  if (!hits.ok()) return hits.status();
  Rounds propose;
  propose.Add("propose", *hits);
  absl::Status ran = propose.Run(rounds, seed);
  if (!ran.ok()) return ran;
  Rounds insert;
  insert.Add("insert", FreshTrial(**cache, false));
  ran = insert.Run(rounds, seed);
  if (!ran.ok()) return ran;
  row.propose_ns = EstimateMedian(propose.samples(0));
  row.insert_ns = EstimateMedian(insert.samples(0));
  return row;
}

}  // namespace

absl::StatusOr<std::vector<GrowthRow>> MeasureGrowth(const std::vector<MeasuredImpl>& impls,
                                                     size_t rounds, uint64_t seed) {
  ProgressLine progress;
  std::vector<GrowthRow> rows;
  for (const Point& point : Points()) {
    for (const MeasuredImpl& impl : impls) {
      progress.Show(absl::StrCat(impl.label, ", ", point.axis, " ", point.value));
      auto row = Measure(impl, point, rounds, seed);
      if (!row.ok()) {
        return absl::Status(row.status().code(),
                            absl::StrCat(impl.label, ", ", point.axis, " ", point.value, ": ",
                                         row.status().message()));
      }
      rows.push_back(*std::move(row));
    }
  }
  return rows;
}

std::string RenderGrowth(const std::vector<GrowthRow>& rows) {
  using Align = TextTable::Align;
  TextTable table({Align::kLeft, Align::kRight, Align::kLeft, Align::kRight, Align::kRight});
  table.AddRow({"axis", "value", "of", "insert ns/token", "propose ns"});
  for (const GrowthRow& row : rows) {
    table.AddRow({row.axis, WithThousands(row.value), PrintableLine(row.impl),
                  absl::StrFormat("%.1f", row.insert_ns.median),
                  absl::StrFormat("%.0f", row.propose_ns.median)});
  }
  return table.Render();
}

std::string GrowthCsv(const std::vector<GrowthRow>& rows) {
  std::string csv =
      "impl,axis,value,insert_ns_per_token,insert_low,insert_high,propose_ns,propose_low,"
      "propose_high\n";
  for (const GrowthRow& row : rows) {
    // A library is called as its file is.
    std::string impl = row.impl;
    std::replace_if(
        impl.begin(), impl.end(),
        [](char c) { return c == ',' || c == '"' || static_cast<unsigned char>(c) < ' '; }, '_');
    absl::StrAppend(&csv, impl, ",", row.axis, ",", row.value);
    for (const Estimate& estimate : {row.insert_ns, row.propose_ns}) {
      absl::StrAppend(&csv, ",", estimate.median, ",", estimate.low, ",", estimate.high);
    }
    csv += "\n";
  }
  return csv;
}

nlohmann::ordered_json GrowthToJson(const std::vector<GrowthRow>& rows) {
  auto json = nlohmann::ordered_json::array();
  for (const GrowthRow& row : rows) {
    json.push_back({{"impl", row.impl},
                    {"axis", row.axis},
                    {"value", row.value},
                    {"insert_ns", row.insert_ns.median},
                    {"propose_ns", row.propose_ns.median}});
  }
  return json;
}

}  // namespace lockstep
