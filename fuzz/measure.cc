#include "fuzz/measure.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "fuzz/child.h"
#include "fuzz/corpus.h"
#include "fuzz/corpus_figures.h"
#include "props/harness/input_file.h"
#include "props/harness/progress.h"

namespace lockstep::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double kLeastTiny = 10'000;
constexpr double kLeastConfigured = 500;
constexpr double kLeastWrapping = 1.0 / 3;

// The inputs of the corpus, copied to OUT/measure/{tiny,configured,all}.
absl::Status SortInputs(const NightOptions& options, const std::vector<std::string>& corpora) {
  std::error_code error;
  fs::remove_all(options.out + "/measure", error);
  for (const char* kind : {"tiny", "configured", "all"}) {
    fs::create_directories(absl::StrCat(options.out, "/measure/", kind), error);
  }
  for (const std::string& corpus : corpora) {
    for (const std::string& file : FilesIn(corpus)) {
      const absl::StatusOr<std::string> bytes = ReadInputFile(file);
      if (!bytes.ok()) return bytes.status();
      const std::string kind = IsTiny(*bytes) ? "tiny" : "configured";
      for (const std::string& to : {kind, std::string("all")}) {
        const absl::Status written = WriteFileAtomically(
            absl::StrCat(options.out, "/measure/", to, "/", fs::path(file).filename().string()),
            *bytes);
        if (!written.ok()) return written;
      }
    }
  }
  return absl::OkStatus();
}

// Runs the command with its output in OUT/measure/NAME.log; its processor time in `used`.
absl::StatusOr<std::string> RunAndRead(const NightOptions& options,
                                       const std::vector<std::string>& command,
                                       const std::string& name, absl::Duration& used) {
  const std::string log = absl::StrCat(options.out, "/measure/", name, ".log");
  absl::StatusOr<Child> child = Child::Start(command, log);
  if (!child.ok()) return child.status();
  // On a busy machine a minute of processor time may be several.
  const int code = child->Wait(options.time * 20 + absl::Minutes(1), Interrupted);
  if (code != 0) {
    return absl::InternalError(absl::StrCat(command[0], " ended with ", code, "; see ", log));
  }
  used = child->processor_time();
  return ReadInputFile(log);
}

double NumberBefore(const std::string& text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == text.npos) return 0;
  const size_t line = text.rfind('\n', at);
  double value = 0;
  (void)absl::SimpleAtod(text.substr(line + 1, at - line - 1), &value);
  return value;
}

absl::StatusOr<double> Replayed(const NightOptions& options, const std::string& kind) {
  absl::Duration used;
  const absl::StatusOr<std::string> log =
      RunAndRead(options,
                 {options.programs + "/replay_cache_exact", "--measure",
                  absl::StrCat(absl::ToDoubleSeconds(options.time)),
                  absl::StrCat(options.out, "/measure/", kind)},
                 kind, used);
  if (!log.ok()) return log.status();
  return NumberBefore(*log, " executions a second");
}

absl::StatusOr<double> Fuzzed(const NightOptions& options, const Target& target) {
  absl::Duration used;
  std::vector<std::string> command = TargetCommand(options, target);
  command.insert(command.end(),
                 {absl::StrCat("-max_total_time=", absl::ToInt64Seconds(options.time)),
                  "-max_len=160", "-reload=0", options.out + "/measure/all"});
  const absl::StatusOr<std::string> log = RunAndRead(options, command, "fuzzed", used);
  if (!log.ok()) return log.status();
  return static_cast<double>(ReadPulse(*log).executions) / absl::ToDoubleSeconds(used);
}

}  // namespace

absl::Status MeasureSpeed(const NightOptions& options, Result& result) {
  const Target& target = Targets()[0];
  ProgressLine progress;
  progress.Show("merging the corpus of " + target.name);
  std::error_code error;
  fs::create_directories(options.out + "/logs", error);
  if (absl::Status status = OpenCorpus(options, target); !status.ok()) return status;
  NightOptions accepting = options;
  accepting.accept = true;
  const MergeOutcome merged = MergeCorpus(accepting, target, absl::Now() + absl::Minutes(10));
  if (!merged.why_not.empty()) return absl::InternalError(merged.why_not);
  const std::string corpus = GrownCorpus(options, target);
  if (absl::Status status = SortInputs(options, {corpus}); !status.ok()) return status;
  const CorpusFigures figures = FiguresOf({corpus});
  Json rows = Json::array();
  bool held = true;
  const auto add = [&](const std::string& what, double got, double least) {
    rows.push_back(
        {{"what", what}, {"executions_per_second", got}, {"least", least}, {"held", got >= least}});
    held = held && got >= least;
  };
  for (const auto& [kind, least] :
       {std::pair{"tiny", kLeastTiny}, {"configured", kLeastConfigured}}) {
    progress.Show(absl::StrCat("replaying ", kind, " inputs"));
    const absl::StatusOr<double> got = Replayed(options, kind);
    if (!got.ok()) return got.status();
    add(absl::StrCat("replay, ", kind), *got, least);
  }
  progress.Show("fuzzing");
  const absl::StatusOr<double> got = Fuzzed(options, target);
  if (!got.ok()) return got.status();
  add("libFuzzer, mutating all of them", *got, 0);
  held = held && figures.wrapping_share() >= kLeastWrapping;
  result.sections["fuzz_speed"] = {{"inputs", figures.inputs},
                                   {"tiny_inputs", figures.tiny},
                                   {"wrapping_share", figures.wrapping_share()},
                                   {"least_wrapping_share", kLeastWrapping},
                                   {"seconds_each", absl::ToDoubleSeconds(options.time)},
                                   {"rows", std::move(rows)}};
  if (!held) result.exit_code = WorseExitCode(result.exit_code, kExitFloorMissed);
  return absl::OkStatus();
}

std::string SpeedText(const Result& result) {
  const Json& speed = result.sections.at("fuzz_speed");
  std::string text = absl::StrFormat(
      "%d inputs of cache_exact (%d over tiny caches), merged; %.0f %% wrap a ring\n",
      speed.at("inputs").get<uint64_t>(), speed.at("tiny_inputs").get<uint64_t>(),
      100 * speed.at("wrapping_share").get<double>());
  for (const Json& row : speed.at("rows")) {
    absl::StrAppend(&text, absl::StrFormat("%-34s %8.0f executions a second of processor time%s\n",
                                           row.at("what").get<std::string>(),
                                           row.at("executions_per_second").get<double>(),
                                           row.at("held") == true ? "" : "  TOO SLOW"));
  }
  return text;
}

}  // namespace lockstep::fuzz
