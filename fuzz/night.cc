#include "fuzz/night.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fuzz/child.h"
#include "fuzz/corpus.h"
#include "fuzz/night_sections.h"
#include "props/harness/input_file.h"
#include "props/harness/progress.h"

namespace lockstep::fuzz {

volatile int interrupted = 0;

namespace {

namespace fs = std::filesystem;

// One slice of time of one target.
struct Slice {
  Shift* shift;
  Child child;
  std::string log;
  absl::Time started;
};

class Night {
 public:
  Night(const NightOptions& options, Result& result)
      : options_(options), result_(result), cabinet_(options) {
    for (const Target& target : options.targets) shifts_.push_back({.target = target});
  }

  absl::Status Run() {
    if (absl::Status status = Prepare(); !status.ok()) return status;
    for (const Shift& shift : shifts_) {
      cabinet_.ReplayRegressions(shift.target);
      cabinet_.Examine(shift.target, absl::Seconds(10));
    }
    const absl::Time end = absl::Now() + options_.time;
    if (absl::Status status = RunCanary(end); !status.ok()) return status;
    // A tenth of the time, three minutes at most, is kept for merging.
    const absl::Time fuzz_until = end - std::min(options_.time / 10, absl::Minutes(3));
    if (absl::Status status = Fuzz(fuzz_until); !status.ok()) return status;
    Merge(end);
    WriteNightSections(options_, shifts_, canary_, cabinet_.faults(), result_);
    return absl::OkStatus();
  }

 private:
  absl::Status Prepare() {
    std::error_code error;
    fs::create_directories(options_.out, error);
    for (const Shift& shift : shifts_) {
      const std::string program = options_.programs + "/fuzz_" + shift.target.name;
      if (!fs::exists(program, error)) {
        return absl::FailedPreconditionError(absl::StrCat(
            program, ": is missing; build the preset `fuzz`, or run this through ./lockstep fuzz"));
      }
      if (absl::Status status = OpenCorpus(options_, shift.target); !status.ok()) return status;
      fs::create_directories(options_.out + "/artifacts/" + shift.target.name, error);
      fs::create_directories(options_.out + "/logs", error);
      if (error) {
        return absl::InternalError(
            absl::StrCat(options_.out, ": cannot be made: ", error.message()));
      }
    }
    return CheckDisk(options_);
  }

  // A target with a planted fault, from the seeds alone: it must be found.
  absl::Status RunCanary(absl::Time end) {
    const Target canary = {.name = "canary"};
    const std::string folder = options_.out + "/canary";
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder + "/grown", error);
    // Short nights give it a few seconds too, or its being missed would mean nothing.
    const absl::Duration limit =
        std::clamp((end - absl::Now()) / 4, absl::Seconds(10), absl::Minutes(2));
    std::vector<std::string> command = TargetCommand(options_, canary);
    command.insert(command.end(), {"-artifact_prefix=" + folder + "/", "-max_len=512",
                                   folder + "/grown", options_.seeds + "/cache_exact"});
    const absl::Time start = absl::Now();
    absl::StatusOr<Child> child = Child::Start(command, folder + "/log");
    if (!child.ok()) return child.status();
    while (!child->Poll() && absl::Now() - start < limit && !Interrupted()) {
      progress_.Show("canary: looking for the planted fault");
      absl::SleepFor(absl::Milliseconds(50));
    }
    const bool ended = child->Poll().has_value();
    child->Kill();
    const absl::StatusOr<std::string> log = ReadInputFile(folder + "/log");
    canary_.signature = ended && log.ok() ? ReadSignature(*log) : "";
    canary_.seconds = absl::ToDoubleSeconds(absl::Now() - start);
    return absl::OkStatus();
  }

  absl::Status Fuzz(absl::Time until) {
    std::vector<Slice> running;
    while (absl::Now() < until && !Interrupted()) {
      if (absl::Status status = CheckDisk(options_); !status.ok()) return status;
      while (running.size() < static_cast<size_t>(options_.jobs)) {
        Shift* const next = NextShift();
        if (next == nullptr) break;
        absl::StatusOr<Slice> slice = Start(*next, until);
        if (!slice.ok()) return slice.status();
        running.push_back(*std::move(slice));
      }
      absl::SleepFor(absl::Milliseconds(100));
      std::erase_if(running, [&](Slice& slice) { return Ended(slice, until); });
      ShowProgress(running, until);
    }
    for (Slice& slice : running) {
      slice.child.Kill();
      Finish(slice);
    }
    return absl::OkStatus();
  }

  // The target that has had the least time; one that still finds something counts half of it.
  Shift* NextShift() {
    Shift* next = nullptr;
    const auto weight = [](const Shift& s) { return s.used * (s.finding ? 0.5 : 1.0); };
    for (Shift& shift : shifts_) {
      if (shift.running) continue;
      if (next == nullptr || weight(shift) < weight(*next)) next = &shift;
    }
    return next;
  }

