// lockstep-replay: what would the cache save on my traffic?

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/replay/replay_report.h"
#include "bench/replay/sweep.h"
#include "props/harness/byte_count.h"
#include "props/harness/progress.h"
#include "reports/command_line.h"
#include "reports/file_hash.h"
#include "reports/result.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Replays = std::vector<ReplayReport>;

struct Flags {
  std::vector<std::string> traces;
  std::string budget = "64M";
  std::string policy = "plain";
  std::vector<std::string> sweep;
  std::string impl;
  std::string out;
  size_t jobs = 2;
  bool json = false;
  bool csv = false;
  ReplaySettings settings;
};

CommandHelp Help() {
  return {
      .name = "replay",
      .answers = "What would the cache save on my traffic?",
      .about =
          "Decodes each recorded request with its own history alone and with the shared cache "
          "behind it, then inserts it, and says how many steps of the engine each way saves.\n"
          "A trace is one request a line: {\"id\",\"scope\",\"prompt\",\"output\"}, tokens as "
          "numbers; .zst is read as it is, several files are shards of one stream, - is standard "
          "input. Latencies include the reading of the clock, some 20 to 40 ns.",
      .examples = {{"./lockstep trace --git .", "a trace, where there is none yet"},
                   {"./lockstep replay requests.jsonl.zst --budget 256M", "one setting"},
                   {"./lockstep replay a.jsonl b.jsonl --sweep budget=1M,16M key-len=4,8",
                    "every combination"},
                   {"./lockstep replay requests.jsonl --impl libengine.so", "another library"}},
      .exit_codes = {{0, "replayed"},
                     {1, "the implementation broke its bounds"},
                     {2, "bad usage or input"},
                     {4, "the library or the cache cannot be made"},
                     {5, "nothing was replayed: no request has an output"}}};
}

void AddFlags(CLI::App& app, Flags& flags) {
  Describe(app, Help());
  app.add_option("TRACE", flags.traces, "trace files (.jsonl, .jsonl.zst), or -");
  app.add_option("--budget", flags.budget, "of the cache, such as 512K or 2G")->type_name("BYTES");
  app.add_option("--scopes", flags.settings.cache.max_scopes, "scopes that share the budget")
      ->type_name("N");
  app.add_option("--key-len", flags.settings.cache.key_len, "tokens that a draft must follow")
      ->type_name("TOKENS");
  app.add_option("--max-draft", flags.settings.max_draft, "most tokens of a draft")
      ->type_name("TOKENS")
      ->check(CLI::Range(uint64_t{1}, kMostMaxDraft));
  app.add_option("--policy", flags.policy,
                 "plain: every step drafts; engine: with copy window and miss back-off")
      ->type_name("plain|engine")
      ->check(CLI::IsMember({"plain", "engine"}));
  app.add_option("--sweep", flags.sweep,
                 "all combinations of such lists: budget=1M,4M key-len=4,8 scopes=1,4 "
                 "max-draft=4,8 policy=plain,engine")
      ->type_name("AXIS=LIST");
  app.add_option("--jobs", flags.jobs, "settings of a sweep that run at once")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  app.add_option("--impl", flags.impl, "replay with this library in place of our own core")
      ->type_name("LIB.so");
  app.add_option("--out", flags.out, "folder for result.json and replay.csv")
      ->type_name("DIR")
      ->default_str("out/replay, if it can be made");
  auto* json = app.add_flag("--json", flags.json, "print result.json instead of tables");
  app.add_flag("--csv", flags.csv, "print CSV instead of tables")->excludes(json);
}

// A trace that follows the values of --sweep was taken for one of them.
void SortSweepFromTraces(Flags& flags) {
  const auto traces = std::stable_partition(flags.sweep.begin(), flags.sweep.end(), IsSweepAxis);
  const bool is_slip = std::any_of(traces, flags.sweep.end(), [](const std::string& item) {
    return item.find('=') != std::string::npos && !std::filesystem::exists(item);
  });
  if (is_slip) return;  // "bugdet=1M": named as an axis later
  flags.traces.insert(flags.traces.end(), traces, flags.sweep.end());
  flags.sweep.erase(traces, flags.sweep.end());
}

absl::StatusOr<std::vector<ReplaySettings>> Settings(const Flags& flags) {
  if (flags.traces.empty()) return absl::InvalidArgumentError("no trace: name at least one, or -");
  const bool standard_input =
      std::find(flags.traces.begin(), flags.traces.end(), "-") != flags.traces.end();
  absl::StatusOr<std::vector<ReplaySettings>> settings = ParseSweep(flags.sweep, flags.settings);
  if (settings.ok() && settings->size() > 1 && standard_input) {
    return absl::InvalidArgumentError(
        "--sweep reads the trace once per setting, and standard input can be read once: name a "
        "file");
  }
  return settings;
}

