#include "bench/gate/measure.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bench/gate/loaded_library.h"
#include "bench/gate/own_trace.h"
#include "bench/gate/statistics.h"
#include "bench/workload.h"

// What callgrind counts is what happens inside this function.
extern "C" __attribute__((noinline)) void lockstep_gate_counted(const lockstep::CWorkload& workload,
                                                                lockstep::WorkloadSide& side) {
  workload.Run(side);
}

namespace lockstep::gate {
namespace {

double Now(clockid_t clock) {
  timespec t = {};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

struct Times {
  double cpu = 0;
  double wall = 0;
};

// A workload and both its sides.
struct Job {
  std::string name;
  std::unique_ptr<CWorkload> workload;
  WorkloadSide sides[2];  // base, head
  uint64_t batch = 0;

  Times Time(int side, size_t ops) {
    workload->Prepare(batch, ops);
    const double wall = Now(CLOCK_MONOTONIC);
    const double cpu = Now(CLOCK_THREAD_CPUTIME_ID);
    workload->Run(sides[side]);
    const double cpu_end = Now(CLOCK_THREAD_CPUTIME_ID);
    return {cpu_end - cpu, Now(CLOCK_MONOTONIC) - wall};
  }

  // One batch of both, in random order.
  void TimePair(Random& random, size_t ops, Times (&times)[2]) {
    const int first = static_cast<int>(random.Below(2));
    times[first] = Time(first, ops);
    times[1 - first] = Time(1 - first, ops);
    ++batch;
  }

  absl::Status SetUp(int first) {
    for (const int side : {first, 1 - first}) {
      if (!workload->SetUp(sides[side])) {
        return absl::UnavailableError(
            absl::StrCat(name, ": ", side == 0 ? "base" : "head",
                         " refuses: ", sides[side].library->last_error()));
      }
    }
    return absl::OkStatus();
  }

  void TearDown(int first) {
    for (const int side : {first, 1 - first}) {
      if (sides[side].cache != nullptr) sides[side].library->destroy(sides[side].cache);
      sides[side].cache = nullptr;
    }
  }
};

// Operations that take about as long as asked; warms up on the way. The faster side decides, so
// that one interruption does not shorten the batches.
size_t OpsOfBatch(Job& job, Random& random, double batch_ns) {
  size_t ops = 1;
  for (;;) {
    Times times[2];
    job.TimePair(random, ops, times);
    const double took = std::max(1.0, std::min(times[0].cpu, times[1].cpu));
    if (took >= batch_ns / 4 || ops >= (1 << 20)) {
      return std::max<size_t>(1, static_cast<size_t>(static_cast<double>(ops) * batch_ns / took));
    }
    ops = std::max(ops + 1, std::min(ops * 8, static_cast<size_t>(static_cast<double>(ops) *
                                                                  batch_ns / 2 / took)));
  }
}

// The caches of a process are made anew so often, for where memory lies decides as much as the code
// does. Not large ones: they lie everywhere, and take long to fill.
int SetUps(const std::string& workload) { return workload.ends_with("/memory") ? 1 : 4; }

absl::StatusOr<Reading> TimeJob(Job& job, Random& random, const MeasureSpec& spec) {
  const size_t ops = OpsOfBatch(job, random, spec.batch_us * 1e3);
  const int pairs_of_set_up = std::max(1, spec.pairs / SetUps(job.name));
  std::vector<double> cpu;
  std::vector<double> wall;
  std::vector<double> base;
  for (int pair = 0; pair < spec.pairs; ++pair) {
    if (pair > 0 && pair % pairs_of_set_up == 0) {
      job.TearDown(static_cast<int>(random.Below(2)));
      if (absl::Status s = job.SetUp(static_cast<int>(random.Below(2))); !s.ok()) return s;
    }
    Times times[2];
    job.TimePair(random, ops, times);
    cpu.push_back(std::log(times[1].cpu / times[0].cpu));
    wall.push_back(std::log(times[1].wall / times[0].wall));
    base.push_back(times[0].cpu / static_cast<double>(ops));
  }
  return Reading{.log_ratio = Median(cpu), .wall_log_ratio = Median(wall), .base_ns = Median(base)};
}

// The same amount of work in every run.
constexpr int kFixedBatches = 6;
constexpr size_t kFixedOps = 24;

void RunFixed(Job& job, MeasureMode mode) {
  for (; job.batch < kFixedBatches; ++job.batch) {
    for (WorkloadSide& side : job.sides) {
      job.workload->Prepare(job.batch, kFixedOps);
      if (mode == MeasureMode::kInstructions && job.batch + 1 == kFixedBatches) {
        lockstep_gate_counted(*job.workload, side);
      } else {
        job.workload->Run(side);
      }
    }
  }
}

absl::StatusOr<Reading> MeasureJob(const std::string& name, const CLibrary* const (&libraries)[2],
                                   const ReplayTrace& trace, const MeasureSpec& spec,
                                   Random& random, Readings& readings) {
  Job job;
  job.name = name;
  // Inputs differ from process to process where time is measured, and never else.
  const uint64_t seed = spec.mode == MeasureMode::kTime ? random.Next() : 1;
  job.workload = MakeCWorkload(name, &trace, seed);
  for (int side = 0; side < 2; ++side) job.sides[side].library = libraries[side];
  const int first = static_cast<int>(random.Below(2));
  if (absl::Status status = job.SetUp(first); !status.ok()) return status;
  Reading reading;
  if (spec.mode == MeasureMode::kTime) {
    absl::StatusOr<Reading> timed = TimeJob(job, random, spec);
    if (!timed.ok()) return timed.status();
    reading = *timed;
  } else {
    RunFixed(job, spec.mode);
    readings.digests[name] = {job.sides[0].digest, job.sides[1].digest};
  }
  job.TearDown(static_cast<int>(random.Below(2)));
  return reading;
}

// False when one of them cannot: timed like that, libraries would differ in more than their code.
bool TakeHashPath(const std::string& path, const CLibrary* libraries, size_t count) {
  bool taken = !path.empty();
  for (size_t i = 0; i < count; ++i) {
    taken = taken && libraries[i].use_hash_path != nullptr &&
            libraries[i].use_hash_path(path.c_str()) != 0;
  }
  return taken;
}

template <typename T>
void Shuffle(std::vector<T>& values, Random& random) {
  for (size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.Below(static_cast<uint32_t>(i))]);
  }
}

}  // namespace

