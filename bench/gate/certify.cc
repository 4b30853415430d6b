#include "bench/gate/certify.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/gate/builds.h"
#include "bench/gate/certify_cells.h"
#include "bench/gate/slowdowns.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Bursts of memory traffic and computing, with pauses, on every processor.
class NoisyNeighbour {
 public:
  NoisyNeighbour() {
    const unsigned count = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) {
      const pid_t pid = fork();
      if (pid == 0) Disturb(i);
      if (pid > 0) pids_.push_back(pid);
    }
  }
  ~NoisyNeighbour() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  NoisyNeighbour(const NoisyNeighbour&) = delete;
  NoisyNeighbour& operator=(const NoisyNeighbour&) = delete;

 private:
  [[noreturn]] static void Disturb(unsigned seed) {
    const pid_t parent = getppid();
    std::mt19937 random(seed);
    std::vector<uint64_t> memory(8 << 20);  // 64 MiB, more than the last level of cache
    while (getppid() == parent) {
      const auto until = Clock::now() + std::chrono::milliseconds(2 + random() % 40);
      while (Clock::now() < until) {
        for (int i = 0; i < 10000; ++i) memory[random() % memory.size()] += random();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 30));
    }
    _exit(0);
  }
  std::vector<pid_t> pids_;
};

absl::Status Append(const std::string& path, const Json& record) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const std::string line = record.dump() + "\n";
  const bool written = fd >= 0 &&
                       write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                       fsync(fd) == 0;
  if (fd >= 0) close(fd);
  if (!written) return absl::UnavailableError(path + ": cannot be written");
  return absl::OkStatus();
}

double LoadAverage() {
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

class Certifier {
 public:
  explicit Certifier(const CertifyOptions& options)
      : options_(options),
        records_((fs::path(options.dir) / "records.jsonl").string()),
        end_(Clock::now() +
             std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1e3))) {}
  absl::Status Run();

 private:
  absl::Status Calibrate(const Site& site, int percent);
  absl::StatusOr<double> Slowdown(const Site& site, const std::string& library);
  absl::Status RunGate(const CertifyCell& cell);
  ComparisonOptions ShortGate() const {
    ComparisonOptions o;
    o.workloads = ShortGateNames();
    o.batch_us = kCertifyBatchUs;
    o.skip_identical = false;  // equal libraries are what is to be measured
    o.instructions = false;    // see the certificate: the time has to do it alone
    return o;
  }

  const CertifyOptions& options_;
  std::string records_;
  Clock::time_point end_;
  std::string base_;
  std::map<std::string, std::string> slower_;  // "hash path 3" to a library
  std::map<std::string, int> done_;            // by CertifyCell::Key
  std::random_device seeds_;
};

absl::StatusOr<double> Certifier::Slowdown(const Site& site, const std::string& library) {
  ComparisonOptions o = ShortGate();
  o.workloads = {site.target};
  o.first_processes = o.extended_processes = kExtendedProcesses;
  o.seed = seeds_();
  const absl::StatusOr<Comparison> c = Compare(base_, library, o);
  if (!c.ok()) return c.status();
  if (c->rows.empty()) return absl::UnavailableError(c->verdict);
  return c->rows.front().time.ratio;
}

absl::Status Certifier::Calibrate(const Site& site, int percent) {
  const std::string key = absl::StrCat(site.name, " ", percent);
  if (slower_.contains(key)) return absl::OkStatus();
  const std::string dir = absl::StrCat(options_.dir, "/", std::string(site.name).substr(0, 4));
  const double wanted = percent / 100.0;
  int permille = percent * 10;
  double measured = 0;
  std::string library;
  for (int attempt = 0; attempt < 6; ++attempt) {
    if (options_.progress) options_.progress(absl::StrCat("calibrating ", key, " %, ", permille));
    absl::StatusOr<std::string> built = BuildSlower(options_.root, dir, site, permille);
    if (!built.ok()) return built.status();
    library = *built;
    absl::StatusOr<double> slowdown = Slowdown(site, library);
    if (!slowdown.ok()) return slowdown.status();
    measured = *slowdown;
    if (std::abs(measured - wanted) < 0.0025) break;
    const double factor = std::clamp(wanted / std::max(measured, 0.004), 0.4, 2.5);
    permille = std::max(1, static_cast<int>(std::lround(permille * factor)));
  }
  if (std::abs(measured - wanted) > 0.006) {
    return absl::UnavailableError(
        absl::StrFormat("%s: extra work came to %.1f %% and not near %d %%; is the machine busy?",
                        site.name, 100 * measured, percent));
  }
  slower_[key] = library;
  return Append(records_, {{"kind", "calibration"},
                           {"site", site.name},
                           {"percent", percent},
                           {"permille", permille},
                           {"measured", measured},
                           {"target", site.target},
                           {"library", library}});
}

