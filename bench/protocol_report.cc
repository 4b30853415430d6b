#include "bench/protocol_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/text.h"

namespace lockstep {
namespace {

std::string Time(double ns) {
  if (ns < 1e4) return absl::StrFormat("%.1f ns", ns);
  if (ns < 1e6) return absl::StrFormat("%.1f us", ns / 1e3);
  return absl::StrFormat("%.2f ms", ns / 1e6);
}

std::string Verdict(const ProtocolRow& row) {
  if (row.promise.empty()) return "";
  return row.holds ? "pass" : "MISS";
}

}  // namespace

std::string RenderProtocol(const std::vector<ProtocolRow>& rows) {
  using Align = TextTable::Align;
  TextTable table({Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight,
                   Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft});
  table.AddRow({"figure", "of", "time", "floor", "ratio", "(95 %)", "to plain", "", "promise"});
  for (const ProtocolRow& row : rows) {
    const bool floor = row.floor_ns > 0;
    table.AddRow({row.name, PrintableLine(row.impl), Time(row.ns.median),
                  floor ? Time(row.floor_ns) : "",
                  floor ? absl::StrFormat("%.2f", row.ratio.median) : "",
                  floor ? absl::StrFormat("%.2f-%.2f", row.ratio.low, row.ratio.high) : "",
                  row.plain_ratio.has_value() ? absl::StrFormat("%.2f", *row.plain_ratio) : "",
                  Verdict(row), row.promise});
  }
  return table.Render();
}

nlohmann::ordered_json ProtocolToJson(const std::vector<ProtocolRow>& rows) {
  auto json = nlohmann::ordered_json::array();
  for (const ProtocolRow& row : rows) {
    nlohmann::ordered_json entry = {{"name", row.name},     {"impl", row.impl},
                                    {"unit", row.unit},     {"ns", row.ns.median},
                                    {"ns_low", row.ns.low}, {"ns_high", row.ns.high}};
    if (row.floor_ns > 0) {
      entry["floor"] = row.floor;
      entry["floor_ns"] = row.floor_ns;
      entry["ratio"] = row.ratio.median;
      entry["ratio_low"] = row.ratio.low;
      entry["ratio_high"] = row.ratio.high;
    }
    if (row.plain_ratio.has_value()) entry["plain_ratio"] = *row.plain_ratio;
    if (!row.promise.empty()) {
      entry["promise"] = row.promise;
      entry["verdict"] = row.holds ? "pass" : "missed";
    }
    json.push_back(std::move(entry));
  }
  return json;
}

bool AllHold(const std::vector<ProtocolRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const ProtocolRow& row) { return row.holds; });
}

}  // namespace lockstep
