#include "bench/gate/conclusion.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

template <typename T>
std::optional<T> Find(const std::map<std::string, T>& map, const std::string& key) {
  const auto it = map.find(key);
  return it == map.end() ? std::nullopt : std::optional<T>(it->second);
}

std::string Named(const std::vector<Row>& rows, Verdict verdict) {
  std::vector<std::string> parts;
  for (const Row& row : rows) {
    if (row.verdict != verdict) continue;
    parts.push_back(absl::StrFormat("%s %+.1f %%", row.name, 100 * row.time.ratio));
  }
  return absl::StrJoin(parts, ", ");
}

Row MakeRow(const std::string& name, const TimeDecision& decision, const Evidence& evidence) {
  Row row = {.name = name, .time = decision};
  row.wall_ratio = std::expm1(Median(evidence.sampling.wall.at(name)));
  row.base_ns = Median(evidence.sampling.base_ns.at(name));
  row.instructions = Find(evidence.instructions, name);
  const std::optional<bool> confirmed = Find(evidence.confirmed, name);
  if (confirmed.has_value()) {
    row.note = *confirmed ? "confirmed over five link orders" : "only in one link order";
  }
  row.verdict = Combine(decision, row.instructions, confirmed);
  if (row.verdict == Verdict::kSlower && !decision.slower) row.note = "instructions alone";
  return row;
}

// Of the row, its workload or its operation.
std::optional<std::string> AcceptedFor(const std::string& name,
                                       const std::map<std::string, std::string>& accepted) {
  const std::string workload = name.substr(0, name.find('@'));
  for (const std::string& key : {name, workload, workload.substr(0, workload.find('/'))}) {
    if (std::optional<std::string> reason = Find(accepted, key)) return reason;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Row> MakeRows(const Evidence& evidence,
                          const std::map<std::string, std::string>& accepted) {
  std::vector<Row> rows;
  for (const auto& [name, decision] : evidence.decisions) {
    Row row = MakeRow(name, decision, evidence);
    const std::optional<std::string> reason = AcceptedFor(name, accepted);
    if (row.verdict == Verdict::kSlower && reason.has_value()) {
      row.verdict = Verdict::kAccepted;
      row.note = *reason;
    }
    rows.push_back(std::move(row));
  }
  for (const std::string& name : evidence.only_head) {
    rows.push_back({.name = name, .verdict = Verdict::kNew});
  }
  for (const std::string& name : evidence.only_base) {
    rows.push_back({.name = name, .verdict = Verdict::kGone});
  }
  return rows;
}

void Conclude(Comparison& c) {
  const bool noisy = !c.noise.empty();
  for (Row& row : c.rows) {
    // Instructions do not depend on how busy the machine is, times do.
    const bool exact = row.instructions.value_or(0) >= kInstructionsConfirm;
    if (noisy && !exact && row.verdict == Verdict::kSlower) row.verdict = Verdict::kUnclear;
  }
  const std::string slower = Named(c.rows, Verdict::kSlower);
  const std::string unclear = Named(c.rows, Verdict::kUnclear);
  const std::string faster = Named(c.rows, Verdict::kFaster);
  const std::string accepted = Named(c.rows, Verdict::kAccepted);
  if (!slower.empty()) {
    c.exit_code = kExitSlower;
    c.verdict = absl::StrCat("SLOWER: ", slower);
  } else if (noisy || !unclear.empty()) {
    c.exit_code = kExitInconclusive;
    c.verdict = absl::StrCat("CANNOT TELL HERE: ", noisy ? c.noise : unclear);
  } else if (!faster.empty()) {
    c.verdict = absl::StrCat("FASTER: ", faster);
  } else {
    const auto timed = std::count_if(c.rows.begin(), c.rows.end(),
                                     [](const Row& row) { return row.verdict == Verdict::kSame; });
    c.verdict = accepted.empty() ? absl::StrCat("SAME: none of ", timed, " workloads is slower")
                                 : "SAME, but for what was accepted";
  }
  if (!accepted.empty()) absl::StrAppend(&c.verdict, "; accepted: ", accepted);
}

}  // namespace lockstep::gate
