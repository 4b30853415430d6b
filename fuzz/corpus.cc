#include "fuzz/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/child.h"
#include "fuzz/corpus_figures.h"
#include "props/harness/input_file.h"

namespace lockstep::fuzz {
namespace {

namespace fs = std::filesystem;

// Beside the corpus once it has been merged; until then most of its inputs may well be superfluous.
std::string MergedMark(const std::string& grown) { return grown + ".was_merged"; }

}  // namespace

std::string SeedCorpus(const NightOptions& options, const Target& target) {
  return options.seeds + "/" + target.name;
}

std::string DeepSeedCorpus(const NightOptions& options) { return options.seeds + "/deep"; }

std::string GrownCorpus(const NightOptions& options, const Target& target) {
  return options.corpus + "/" + target.name;
}

uint64_t CountFiles(const std::string& folder) {
  std::error_code error;
  uint64_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder, error)) files += entry.is_regular_file();
  return error ? 0 : files;
}

absl::Status CheckDisk(const NightOptions& options) {
  constexpr uint64_t kLeastDiskBytes = uint64_t{64} << 20;
  std::error_code error;
  for (const std::string& folder : {options.out, options.corpus}) {
    const fs::space_info space = fs::space(folder, error);
    if (!error && space.available < kLeastDiskBytes) {
      return absl::InternalError(
          absl::StrCat(folder,
                       ": the disk is full (less than 64 MiB left); what was found so "
                       "far is in ",
                       options.out));
    }
  }
  return absl::OkStatus();
}

absl::Status OpenCorpus(const NightOptions& options, const Target& target) {
  if (CountFiles(SeedCorpus(options, target)) == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(SeedCorpus(options, target),
                     ": is empty or cannot be read; a corpus has at least one file"));
  }
  std::error_code error;
  const std::string grown = GrownCorpus(options, target);
  if (!fs::exists(grown, error) && fs::exists(grown + ".before", error)) {
    fs::rename(grown + ".before", grown, error);
  }
  fs::create_directories(grown, error);
  if (error) {
    return absl::InternalError(absl::StrCat(grown, ": cannot be made: ", error.message()));
  }
  if (fs::exists(MergedMark(grown), error) && CountFiles(grown) == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        grown, ": is empty or cannot be read, and had inputs once; bring it back, or remove ",
        MergedMark(grown), " to begin anew"));
  }
  return absl::OkStatus();
}

uint64_t CoverageOf(const NightOptions& options, const Target& target, const std::string& folder,
                    absl::Time deadline) {
  std::vector<std::string> command = TargetCommand(options, target);
  command.insert(command.end(), {"-runs=0", SeedCorpus(options, target), folder});
  const std::string log = options.out + "/logs/" + target.name + ".coverage.log";
  absl::StatusOr<Child> child = Child::Start(command, log);
  if (!child.ok() || child->Wait(deadline - absl::Now(), Interrupted) != 0) return 0;
  const absl::StatusOr<std::string> text = ReadInputFile(log);
  return text.ok() ? ReadPulse(*text).coverage : 0;
}

MergeOutcome MergeCorpus(const NightOptions& options, const Target& target, absl::Time deadline) {
  const std::string grown = GrownCorpus(options, target), merged = grown + ".merged";
  const uint64_t before = CountFiles(grown);
  std::error_code error;
  fs::remove_all(merged, error);
  fs::create_directories(merged, error);
  const auto leave = [&](std::string why, bool refused) {
    fs::remove_all(merged, error);
    return MergeOutcome{.why_not = std::move(why), .refused = refused};
  };
  std::vector<std::string> command = TargetCommand(options, target);
  command.insert(command.end(), {"-merge=1", merged, SeedCorpus(options, target), grown});
  // It is libFuzzer's promise that nothing is lost, and ours. An edge or two are reached by chance,
  // by the addresses of a hash table for one; another pass adds what the first one missed.
  uint64_t had = 0, has = 0;
  for (int pass = 0; pass < 3 && (pass == 0 || has < had); ++pass) {
    absl::StatusOr<Child> child =
        Child::Start(command, options.out + "/logs/" + target.name + ".merge.log");
    if (!child.ok()) return leave(std::string(child.status().message()), false);
    if (child->Wait(deadline - absl::Now(), Interrupted) != 0) {
      return leave(absl::Now() >= deadline ? "there was no time to merge" : "the merge failed",
                   false);
    }
    const uint64_t before_it = CoverageOf(options, target, grown, deadline);
    had = pass == 0 ? before_it : std::min(had, before_it);
    has = had == 0 ? 0 : std::max(has, CoverageOf(options, target, merged, deadline));
    if (has == 0) return leave("there was no time to compare coverage", false);
  }
  if (has < had) return leave(absl::StrCat("it would lose coverage: ", had, " to ", has), true);
  const uint64_t after = CountFiles(merged);
  const bool merged_before = fs::exists(MergedMark(grown), error);
  if (after == 0 || (merged_before && !options.accept && after * 5 < before * 4)) {
    return leave(absl::StrCat(grown, " would shrink from ", before, " to ", after,
                              " inputs; run again with --accept if that is right"),
                 true);
  }
  NameInputs(merged, target.codec);
  fs::remove_all(grown + ".before", error);
  fs::rename(grown, grown + ".before", error);
  fs::rename(merged, grown, error);
  if (error) return {.why_not = absl::StrCat(grown, ": ", error.message()), .refused = true};
  fs::remove_all(grown + ".before", error);
  std::ofstream(MergedMark(grown)) << after << "\n";
  return {};
}

}  // namespace lockstep::fuzz