absl::Status Certifier::RunGate(const CertifyCell& cell) {
  std::string head = base_;
  if (!cell.site.empty()) head = slower_.at(absl::StrCat(cell.site, " ", cell.percent));
  ComparisonOptions o = cell.full ? options_.full : ShortGate();
  o.skip_identical = false;
  o.seed = (uint64_t{seeds_()} << 32) | seeds_();
  if (options_.progress) {
    o.progress = [&](const std::string& what) {
      options_.progress(absl::StrCat(cell.Key(), " #", done_[cell.Key()] + 1, ": ", what));
    };
  }
  const std::string started = UtcNow();
  const double load = LoadAverage();
  absl::StatusOr<Comparison> c = absl::UnknownError("");
  {
    std::unique_ptr<NoisyNeighbour> neighbour;
    if (cell.noisy) neighbour = std::make_unique<NoisyNeighbour>();
    c = Compare(base_, head, o);
  }
  if (!c.ok()) return c.status();
  Json rows = Json::object();
  for (const Row& row : c->rows) {
    rows[row.name] = {{"ratio", row.time.ratio},
                      {"low", row.time.interval.low},
                      {"high", row.time.interval.high},
                      {"p", row.time.p_slower},
                      {"verdict", VerdictName(row.verdict)}};
  }
  ++done_[cell.Key()];
  return Append(records_, {{"kind", "gate"},
                           {"cell", cell.Key()},
                           {"full", cell.full},
                           {"noisy", cell.noisy},
                           {"site", cell.site},
                           {"percent", cell.percent},
                           {"started", started},
                           {"load_before", load},
                           {"seed", o.seed},
                           {"seconds", c->seconds},
                           {"attempts", c->attempts.size()},
                           {"exit_code", c->exit_code},
                           {"verdict", c->verdict},
                           {"rows", rows}});
}

absl::Status Certifier::Run() {
  fs::create_directories(options_.dir);
  std::ifstream file(records_);
  for (std::string line; std::getline(file, line);) {
    const Json record = Json::parse(line, nullptr, false);
    if (record.is_discarded()) continue;  // the line at which an earlier run was killed
    if (record.value("kind", "") == "start") base_ = record.value("base", "");
    if (record.value("kind", "") == "gate") ++done_[record.value("cell", "")];
    if (record.value("kind", "") == "calibration") {
      slower_[absl::StrCat(record.value("site", ""), " ", record.value("percent", 0))] =
          record.value("library", "");
    }
  }
  if (base_.empty()) {
    absl::StatusOr<std::string> built =
        BuildLibrary(options_.root, (fs::path(options_.dir) / "base").string());
    if (!built.ok()) return absl::UnavailableError(built.status().message());
    base_ = options_.dir + "/base.so";
    fs::copy_file(*built, base_, fs::copy_options::overwrite_existing);
    const Result here = StartResult("gate --certify");
    if (absl::Status s = Append(records_, {{"kind", "start"},
                                           {"base", base_},
                                           {"started", here.started},
                                           {"machine", here.machine},
                                           {"commit", here.commit}});
        !s.ok()) {
      return s;
    }
  }
  for (const CertifyCell* cell; (cell = NextCell(done_)) != nullptr && Clock::now() < end_;) {
    for (const Site& site : Sites()) {
      if (cell->site != site.name) continue;
      if (absl::Status s = Calibrate(site, cell->percent); !s.ok()) return s;
    }
    if (absl::Status s = RunGate(*cell); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunCertification(const CertifyOptions& options) { return Certifier(options).Run(); }

}  // namespace lockstep::gate
