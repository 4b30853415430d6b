#include "bench/gate/gate_run.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "bench/gate/builds.h"
#include "bench/gate/certify.h"
#include "bench/gate/comparison.h"
#include "bench/gate/gate_report.h"
#include "bench/gate/own_trace.h"
#include "bench/gate/revisions.h"
#include "props/harness/progress.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

int Fail(int code, absl::string_view what) {
  std::cerr << "lockstep-gate: " << what << "\n";
  return code;
}

class Command {
 public:
  explicit Command(const GateFlags& flags)
      : flags_(flags), out_(flags.out), result_(StartResult(flags.command)) {
    if (out_.empty()) out_ = flags.certify ? "out/gate_certificate" : "out/gate";
    const char* root = std::getenv("LOCKSTEP_ROOT");  // the front door can be called from anywhere
    root_ = root != nullptr ? root : fs::current_path().string();
  }

  int Run();

 private:
  int CompareRevisions();
  int CompareLibraries(const std::string& base, const std::string& head);
  int BuildAndCompare(const Revisions& revisions);
  int Certify();
  int Finish(const Comparison& comparison);
  int Failed(const absl::Status& status, const std::string& what = "");
  absl::Status Write(const Comparison& comparison);
  void SetOptions(const std::vector<std::string>& workloads);
  void KeepToBudget();
  void MakeTrace();
  bool Lock();

  const GateFlags& flags_;
  std::string out_;
  std::string root_;
  ComparisonOptions options_;
  Surroundings surroundings_;
  Result result_;
  ProgressLine progress_{absl::ZeroDuration()};  // a build says nothing while it lasts
};

void Command::SetOptions(const std::vector<std::string>& workloads) {
  options_.workloads = workloads;
  for (const std::string& name : ShortGateNames()) {
    const bool wanted = std::find(workloads.begin(), workloads.end(), name) != workloads.end();
    if (wanted && flags_.workloads.empty()) options_.forced.push_back(name);
  }
  if (__builtin_cpu_supports("avx2") == 0) options_.forced.clear();
  options_.seed = flags_.seed != 0 ? flags_.seed : std::random_device()();
  options_.batch_us = flags_.batch_us;
  KeepToBudget();
  options_.skip_identical = !flags_.measure_identical;
  options_.instructions = !flags_.no_instructions;
  options_.scratch = (fs::absolute(out_) / "callgrind").string();
  options_.progress = [this](const std::string& what) { progress_.Show("gate: " + what); };
}

void Command::KeepToBudget() {
  options_.budget_seconds = flags_.budget_seconds;
  if (flags_.budget_seconds <= 0) return;
  // Half of the time for the batches; the rest goes into filling caches and making inputs.
  const double batches =
      2.0 * options_.pairs * options_.first_processes *
      static_cast<double>(options_.workloads.size() + options_.forced.size() + 1);
  const int fits = static_cast<int>(flags_.budget_seconds / 2 / batches * 1e6);
  options_.batch_us = std::clamp(fits, 100, flags_.batch_us);
  if (options_.batch_us < flags_.batch_us) {
    surroundings_.remarks.push_back(
        absl::StrCat("batches of ", options_.batch_us, " us, to keep to the budget"));
  }
}

// Takes what the replays need, or the replays out of the workloads.
void Command::MakeTrace() {
  const auto replays = [](const std::string& name) { return name.starts_with("replay/"); };
  if (std::none_of(options_.workloads.begin(), options_.workloads.end(), replays)) return;
  const std::string trace = (fs::absolute(out_) / "own_trace").string();
  if (WriteOwnTrace(root_, trace).ok()) {
    options_.trace = trace;
    return;
  }
  surroundings_.remarks.emplace_back("no git history here, so nothing was replayed");
  std::erase_if(options_.workloads, replays);
}

// False, and said, when another gate works in this clone: both would time each other's noise, and
// build in the same folders.
bool Command::Lock() {
  const std::string path = root_ + "/build/gate/.lock";
  std::error_code error;
  fs::create_directories(root_ + "/build/gate", error);
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);  // until the process ends
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
  Fail(kExitHarnessFailed, fd < 0 ? path + ": cannot be written"
                                  : "another gate is at work in this clone; wait for its end");
  return false;
}

absl::Status Command::Write(const Comparison& comparison) {
  surroundings_.machine = result_.machine;
  surroundings_.seed = options_.seed;
  result_.exit_code = comparison.exit_code;
  result_.seconds = comparison.seconds;
  result_.seed = options_.seed;
  result_.sections["gate"] = GateSection(comparison, surroundings_);
  const fs::path dir(out_);
  absl::Status written = WriteResult(result_, out_);
  written.Update(
      WriteFileAtomically((dir / "summary.md").string(), GateMarkdown(comparison, surroundings_)));
  written.Update(WriteFileAtomically((dir / "junit.xml").string(), GateJUnit(comparison)));
  return written;
}

int Command::Finish(const Comparison& comparison) {
  progress_.Clear();
  if (!comparison.no_instructions.empty()) {
    surroundings_.remarks.push_back("no instructions counted: " + comparison.no_instructions);
  }
  if (const absl::Status s = Write(comparison); !s.ok()) {
    return Fail(kExitHarnessFailed, s.message());
  }
  std::cout << (flags_.json ? ToJson(result_).dump(2) + "\n"
                            : GateMarkdown(comparison, surroundings_));
  return comparison.exit_code;
}