// "2 of 9 settings [#####     ] 48 % 12.3 M tokens/s".
std::string ProgressText(const SweepProgress& now, uint64_t bytes_total) {
  std::string text;
  if (now.settings > 1)
    absl::StrAppend(&text, now.settings_done, " of ", now.settings, " settings ");
  if (bytes_total > 0) {
    const double done = std::min(
        1.0, static_cast<double>(now.bytes) / static_cast<double>(bytes_total * now.settings));
    constexpr int kBar = 30;
    std::string bar(static_cast<size_t>(done * kBar), '#');
    bar.resize(kBar, ' ');
    absl::StrAppendFormat(&text, "[%s] %.0f %% ", bar, 100 * done);
  } else {
    absl::StrAppendFormat(&text, "%.1f M tokens ", static_cast<double>(now.tokens) / 1e6);
  }
  absl::StrAppendFormat(&text, "%.1f M tokens/s", now.tokens_per_second / 1e6);
  return text;
}

absl::StatusOr<CInterface> Implementation(const Flags& flags, Result& result) {
  CInterface functions = OwnCore();
  if (!flags.impl.empty()) {
    absl::StatusOr<CInterface> loaded = LoadLibrary(flags.impl);
    // Not a promise that is broken: there is nothing to judge.
    if (!loaded.ok()) return absl::UnavailableError(loaded.status().message());
    functions = *loaded;
    absl::StatusOr<std::string> hash = Sha256OfFile(flags.impl);
    if (hash.ok()) result.impl_sha256 = *std::move(hash);
  }
  result.impl_path = flags.impl;
  result.impl_name = functions.impl_name();
  return functions;
}

absl::StatusOr<Replays> Run(const Flags& flags, const CInterface& implementation) {
  const absl::StatusOr<std::vector<ReplaySettings>> settings = Settings(flags);
  if (!settings.ok()) return settings.status();
  const absl::StatusOr<std::unique_ptr<TraceReader>> reader = TraceReader::Open(flags.traces);
  if (!reader.ok()) return reader.status();
  const uint64_t bytes_total = (*reader)->bytes_total();
  ProgressLine line;
  return ReplayAll(implementation, *settings, flags.traces, flags.jobs,
                   [&](const SweepProgress& now) { line.Show(ProgressText(now, bytes_total)); });
}

int Fail(const absl::Status& status) {
  return Complain("replay", status.message(), ExitCodeOf(status, kExitBrokenPromise));
}

std::string Csv(const std::string& trace, const Replays& replays) {
  std::string csv = CsvHeader();
  for (const ReplayReport& replay : replays) csv += CsvRow(trace, replay);
  return csv;
}

absl::Status Write(const std::string& dir, const Result& result, const std::string& csv) {
  absl::Status written = MakeOutFolder(dir);
  if (written.ok()) written = WriteResult(result, dir);
  if (!written.ok()) return written;
  return WriteFileAtomically(dir + "/replay.csv", csv);
}

int Report(const Flags& flags, const Replays& replays, Result result) {
  const std::string trace = TraceName(flags.traces);
  result.sections["replay"] = nlohmann::ordered_json::array();
  for (const ReplayReport& replay : replays) {
    result.sections["replay"].push_back(ReplayToJson(trace, replay));
  }
  if (replays.front().all.output_tokens == 0) {
    result.exit_code =
        Complain("replay", "nothing was replayed: no request has an output", kExitFloorMissed);
  }
  const std::string csv = Csv(trace, replays);
  const std::string out = flags.out.empty() ? "out/replay" : flags.out;
  const absl::Status written = Write(out, result, csv);
  if (!written.ok() && !flags.out.empty()) return Fail(written);
  // Nobody asked for files, and the figures are there.
  const std::string where = written.ok() ? "\nwritten to " + out + "\n" : "";
  if (flags.json) {
    std::cout << ToJsonText(result);
  } else if (flags.csv) {
    std::cout << csv;
  } else if (replays.size() > 1) {
    std::cout << RenderSweep(trace, result.impl_name, replays) << where;
  } else {
    std::cout << RenderReplay(trace, result.impl_name, replays.front()) << where;
  }
  return result.exit_code;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  const std::string command = CommandLine("replay", argc, argv);
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  SortSweepFromTraces(flags);
  const absl::StatusOr<uint64_t> budget = ParseByteCount(flags.budget);
  if (!budget.ok()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat("--budget: ", budget.status().message())));
  }
  flags.settings.cache.budget_bytes = *budget;
  flags.settings.policy = flags.policy == "plain" ? DraftPolicy::kPlain : DraftPolicy::kEngine;

  const absl::Time start = absl::Now();
  Result result = StartResult(command);
  const absl::StatusOr<CInterface> implementation = Implementation(flags, result);
  if (!implementation.ok()) return Fail(implementation.status());
  const absl::StatusOr<Replays> replays = Run(flags, *implementation);
  if (!replays.ok()) return Fail(replays.status());
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  return Report(flags, *replays, std::move(result));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
