// lockstep-plan: how many bytes will the engine's caches take?

#include <array>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lockstep/geometry.h"
#include "props/harness/byte_count.h"
#include "props/harness/plan_file.h"
#include "reports/command_line.h"
#include "reports/result.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

struct Flags {
  std::string file;
  std::string fit;
  std::string budget;
  uint64_t budget_bytes = 0;
  uint64_t cap = std::numeric_limits<uint64_t>::max();
  uint64_t group_width = kGroupWidthX86;
  std::string out;
  bool json = false;
};

const std::map<std::string, FitInput>& FitInputs() {
  static const std::map<std::string, FitInput> inputs = {
      {"history_tokens", FitInput::kHistoryTokens},
      {"sequences", FitInput::kSequences},
      {"scopes", FitInput::kScopes}};
  return inputs;
}

CommandHelp Help() {
  return {
      .name = "plan",
      .answers = "How many bytes will the engine's caches take?",
      .about =
          "FILE is one JSON object with states, formats and inputs; corpus/plan_example.json is "
          "one, and props/harness/plan_file.h describes it. A member shared_cache {budget_bytes, "
          "max_scopes, key_len} plans the shared token cache too.",
      .examples = {{"./lockstep plan corpus/plan_example.json", "a row per term, and the sums"},
                   {"./lockstep plan corpus/plan_example.json --fit sequences --budget 512M",
                    "the most that fits"}},
      .exit_codes = {{0, "planned"},
                     {2, "bad usage, a bad file, a plan that overflows, or nothing fits"}}};
}

void AddFlags(CLI::App& app, Flags& flags) {
  Describe(app, Help());
  app.add_option("FILE", flags.file, "the plan")->required();
  auto* fit = app.add_option("--fit", flags.fit,
                             "find the most of this that fits --budget; all three live in host "
                             "memory")
                  ->type_name("history_tokens|sequences|scopes")
                  ->check(CLI::IsMember({"history_tokens", "sequences", "scopes"}));
  auto* budget = app.add_option("--budget", flags.budget,
                                "with --fit: what all host terms together may take, such as 512M")
                     ->type_name("BYTES")
                     ->needs(fit);
  fit->needs(budget);
  app.add_option("--cap", flags.cap, "with --fit: never more than this")
      ->type_name("N")
      ->default_str("no cap")
      ->needs(fit);
  app.add_option("--group-width", flags.group_width,
                 "control bytes of a hash table's group: 16 on x86-64, 8 on aarch64")
      ->type_name("8|16")
      ->check(CLI::IsMember({8, 16}));
  app.add_option("--out", flags.out, "folder for result.json; without it nothing is written")
      ->type_name("DIR");
  app.add_flag("--json", flags.json, "print {\"terms\":[...]} or {\"error\":{...}}");
}

