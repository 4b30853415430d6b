#include "bench/gate/gate_run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/gate/builds.h"
#include "bench/gate/certify.h"
#include "bench/gate/comparison.h"
#include "bench/gate/gate_report.h"
#include "bench/gate/own_trace.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

int Fail(int code, absl::string_view what) {
  std::cerr << "lockstep-gate: " << what << "\n";
  return code;
}

int CodeOf(const absl::Status& status) {
  return status.code() == absl::StatusCode::kInvalidArgument ? kExitBadInput : kExitHarnessFailed;
}

// On a terminal a line that moves, else one every half minute.
void ShowProgress(const std::string& what) {
  static time_t shown = 0;
  if (isatty(STDERR_FILENO) == 1) {
    std::fprintf(stderr, "\r\033[Klockstep-gate: %s", what.c_str());
  } else if (time(nullptr) - shown >= 30) {
    shown = time(nullptr);
    std::fprintf(stderr, "lockstep-gate: %s\n", what.c_str());
  }
}

void EndProgress() {
  if (isatty(STDERR_FILENO) == 1) std::fputs("\r\033[K", stderr);
}

absl::StatusOr<std::vector<std::string>> Selected(const std::vector<std::string>& wanted) {
  if (wanted.empty()) return CWorkloadNames();
  std::vector<std::string> selected;
  for (const std::string& part : wanted) {
    const size_t before = selected.size();
    for (const std::string& name : part == "short" ? ShortGateNames() : CWorkloadNames()) {
      if (part == "short" || name.find(part) != std::string::npos) selected.push_back(name);
    }
    if (selected.size() == before) {
      return absl::InvalidArgumentError(
          absl::StrCat("--workloads ", part, ": no workload has that in its name; see --list"));
    }
  }
  std::sort(selected.begin(), selected.end());
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  return selected;
}

class Command {
 public:
  explicit Command(const GateFlags& flags) : flags_(flags), out_(flags.out) {
    if (out_.empty()) out_ = flags.certify ? "out/gate_certificate" : "out/gate";
    const char* root = std::getenv("LOCKSTEP_ROOT");  // the front door can be called from anywhere
    root_ = root != nullptr ? root : fs::current_path().string();
  }

  int Run();

 private:
  int CompareRevisions();
  int CompareLibraries(const std::string& base, const std::string& head);
  int Certify();
  int Finish(const Comparison& comparison);
  void SetOptions(const std::vector<std::string>& workloads);

  const GateFlags& flags_;
  std::string out_;
  std::string root_;
  ComparisonOptions options_;
  Surroundings surroundings_;
  Result result_ = StartResult("gate");
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
  options_.budget_seconds = flags_.budget_seconds;
  if (flags_.budget_seconds > 0) {
    // Half of the time for the batches; the rest goes into filling caches and making inputs.
    const double batches = 2.0 * options_.pairs * options_.first_processes *
                           static_cast<double>(workloads.size() + options_.forced.size() + 1);
    const int fits = static_cast<int>(flags_.budget_seconds / 2 / batches * 1e6);
    options_.batch_us = std::clamp(fits, 100, flags_.batch_us);
    if (options_.batch_us < flags_.batch_us) {
      surroundings_.remarks.push_back(
          absl::StrCat("batches of ", options_.batch_us, " us, to keep to the budget"));
    }
  }
  options_.skip_identical = !flags_.measure_identical;
  options_.instructions = !flags_.no_instructions;
  options_.progress = ShowProgress;
  const std::string trace = (fs::path(out_) / "own_trace.bin").string();
  const bool replays = std::any_of(workloads.begin(), workloads.end(), [](const std::string& name) {
    return name.starts_with("replay/");
  });
  if (!replays) return;
  if (const absl::Status s = WriteOwnTrace(root_, trace); s.ok()) {
    options_.trace = trace;
    return;
  }
  surroundings_.remarks.emplace_back("no git history here, so nothing was replayed");
  std::erase_if(options_.workloads,
                [](const std::string& name) { return name.starts_with("replay/"); });
}

int Command::Finish(const Comparison& comparison) {
  EndProgress();
  surroundings_.machine = result_.machine;
  surroundings_.seed = options_.seed;
  result_.exit_code = comparison.exit_code;
  result_.seconds = comparison.seconds;
  result_.seed = options_.seed;
  result_.sections["gate"] = GateSection(comparison, surroundings_);
  const std::string markdown = GateMarkdown(comparison, surroundings_);
  const fs::path dir(out_);
  absl::Status written = WriteResult(result_, out_);
  written.Update(WriteFileAtomically((dir / "summary.md").string(), markdown));
  written.Update(WriteFileAtomically((dir / "junit.xml").string(), GateJUnit(comparison)));
  if (!written.ok()) return Fail(kExitHarnessFailed, written.message());
  std::cout << (flags_.json ? ToJson(result_).dump(2) + "\n" : markdown);
  return comparison.exit_code;
}

int Command::CompareLibraries(const std::string& base, const std::string& head) {
  const absl::StatusOr<Comparison> comparison = Compare(base, head, options_);
  EndProgress();
  if (!comparison.ok()) return Fail(kExitHarnessFailed, comparison.status().message());
  return Finish(*comparison);
}

int Command::CompareRevisions() {
  const absl::StatusOr<Revisions> r = ReadRevisions(root_, flags_.base, flags_.head);
  if (!r.ok()) return Fail(CodeOf(r.status()), r.status().message());
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
  const std::string work = root_ + "/build/gate";
  const auto build = [&](const std::string& name, const std::string& commit) {
    ShowProgress("building " + name);
    if (commit.empty()) return BuildLibrary(root_, work + "/" + name);
    const std::string source = work + "/src_" + name;
    if (absl::Status s = CheckOut(root_, commit, source); !s.ok()) {
      return absl::StatusOr<std::string>(s);
    }
    return BuildLibrary(source, work + "/" + name);
  };
  const absl::StatusOr<std::string> base = build("base", r->base);
  if (!base.ok()) {
    return Fail(kExitHarnessFailed, absl::StrCat("the base, ", surroundings_.base,
                                                 ", does not build: ", base.status().message()));
  }
  // One folder for a commit and one for the working tree: their object files have other paths.
  const std::string head_name = r->head.empty() ? "tree" : "head";
  const absl::StatusOr<std::string> head = build(head_name, r->head);
  if (!head.ok()) {
    return Fail(kExitHarnessFailed, absl::StrCat("head does not build: ", head.status().message()));
  }
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
  const fs::path dir = fs::absolute(out_);
  const std::string records = (dir / "records.jsonl").string();
  absl::Status status;
  if (!flags_.render) {
    const double seconds = flags_.hours * 3600 + flags_.minutes * 60;
    status = RunCertification({.root = root_,
                               .dir = dir.string(),
                               .seconds = seconds > 0 ? seconds : 3600,
                               .trace = options_.trace,
                               .full = options_,
                               .progress = ShowProgress});
    EndProgress();
    if (!status.ok()) Fail(kExitHarnessFailed, status.message());
  }
  const absl::StatusOr<Certificate> c = RenderCertificate(records);
  if (!c.ok()) return Fail(CodeOf(c.status()), c.status().message());
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
  const absl::StatusOr<std::vector<std::string>> workloads = Selected(flags_.workloads);
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
