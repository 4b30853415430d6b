#include "bench/replay/sweep.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "props/harness/byte_count.h"

namespace lockstep {
namespace {

constexpr std::array<absl::string_view, 5> kAxes = {"budget", "scopes", "key-len", "max-draft",
                                                    "policy"};

// Sets what an axis names; an error text for a value that is none of it.
absl::Status SetAxis(absl::string_view axis, const std::string& value, ReplaySettings& settings) {
  const auto wrong = [&](absl::string_view wanted) {
    return absl::InvalidArgumentError(
        absl::StrCat("--sweep ", axis, ": \"", value, "\" is not ", wanted));
  };
  if (axis == "policy") {
    if (value != "plain" && value != "engine") return wrong("plain or engine");
    settings.policy = value == "plain" ? DraftPolicy::kPlain : DraftPolicy::kEngine;
    return absl::OkStatus();
  }
  if (axis == "budget") {
    const absl::StatusOr<uint64_t> bytes = ParseByteCount(value);
    if (!bytes.ok()) return wrong("a number of bytes, such as 64M");
    settings.cache.budget_bytes = *bytes;
    return absl::OkStatus();
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(value, &number)) return wrong("a whole number");
  if (axis == "scopes") settings.cache.max_scopes = number;
  if (axis == "key-len") settings.cache.key_len = number;
  if (axis == "max-draft") {
    if (number < 1 || number > kMostMaxDraft) {
      return wrong(absl::StrCat("from 1 to ", kMostMaxDraft));
    }
    settings.max_draft = number;
  }
  return absl::OkStatus();
}

// Work that threads take one by one, and what became of it.
class Sweep {
 public:
  Sweep(const CInterface& implementation, const std::vector<ReplaySettings>& settings,
        const std::vector<std::string>& paths)
      : implementation_(implementation),
        settings_(settings),
        paths_(paths),
        results_(settings.size()),
        tokens_(settings.size()),
        bytes_(settings.size()) {}

  void Work() {
    while (const std::optional<size_t> i = Take()) {
      auto replay = ReplayTrace(implementation_, settings_[*i], paths_, tokens_[*i], bytes_[*i]);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!replay.ok()) failed_ = true;
      results_[*i] = std::move(replay);
      ++done_;
      finished_.notify_all();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    ++workers_done_;
    finished_.notify_all();
  }

  // Waits for `workers` to end their work, telling of it ten times a second.
  void Wait(size_t workers, const std::function<void(const SweepProgress&)>& progress) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock<std::mutex> lock(mutex_);
    while (workers_done_ < workers) {
      finished_.wait_for(lock, std::chrono::milliseconds(100));
      SweepProgress now{.settings_done = done_, .settings = settings_.size()};
      for (const auto& tokens : tokens_) now.tokens += tokens;
      for (const auto& bytes : bytes_) now.bytes += bytes;
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      now.tokens_per_second = static_cast<double>(now.tokens) / seconds.count();
      progress(now);
    }
  }

  absl::StatusOr<std::vector<ReplayReport>> Results() {
    std::vector<ReplayReport> replays;
    for (auto& result : results_) {
      if (!result.has_value()) continue;  // not begun, because another failed
      if (!result->ok()) return result->status();
      replays.push_back(*std::move(*result));
    }
    return replays;
  }

 private:
  std::optional<size_t> Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failed_ || next_ == settings_.size()) return std::nullopt;
    return next_++;
  }

  const CInterface& implementation_;
  const std::vector<ReplaySettings>& settings_;
  const std::vector<std::string>& paths_;
  std::mutex mutex_;
  std::condition_variable finished_;
  size_t next_ = 0;
  size_t done_ = 0;
  size_t workers_done_ = 0;
  bool failed_ = false;
  std::vector<std::optional<absl::StatusOr<ReplayReport>>> results_;
  std::vector<std::atomic<uint64_t>> tokens_;
  std::vector<std::atomic<uint64_t>> bytes_;
};

}  // namespace

bool IsSweepAxis(absl::string_view item) {
  const size_t equals = item.find('=');
  return equals != absl::string_view::npos &&
         std::find(kAxes.begin(), kAxes.end(), item.substr(0, equals)) != kAxes.end();
}

absl::StatusOr<std::vector<ReplaySettings>> ParseSweep(const std::vector<std::string>& axes,
                                                       const ReplaySettings& base) {
  std::vector<ReplaySettings> settings = {base};
  for (const std::string& item : axes) {
    if (!IsSweepAxis(item)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--sweep: \"", item,
                       "\" is no axis: give budget=, scopes=, key-len=, max-draft= or policy=, "
                       "and values with commas between them"));
    }
    const std::pair<std::string, std::string> axis = absl::StrSplit(item, absl::MaxSplits('=', 1));
    const std::vector<std::string> values = absl::StrSplit(axis.second, ',');
    if (settings.size() * values.size() > kMostSettings) {
      return absl::InvalidArgumentError(
          absl::StrCat("--sweep: more than ", kMostSettings, " settings: give fewer values"));
    }
    std::vector<ReplaySettings> combined;
    for (const ReplaySettings& setting : settings) {
      for (const std::string& value : values) {
        combined.push_back(setting);
        const absl::Status set = SetAxis(axis.first, value, combined.back());
        if (!set.ok()) return set;
      }
    }
    settings = std::move(combined);
  }
  return settings;
}

absl::StatusOr<std::vector<ReplayReport>> ReplayAll(
    const CInterface& implementation, const std::vector<ReplaySettings>& settings,
    const std::vector<std::string>& paths, size_t jobs,
    const std::function<void(const SweepProgress&)>& progress) {
  Sweep sweep(implementation, settings, paths);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(jobs, settings.size()); ++i) {
    threads.emplace_back([&sweep] { sweep.Work(); });
  }
  sweep.Wait(threads.size(), progress);
  for (std::thread& thread : threads) thread.join();
  return sweep.Results();
}

}  // namespace lockstep