  absl::StatusOr<Slice> Start(Shift& shift, absl::Time until) {
    // Every target has several turns.
    const absl::Duration fair = options_.time * options_.jobs / (4.0 * double(shifts_.size()));
    const absl::Duration time =
        std::clamp(fair, absl::Seconds(2), std::min(absl::Minutes(5), until - absl::Now()));
    const std::string& name = shift.target.name;
    const std::string log = options_.out + "/logs/" + name + ".log";
    std::vector<std::string> command = TargetCommand(options_, shift.target);
    command.insert(
        command.end(),
        {absl::StrCat("-max_total_time=", std::max<int64_t>(1, absl::ToInt64Seconds(time))),
         absl::StrCat("-use_value_profile=", shift.slices % 2),
         absl::StrCat("-max_len=", MaxLength(shift)), "-print_final_stats=1",
         "-artifact_prefix=" + options_.out + "/artifacts/" + name + "/", "-reload=0"});
    // What is deep is slow, and so is what is made of it: it has slices and a corpus of its own.
    if (IsDeep(shift)) {
      const std::string grown = options_.out + "/deep/" + shift.target.name;
      std::error_code error;
      fs::create_directories(grown, error);
      command.insert(command.end(), {grown, DeepSeedCorpus(options_)});
    } else {
      command.insert(command.end(),
                     {GrownCorpus(options_, shift.target), SeedCorpus(options_, shift.target)});
    }
    absl::StatusOr<Child> child = Child::Start(command, log);
    if (!child.ok()) return child.status();
    shift.running = true;
    ++shift.slices;
    return Slice{&shift, *std::move(child), log, absl::Now()};
  }

  // 160 bytes wrap a ring several times, and short inputs are quick; every fourth slice is for what
  // takes many calls.
  static bool IsDeep(const Shift& shift) { return shift.target.codec && shift.slices % 8 == 1; }
  static int MaxLength(const Shift& shift) {
    if (!shift.target.codec) return 4096;
    return shift.slices % 4 == 3 ? 4096 : 160;
  }

  bool Ended(Slice& slice, absl::Time until) {
    const absl::StatusOr<std::string> log = ReadInputFile(slice.log);
    if (const Pulse pulse = log.ok() ? ReadPulse(*log) : Pulse(); pulse.coverage > 0) {
      slice.shift->last = pulse;
    }
    if (!slice.child.Poll() && absl::Now() < until + absl::Seconds(2)) return false;
    slice.child.Kill();
    Finish(slice);
    return true;
  }

  void Finish(Slice& slice) {
    Shift& shift = *slice.shift;
    const absl::StatusOr<std::string> log = ReadInputFile(slice.log);
    const Pulse pulse = log.ok() ? ReadPulse(*log) : Pulse();
    shift.executions += pulse.executions;
    // A slice that ended while it read the corpus has nothing to say of the rest.
    if (pulse.coverage > 0) shift.last = pulse;
    if (log.ok()) shift.modules = std::max(shift.modules, ReadModules(*log));
    shift.used += absl::Now() - slice.started;
    shift.samples.push_back({absl::ToDoubleSeconds(shift.used), shift.executions,
                             shift.last.coverage, shift.last.corpus});
    shift.running = false;
    const bool new_fault = cabinet_.Examine(shift.target, absl::Seconds(20));
    shift.finding = new_fault || pulse.new_inputs > 0;
  }

  void ShowProgress(const std::vector<Slice>& running, absl::Time until) {
    uint64_t per_second = 0;
    std::string names;
    for (const Slice& slice : running) {
      per_second += slice.shift->last.executions_per_second;
      absl::StrAppend(&names, names.empty() ? "" : ", ", slice.shift->target.name, " (cov ",
                      slice.shift->last.coverage, ", corpus ", slice.shift->last.corpus, ")");
    }
    progress_.Show(absl::StrCat(
        names, ": ", per_second, " executions a second, ", cabinet_.faults().size(), " findings, ",
        std::max<int64_t>(0, absl::ToInt64Seconds(until - absl::Now())), " s left"));
  }

  // Each corpus has its share of what is left of the time.
  void Merge(absl::Time end) {
    int64_t left = static_cast<int64_t>(shifts_.size());
    for (Shift& shift : shifts_) {
      const absl::Duration share = (end - absl::Now()) / left--;
      if (Interrupted() || shift.slices == 0) continue;
      progress_.Show("merging the corpus of " + shift.target.name);
      const MergeOutcome outcome = MergeCorpus(options_, shift.target, absl::Now() + share);
      shift.unmerged = outcome.why_not;
      shift.merge_refused = outcome.refused;
    }
  }

  const NightOptions& options_;
  Result& result_;
  FaultCabinet cabinet_;
  std::vector<Shift> shifts_;
  Canary canary_;
  ProgressLine progress_;
};

}  // namespace

const std::vector<Target>& Targets() {
  static const std::vector<Target> targets = {
      {.name = "cache_exact", .codec = true, .any_library = true, .least_per_second = 400},
      {.name = "cache_sound", .codec = true, .any_library = true, .least_per_second = 400},
      {.name = "scopes", .codec = true, .any_library = true, .least_per_second = 100},
      {.name = "c_arguments", .any_library = true, .least_per_second = 50},
      {.name = "own_history", .least_per_second = 400},
      {.name = "plans", .least_per_second = 50},
      {.name = "results", .least_per_second = 50},
      {.name = "trace_reader", .least_per_second = 50},
      {.name = "transcripts", .least_per_second = 50},
  };
  return targets;
}

absl::Status RunNight(const NightOptions& options, Result& result) {
  setenv("LOCKSTEP_FUZZ_NIGHT", "1", 1);
  if (!options.impl.empty()) setenv("LOCKSTEP_FUZZ_IMPL", options.impl.c_str(), 1);
  return Night(options, result).Run();
}

}  // namespace lockstep::fuzz