absl::StatusOr<Readings> Measure(const MeasureSpec& spec) {
  Random random(spec.seed);
  CLibrary loaded[3];  // base, head, and base again for the control
  std::vector<size_t> order = {0, 1};
  if (!spec.control.empty()) order.push_back(2);
  Shuffle(order, random);
  for (const size_t i : order) {
    absl::StatusOr<CLibrary> library = LoadCopy(i == 1 ? spec.head : spec.base);
    if (!library.ok()) return library.status();
    loaded[i] = *library;
  }
  Readings readings;
  readings.takes_hash_path = TakeHashPath(spec.hash_path, loaded, order.size());
  if (spec.mode == MeasureMode::kTime && !spec.hash_path.empty() && !readings.takes_hash_path) {
    return absl::UnavailableError(
        absl::StrCat("a library does not take hash path ", spec.hash_path));
  }
  ReplayTrace trace;
  if (!spec.trace.empty()) {
    absl::StatusOr<ReplayTrace> read = ReadOwnTrace(spec.trace);
    if (!read.ok()) return read.status();
    trace = *std::move(read);
  }
  std::vector<std::string> names = spec.workloads;
  if (!spec.control.empty()) names.push_back("");  // stands for the control
  Shuffle(names, random);
  for (const std::string& each : names) {
    const bool control = each.empty();
    const std::string& name = control ? spec.control : each;
    const std::unique_ptr<CWorkload> workload = MakeCWorkload(name, &trace, 1);
    const bool by_base = workload != nullptr && workload->Supports(loaded[0]);
    const bool by_head = workload != nullptr && workload->Supports(loaded[1]);
    if (!control && !by_base) readings.unsupported_by_base.push_back(name);
    if (!control && !by_head) readings.unsupported_by_head.push_back(name);
    if (!by_base || (!by_head && !control)) continue;
    const CLibrary* const libraries[2] = {&loaded[0], &loaded[control ? 2 : 1]};
    absl::StatusOr<Reading> reading = MeasureJob(name, libraries, trace, spec, random, readings);
    if (!reading.ok()) return reading.status();
    (control ? readings.control : readings.workloads)[name] = *reading;
  }
  return readings;
}

}  // namespace lockstep::gate
