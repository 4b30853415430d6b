#include "bench/google_suites.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmark/benchmark.h"
#include "nlohmann/json.hpp"
#include "props/harness/progress.h"
#include "reports/text.h"

namespace lockstep {
namespace {

// What is not measured because an implementation is too slow for it, or keeps too little of what it
// is asked to find: no failure of its.
constexpr char kLeftOut[] = "left out: ";

void Turn(benchmark::State& state, const Suite& suite, ProgressLine& progress) {
  progress.Show(suite.name);
  const auto trial = suite.make();
  if (!trial.ok()) {
    const bool left_out =
        absl::IsDeadlineExceeded(trial.status()) || absl::IsUnavailable(trial.status());
    state.SkipWithError(absl::StrCat(left_out ? kLeftOut : "", trial.status().message()).c_str());
    return;
  }
  for (auto _ : state) {
    const absl::StatusOr<double> ns = (*trial)();
    if (!ns.ok()) {
      state.SkipWithError(std::string(ns.status().message()).c_str());
      return;
    }
    state.SetIterationTime(1e-9 * *ns * suite.units);
  }
  state.counters["units"] = suite.units;
  state.counters["units/s"] = benchmark::Counter(
      suite.units * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// Keeps the nanoseconds of every run, and Google Benchmark's JSON.
class Keeper : public benchmark::BenchmarkReporter {
 public:
  Keeper() {
    json_.SetOutputStream(&text_);
    json_.SetErrorStream(&text_);
  }

  bool ReportContext(const Context& context) override { return json_.ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) {
        auto& said = absl::StartsWith(run.error_message, kLeftOut) ? left_out_ : errors_;
        said.insert(absl::StrCat(run.run_name.function_name, ": ", run.error_message));
      } else if (run.run_type == Run::RT_Iteration) {
        ns_[run.run_name.function_name].push_back(1e9 * run.real_accumulated_time /
                                                  static_cast<double>(run.iterations));
      }
    }
    json_.ReportRuns(runs);
  }
  void Finalize() override { json_.Finalize(); }

  std::string json() const { return text_.str(); }
  // Each said once, whatever the number of repetitions.
  const std::set<std::string>& errors() const { return errors_; }
  const std::set<std::string>& left_out() const { return left_out_; }
  // Of one turn.
  std::optional<double> MedianNs(const std::string& name) const {
    const auto it = ns_.find(name);
    if (it == ns_.end()) return std::nullopt;
    return EstimateMedian(it->second).median;
  }

 private:
  std::ostringstream text_;
  benchmark::JSONReporter json_;
  std::map<std::string, std::vector<double>> ns_;
  std::set<std::string> errors_, left_out_;
};

// Nanoseconds for each unit of the suite; nothing where it was not run.
std::optional<double> NsPerUnit(const Suite& suite, const Keeper& keeper) {
  const std::optional<double> ns = keeper.MedianNs(suite.name);
  if (!ns.has_value()) return std::nullopt;
  return *ns / suite.units;
}

// The lowest of the floors that were measured: at the best prefetch distance.
std::optional<double> FloorOf(const Suite& suite, const std::vector<Suite>& suites,
                              const Keeper& keeper) {
  std::optional<double> lowest;
  if (suite.floor.empty()) return lowest;
  for (const Suite& other : suites) {
    if (other.axis != suite.axis || !absl::StartsWith(other.operation, suite.floor)) continue;
    const std::optional<double> ns = NsPerUnit(other, keeper);
    if (ns.has_value() && (!lowest.has_value() || *ns < *lowest)) lowest = ns;
  }
  return lowest;
}

std::optional<double> PlainOf(const Suite& suite, const std::vector<Suite>& suites,
                              const Keeper& keeper) {
  if (suite.impl == "plain_exact") return std::nullopt;
  for (const Suite& other : suites) {
    if (other.impl == "plain_exact" && other.operation == suite.operation &&
        other.axis == suite.axis) {
      return NsPerUnit(other, keeper);
    }
  }
  return std::nullopt;
}

std::string Ratio(double ns, std::optional<double> to) {
  return to.has_value() && *to > 0 ? absl::StrFormat("%.2f", ns / *to) : "";
}

std::string TableOf(const std::vector<Suite>& suites, const Keeper& keeper) {
  using Align = TextTable::Align;
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.AddRow({"benchmark", "ns", "each/s", "x floor", "x plain"});
  for (const Suite& suite : suites) {
    const std::optional<double> ns = NsPerUnit(suite, keeper);
    if (!ns.has_value()) continue;
    table.AddRow({PrintableLine(suite.name), absl::StrFormat("%.2f", *ns),
                  WithThousands(static_cast<uint64_t>(1e9 / std::max(*ns, 1e-3))),
                  Ratio(*ns, FloorOf(suite, suites, keeper)),
                  Ratio(*ns, PlainOf(suite, suites, keeper))});
  }
  return table.Render();
}

// The library says how it was built itself, which says nothing about what it measured.
std::string WithOurBuildType(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_discarded()) return text;
#ifdef NDEBUG
  json["context"]["library_build_type"] = "release";
#else
  json["context"]["library_build_type"] = "debug";
#endif
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

absl::StatusOr<SuiteResults> RunSuites(
    const std::vector<Suite>& suites, const SuiteOptions& options,
    const std::vector<std::pair<std::string, std::string>>& context) {
  // Chosen here, and not by Google Benchmark, which appends to the names what it looks at.
  std::vector<const Suite*> chosen;
  try {
    const std::regex expression(options.filter, std::regex::extended);
    for (const Suite& suite : suites) {
      if (std::regex_search(suite.name, expression)) chosen.push_back(&suite);
    }
  } catch (const std::regex_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("--filter ", options.filter, " is no regular expression: ", error.what()));
  }
  if (chosen.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--filter ", options.filter, " matches no benchmark: --list names them"));
  }
  // Google Benchmark takes its settings from a command line only.
  std::vector<std::string> args = {"lockstep-bench", "--benchmark_filter=.",
                                   absl::StrCat("--benchmark_min_time=", options.min_time_seconds),
                                   absl::StrCat("--benchmark_repetitions=", options.repetitions),
                                   absl::StrCat("--benchmark_enable_random_interleaving=",
                                                options.repetitions > 1 ? "true" : "false")};
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  for (const auto& [name, value] : context) benchmark::AddCustomContext(name, value);
  ProgressLine progress;
  for (const Suite* suite : chosen) {
    benchmark::RegisterBenchmark(
        suite->name.c_str(),
        [suite, &progress](benchmark::State& state) { Turn(state, *suite, progress); })
        ->UseManualTime()
        ->Unit(benchmark::kNanosecond);
  }
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  benchmark::ClearRegisteredBenchmarks();
  SuiteResults results = {.json = WithOurBuildType(keeper.json()),
                          .table = TableOf(suites, keeper),
                          .failed = !keeper.errors().empty()};
  for (const std::string& reason : keeper.left_out()) {
    absl::StrAppend(&results.table, PrintableLine(reason), "\n");
  }
  for (const std::string& error : keeper.errors()) {
    absl::StrAppend(&results.table, "FAILED ", PrintableLine(error), "\n");
  }
  return results;
}

}  // namespace lockstep