// Also in the reports: those of the last run must not stand for this one.
int Command::Failed(const absl::Status& status, const std::string& what) {
  progress_.Clear();
  Comparison none;
  // What a compiler said is no fault of the command line.
  none.exit_code = what.empty() && status.code() == absl::StatusCode::kInvalidArgument
                       ? kExitBadInput
                       : kExitHarnessFailed;
  const std::string message = absl::StrCat(what, status.message());
  none.verdict = "NOT COMPARED: " + message.substr(0, message.find('\n'));
  if (const absl::Status s = Write(none); !s.ok()) std::cerr << s.message() << "\n";
  return Fail(none.exit_code, message);
}

int Command::CompareLibraries(const std::string& base, const std::string& head) {
  MakeTrace();
  const absl::StatusOr<Comparison> comparison = Compare(base, head, options_);
  if (!comparison.ok()) return Failed(absl::UnavailableError(comparison.status().message()));
  return Finish(*comparison);
}

int Command::CompareRevisions() {
  const absl::StatusOr<Revisions> r = ReadRevisions(root_, flags_.base, flags_.head);
  if (!r.ok()) return Failed(r.status());
  surroundings_.base = r->base.substr(0, 12);
  surroundings_.head = r->head_commit.substr(0, 12) + (r->dirty ? " with changes" : "");
  if (r->dirty) {
    surroundings_.remarks.emplace_back("the working tree is dirty: head is what it holds now");
  }
  for (const auto& [workload, reason] : r->accepted) {
    surroundings_.remarks.push_back(absl::StrCat("Perf-Accept: ", workload, " ", reason));
  }
  options_.accepted = r->accepted;
  if (r->changed_inputs.empty() && !flags_.measure_identical) {
    Comparison same;
    same.identical = true;
    same.verdict = "SAME: nothing that the library is built from has changed";
    return Finish(same);
  }
  return Lock() ? BuildAndCompare(*r) : kExitHarnessFailed;
}

int Command::BuildAndCompare(const Revisions& r) {
  const std::string work = root_ + "/build/gate";
  const auto build = [&](const std::string& name, const std::string& commit) {
    progress_.Show("gate: building " + name);
    if (commit.empty()) return BuildLibrary(root_, work + "/" + name);
    const std::string source = work + "/src_" + name;
    if (absl::Status s = CheckOut(root_, commit, source); !s.ok()) {
      return absl::StatusOr<std::string>(s);
    }
    return BuildLibrary(source, work + "/" + name);
  };
  const absl::StatusOr<std::string> base = build("base", r.base);
  if (!base.ok()) {
    return Failed(base.status(),
                  absl::StrCat("the base, ", surroundings_.base, ", does not build: "));
  }
  // One folder for a commit and one for the working tree: their object files have other paths.
  const std::string head_name = r.head.empty() ? "tree" : "head";
  const absl::StatusOr<std::string> head = build(head_name, r.head);
  if (!head.ok()) return Failed(head.status(), "head does not build: ");
  options_.relink = [&](int order) -> absl::StatusOr<std::pair<std::string, std::string>> {
    absl::StatusOr<std::string> a = Relink(work + "/base", order);
    if (!a.ok()) return a.status();
    absl::StatusOr<std::string> b = Relink(work + "/" + head_name, order);
    if (!b.ok()) return b.status();
    return std::pair(*a, *b);
  };
  return CompareLibraries(*base, *head);
}

int Command::Certify() {
  const fs::path dir = fs::absolute(out_).lexically_normal();
  const std::string records = (dir / "records.jsonl").string();
  absl::Status status;
  if (!flags_.render) {
    MakeTrace();
    const double seconds = flags_.hours * 3600 + flags_.minutes * 60;
    status = RunCertification({.root = root_,
                               .dir = dir.string(),
                               .seconds = seconds > 0 ? seconds : 3600,
                               .commit = result_.commit,
                               .machine = result_.machine,
                               .full = options_,
                               .progress = options_.progress});
    progress_.Clear();
    if (!status.ok()) Fail(kExitHarnessFailed, status.message());
  }
  const absl::StatusOr<Certificate> c = RenderCertificate(records);
  if (!c.ok()) return Fail(status.ok() ? kExitBadInput : kExitHarnessFailed, c.status().message());
  absl::Status written = WriteFileAtomically((dir / "gate_certificate.md").string(), c->markdown);
  written.Update(
      WriteFileAtomically((dir / "gate_certificate.json").string(), c->json.dump(2) + "\n"));
  if (!written.ok()) return Fail(kExitHarnessFailed, written.message());
  std::cout << (flags_.json ? c->json.dump(2) + "\n" : c->markdown);
  return status.ok() ? kExitPass : kExitHarnessFailed;
}

int Command::Run() {
  if (flags_.list) {
    for (const std::string& name : CWorkloadNames()) std::cout << name << "\n";
    return kExitPass;
  }
  const absl::StatusOr<std::vector<std::string>> workloads = SelectedWorkloads(flags_.workloads);
  if (!workloads.ok()) return Fail(kExitBadInput, workloads.status().message());
  std::error_code error;
  fs::create_directories(out_, error);
  if (error) {
    return Fail(kExitBadInput, absl::StrCat("--out ", out_, ": ", error.message(),
                                            "; name a folder that can be written"));
  }
  SetOptions(*workloads);
  if (flags_.certify) return Certify();
  if (!flags_.base.empty()) return CompareRevisions();
  if (flags_.base_lib.empty()) {
    return Fail(kExitBadInput, "name --base COMMIT, or --base-lib and --head-lib; see --help");
  }
  surroundings_.base = flags_.base_lib;
  surroundings_.head = flags_.head_lib;
  surroundings_.remarks.emplace_back("libraries were given, so there are no link orders to try");
  return CompareLibraries(flags_.base_lib, flags_.head_lib);
}

}  // namespace

int RunGate(const GateFlags& flags) { return Command(flags).Run(); }

}  // namespace lockstep::gate
