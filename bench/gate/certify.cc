#include "bench/gate/certify.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/gate/builds.h"
#include "bench/gate/certify_cells.h"
#include "bench/gate/certify_records.h"
#include "bench/gate/noisy_neighbour.h"
#include "bench/gate/slowdowns.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

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
        source_((fs::path(options.dir) / "source").string()),
        end_(Clock::now() +
             std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1e3))) {}
  absl::Status Run();

 private:
  void ReadWhatIsDone();
  absl::Status MakeBase();
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

  // The library that a record names, by its place in `dir`.
  std::string Within(const Json& record) const {
    return (fs::path(options_.dir) / record.value("library", "")).string();
  }
  std::string Name(const std::string& library) const {
    return fs::path(library).lexically_relative(options_.dir).string();
  }
  std::string BuildDir() const { return (fs::path(options_.dir) / "base").string(); }
  uint64_t NewSeed() { return (uint64_t{seeds_()} << 32) | seeds_(); }

  const CertifyOptions& options_;
  std::string records_;
  std::string source_;
  Clock::time_point end_;
  std::string base_;
  std::map<std::string, std::string> slower_;  // "hash path 3" to a library
  std::map<std::string, Json> calibrated_;     // the same, to what was recorded of it
  std::map<std::string, int> done_;            // by CertifyCell::Key
  std::random_device seeds_;
};

absl::StatusOr<double> Certifier::Slowdown(const Site& site, const std::string& library) {
  ComparisonOptions o = ShortGate();
  o.workloads = {site.target};
  o.first_processes = o.extended_processes = kExtendedProcesses;
  o.seed = NewSeed();
  const absl::StatusOr<Comparison> c = Compare(base_, library, o);
  if (!c.ok()) return c.status();
  if (c->rows.empty()) return absl::UnavailableError(c->verdict);
  return c->rows.front().time.ratio;
}

// Looks for an amount of extra work that comes near `percent`, then measures it anew: the figure
// that ended the search is nearer to what was wanted than the truth is, for it was chosen for that.
absl::Status Certifier::Calibrate(const Site& site, int percent) {
  const std::string key = absl::StrCat(site.name, " ", percent);
  if (slower_.contains(key)) return absl::OkStatus();
  const std::string dir = absl::StrCat(options_.dir, "/", std::string(site.name).substr(0, 4));
  if (const auto it = calibrated_.find(key); it != calibrated_.end()) {
    // Records that came without their libraries: the same work is added again.
    absl::StatusOr<std::string> library =
        BuildSlower(source_, dir, site, it->second.value("permille", 0));
    if (!library.ok()) return library.status();
    slower_[key] = *std::move(library);
    return absl::OkStatus();
  }
  constexpr int kMostBuilds = 8;
  constexpr double kNear = 0.0025;
  constexpr double kStillNear = 0.004;  // wide, so that this leaves out next to nothing
  const double wanted = percent / 100.0;
  int permille = percent * 10;
  double found = 0;
  for (int attempt = 0; attempt < kMostBuilds; ++attempt) {
    if (options_.progress) options_.progress(absl::StrCat("calibrating ", key, " %, ", permille));
    const absl::StatusOr<std::string> library = BuildSlower(source_, dir, site, permille);
    if (!library.ok()) return library.status();
    const absl::StatusOr<double> searched = Slowdown(site, *library);
    if (!searched.ok()) return searched.status();
    found = *searched;
    if (std::abs(found - wanted) < kNear) {
      const absl::StatusOr<double> again = Slowdown(site, *library);
      if (!again.ok()) return again.status();
      found = *again;
      if (std::abs(found - wanted) < kStillNear) {
        slower_[key] = *library;
        return AppendRecord(records_, {{"kind", "calibration"},
                                       {"site", site.name},
                                       {"percent", percent},
                                       {"permille", permille},
                                       {"searched", *searched},
                                       {"measured", found},
                                       {"target", site.target},
                                       {"library", Name(*library)}});
      }
    }
    const double factor = std::clamp(wanted / std::max(found, 0.004), 0.4, 2.5);
    permille = std::max(1, static_cast<int>(std::lround(permille * factor)));
  }
  return absl::UnavailableError(
      absl::StrFormat("%s: extra work came to %.1f %% and not near %d %%; is the machine busy? "
                      "Start again to go on",
                      site.name, 100 * found, percent));
}

absl::Status Certifier::RunGate(const CertifyCell& cell) {
  std::string head = base_;
  if (!cell.site.empty()) head = slower_.at(absl::StrCat(cell.site, " ", cell.percent));
  ComparisonOptions o = cell.full ? options_.full : ShortGate();
  o.skip_identical = false;
  o.seed = NewSeed();
  if (cell.full && cell.site.empty()) {
    // What a gate over two builds would do: here the library in another order is both.
    o.relink = [this](int order) -> absl::StatusOr<std::pair<std::string, std::string>> {
      absl::StatusOr<std::string> library = Relink(BuildDir(), order);
      if (!library.ok()) return library.status();
      return std::pair(*library, *library);
    };
  }
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
  if (!c->different_answers.empty()) return absl::UnavailableError(c->verdict);
  Json rows = Json::object();
  for (const Row& row : c->rows) {
    rows[row.name] = {{"ratio", row.time.ratio},
                      {"low", row.time.interval.low},
                      {"high", row.time.interval.high},
                      {"p", row.time.p_slower},
                      {"verdict", VerdictName(row.verdict)}};
  }
  ++done_[cell.Key()];
  return AppendRecord(records_, {{"kind", "gate"},
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

void Certifier::ReadWhatIsDone() {
  for (Json& record : ReadRecords(records_)) {
    const std::string kind = record.value("kind", "");
    if (kind == "base") base_ = Within(record);
    if (kind == "gate") ++done_[record.value("cell", "")];
    if (kind == "calibration") {
      const std::string key =
          absl::StrCat(record.value("site", ""), " ", record.value("percent", 0));
      slower_[key] = Within(record);
      calibrated_[key] = std::move(record);
    }
  }
  if (!fs::exists(base_)) base_.clear();
  std::erase_if(slower_, [](const auto& entry) { return !fs::exists(entry.second); });
}

absl::Status Certifier::MakeBase() {
  // All libraries are of the core as it is now, whatever changes while this takes its hours.
  if (absl::Status s = CopySource(options_.root, source_); !s.ok()) return s;
  const absl::StatusOr<std::string> built = BuildLibrary(source_, BuildDir());
  if (!built.ok()) return absl::UnavailableError(built.status().message());
  base_ = options_.dir + "/base.so";
  std::error_code error;
  fs::copy_file(*built, base_, fs::copy_options::overwrite_existing, error);
  if (error) return absl::UnavailableError(absl::StrCat(base_, ": ", error.message()));
  return AppendRecord(records_,
                      {{"kind", "base"}, {"library", Name(base_)}, {"commit", options_.commit}});
}

absl::Status Certifier::Run() {
  ReadWhatIsDone();
  if (absl::Status s = AppendRecord(records_, {{"kind", "run"},
                                               {"started", UtcNow()},
                                               {"commit", options_.commit},
                                               {"machine", options_.machine}});
      !s.ok()) {
    return s;
  }
  if (base_.empty()) {
    if (absl::Status s = MakeBase(); !s.ok()) return s;
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