std::string Decimal(absl::uint128 value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// "1.50 GiB"; whole below 1 KiB.
std::string Human(absl::uint128 bytes) {
  constexpr std::array<const char*, 9> kUnits = {"B",   "KiB", "MiB", "GiB", "TiB",
                                                 "PiB", "EiB", "ZiB", "YiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  // What would be rounded up to 1024.00 is one of the next unit.
  for (; value >= 1023.995 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  if (unit == 0) return absl::StrFormat("%.0f B", value);
  return absl::StrFormat("%.2f %s", value, kUnits[unit]);
}

// Grouped by thousands where 64 bits hold it.
std::string Exact(absl::uint128 bytes) {
  if (bytes > std::numeric_limits<uint64_t>::max()) return Decimal(bytes);
  return WithThousands(static_cast<uint64_t>(bytes));
}

Json ToNumber(absl::uint128 bytes) {
  if (bytes > std::numeric_limits<uint64_t>::max()) return Decimal(bytes);
  return static_cast<uint64_t>(bytes);
}

std::string RenderTable(absl::Span<const CacheTerm> terms) {
  using Align = TextTable::Align;
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight,
                   Align::kRight, Align::kLeft});
  table.AddRow({"state", "kind", "dtype", "units", "bytes", "", "memory"});
  for (const CacheTerm& term : terms) {
    table.AddRow({PrintableLine(term.state), Name(term.kind), Name(term.dtype),
                  WithThousands(term.units), WithThousands(term.bytes), Human(term.bytes),
                  term.host ? "host" : "device"});
  }
  const absl::uint128 host = HostBytes(terms);
  const absl::uint128 device = DeviceBytes(terms);
  table.AddRow({"all", "", "", "", Exact(host), Human(host), "host"});
  table.AddRow({"all", "", "", "", Exact(device), Human(device), "device"});
  return table.Render();
}

Json FitToJson(const Flags& flags, const Fit& fit) {
  Json json = {{"input", flags.fit},
               {"value", fit.value},
               {"is_cap", fit.is_cap},
               {"budget_bytes", flags.budget_bytes},
               {"host_bytes", ToNumber(fit.host_bytes)},
               {"one_more_host_bytes", nullptr}};
  if (fit.one_more_host_bytes) json["one_more_host_bytes"] = ToNumber(*fit.one_more_host_bytes);
  return json;
}

std::string RenderFit(const Flags& flags, const Fit& fit) {
  std::string text =
      absl::StrCat(flags.fit, " ", WithThousands(fit.value), ": host memory takes ",
                   Exact(fit.host_bytes), " of ", WithThousands(flags.budget_bytes), " bytes; ");
  if (fit.is_cap) {
    absl::StrAppend(&text, "more was not asked for (the cap)");
  } else if (fit.one_more_host_bytes.has_value()) {
    absl::StrAppend(&text, "one more would take ", Exact(*fit.one_more_host_bytes));
  } else {
    absl::StrAppend(&text, "one more would not fit 64 bits");
  }
  if (const auto& shared = fit.plan.shared_cache; flags.fit == "scopes" && shared.has_value()) {
    absl::StrAppend(&text, "\nshared cache: budget_bytes ", shared->budget_bytes, ", max_scopes ",
                    shared->max_scopes, ", ", shared->budget_bytes / shared->max_scopes,
                    " bytes a scope");
  }
  return text + "\n";
}

struct Planned {
  std::vector<CacheTerm> terms;
  std::string text;
  Json section;
};

absl::StatusOr<Planned> Plan(const Flags& flags, CachePlan plan) {
  plan.options.group_width = flags.group_width;
  Planned planned;
  std::string fit_text;
  Json fit_json;
  if (flags.fit.empty()) {
    absl::StatusOr<std::vector<CacheTerm>> terms = EvaluatePlan(plan);
    if (!terms.ok()) return terms.status();
    planned.terms = *std::move(terms);
  } else {
    absl::StatusOr<Fit> fit =
        FitPlan(plan, FitInputs().at(flags.fit), flags.budget_bytes, flags.cap);
    if (!fit.ok()) return fit.status();
    fit_text = "\n" + RenderFit(flags, *fit);
    fit_json = FitToJson(flags, *fit);
    planned.terms = std::move(fit->terms);
  }
  planned.text = RenderTable(planned.terms) + fit_text;
  planned.section = TermsToJson(planned.terms);
  if (!fit_json.is_null()) planned.section["fit"] = std::move(fit_json);
  return planned;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int Fail(const Flags& flags, const absl::Status& status, const std::string& message) {
  if (flags.json) std::cout << Dump(PlanErrorToJson(status)) << "\n";
  return Complain("plan", message, kExitBadInput);
}

absl::Status WriteOut(const Flags& flags, const Planned& planned, Result result) {
  result.sections["plan"] = planned.section;
  result.sections["plan"]["host_bytes"] = ToNumber(HostBytes(planned.terms));
  result.sections["plan"]["device_bytes"] = ToNumber(DeviceBytes(planned.terms));
  const absl::Status made = MakeOutFolder(flags.out);
  return made.ok() ? WriteResult(result, flags.out) : made;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  if (!flags.budget.empty()) {
    const absl::StatusOr<uint64_t> budget = ParseByteCount(flags.budget);
    if (!budget.ok()) {
      return Fail(flags, budget.status(), absl::StrCat("--budget: ", budget.status().message()));
    }
    flags.budget_bytes = *budget;
  }
  const Result result = StartResult(CommandLine("plan", argc, argv));
  const absl::StatusOr<PlanFile> file = ReadPlanFile(flags.file);
  if (!file.ok()) return Fail(flags, file.status(), std::string(file.status().message()));
  for (const std::string& pointer : file->ignored_inputs) {
    Complain("plan",
             absl::StrCat(flags.file, ": at ", pointer, ": ignored; it is no input that is known"),
             kExitPass);
  }
  const absl::StatusOr<Planned> planned = Plan(flags, file->plan);
  if (!planned.ok()) {
    return Fail(flags, planned.status(),
                absl::StrCat(flags.file, ": ", planned.status().message()));
  }
  if (!flags.out.empty()) {
    const absl::Status written = WriteOut(flags, *planned, result);
    if (!written.ok()) return Fail(flags, written, std::string(written.message()));
  }
  std::cout << (flags.json ? Dump(planned->section) + "\n" : planned->text);
  return kExitPass;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
