#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/memory_checks.h"
#include "props/harness/random.h"

namespace lockstep {
namespace {

constexpr size_t kOpsPerSample = 16;
// Enough to make a scope of any key length below.
constexpr size_t kFirstDocTokens = 20;
// Pages in memory count as well, for what does not go through the allocator or mmap. The harness
// itself has some in the child, and so has the allocator.
constexpr int64_t kPrivateSlackBytes = int64_t{3} << 20;

// Fills one scope more than there is room for, twice over each, a little first; small shares show
// what is held beside them, a large one that is no power of two what is held too much of.
Sequence FillingSequence(const CacheConfig& config, uint64_t seed) {
  Random random(seed);
  Sequence sequence;
  sequence.name =
      absl::StrCat("filling ", config.max_scopes, " scopes of a budget of ", config.budget_bytes);
  sequence.config = config;
  const uint64_t tokens_per_scope = config.budget_bytes / config.max_scopes / sizeof(Token) * 2;
  for (uint64_t scope = 0; scope <= config.max_scopes; ++scope) {
    for (uint64_t tokens = 0; tokens < tokens_per_scope;) {
      std::vector<Token> doc(
          tokens == 0 ? kFirstDocTokens
                      : 1 + random.Below(std::min<uint64_t>(tokens_per_scope / 3, 20'000)));
      for (Token& token : doc) token = static_cast<Token>(random.Below(kReservedToken));
      tokens += doc.size();
      sequence.ops.push_back(Insert({scope, 1, 2, 3}, std::move(doc)));
    }
  }
  return sequence;
}

// Where slots and ring are prescribed they are there from the first token on: in a cache of one
// scope, all that comes later is room to work in.
// Own mappings are weighed by the pages that were touched, so they seem to grow.
bool GrewAfterMade(const CheckContext& context, const CacheConfig& config, int64_t when_made,
                   const MemorySample& now) {
  return context.level == Level::kExact && config.max_scopes == 1 && now.mapped_bytes == 0 &&
         now.live_bytes > when_made + static_cast<int64_t>(config.budget_bytes / 4);
}

// Runs the sequence and weighs the cache on the way. A child that ends is for other checks to find.
absl::StatusOr<std::optional<Finding>> Weigh(const CheckContext& context, const Sequence& sequence,
                                             int64_t& most_seen) {
  auto cache = StartContained(context.impl, sequence.config, MeasuringOptions());
  if (!cache.ok()) return cache.status();
  const int64_t most = MostLiveBytes(sequence.config, context.level);
  absl::Span<const Operation> left = sequence.ops;
  int64_t when_made = 0;
  for (bool first = true; first || !left.empty(); first = false) {
    const size_t count = std::min(first ? 1 : kOpsPerSample, left.size());
    if (count > 0 && !(*cache)->Repeat(left.first(count), 1)) return std::nullopt;
    left.remove_prefix(count);
    const MemorySample sample = (*cache)->Memory();
    most_seen = std::max(most_seen, sample.live_bytes);
    if (first) when_made = sample.live_bytes;
    const size_t op_index = sequence.ops.size() - left.size() - (count > 0 ? 1 : 0);
    if (GrewAfterMade(context, sequence.config, when_made, sample)) {
      return Finding{.check = "I3",
                     .what = absl::StrCat("the cache held ", when_made,
                                          " bytes when its only scope was made, ",
                                          sample.live_bytes, " now: slots and ring are not fixed"),
                     .op_index = op_index,
                     .signature = "I3: a scope grows"};
    }
    const bool pages = sample.private_bytes > most + kPrivateSlackBytes;
    if (sample.live_bytes <= most && !pages) continue;
    return Finding{
        .check = "I3",
        .what = absl::StrCat("the cache holds ", pages ? sample.private_bytes : sample.live_bytes,
                             pages ? " bytes of pages" : " bytes", "; its budget is ",
                             sequence.config.budget_bytes, ", and with bookkeeping for ",
                             sequence.config.max_scopes, " scopes ", most, " are allowed"),
        .op_index = op_index,
        .signature = "I3: above the budget"};
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::optional<Finding>> AboveBudget(const CheckContext& context,
                                                   const Sequence& sequence) {
  int64_t ignored = 0;
  return Weigh(context, sequence, ignored);
}

int64_t MostLiveBytes(const CacheConfig& config, Level level) {
  const double slack = level == Level::kSound ? kSoundSlack : 0;
  return static_cast<int64_t>(static_cast<double>(config.budget_bytes) * (1 + slack)) +
         kBookkeepingBytes + kBookkeepingBytesPerScope * static_cast<int64_t>(config.max_scopes);
}

ContainedOptions MeasuringOptions() {
  ContainedOptions options;
  options.interpreter.guard_pages = false;
  return options;
}

absl::Status CheckBudget(const CheckContext& context, CheckReport& report) {
  constexpr CacheConfig kConfigs[] = {
      {.budget_bytes = 64 * 6144, .max_scopes = 64, .key_len = 2},
      {.budget_bytes = 4 * ((1 << 20) + 4096), .max_scopes = 4, .key_len = 3},
      {.budget_bytes = (1 << 20) - 8, .max_scopes = 1, .key_len = 8},
  };
  double most_ratio = 0;
  for (const CacheConfig& config : kConfigs) {
    if (context.out_of_time()) {
      report.finished = false;
      break;
    }
    Sequence sequence = FillingSequence(config, context.seed);
    int64_t most_seen = 0;
    auto finding = Weigh(context, sequence, most_seen);
    if (!finding.ok()) return finding.status();
    ++report.sequences;
    report.operations += sequence.ops.size();
    most_ratio = std::max(
        most_ratio, static_cast<double>(most_seen) / static_cast<double>(config.budget_bytes));
    if (!finding->has_value()) continue;
    Failure failure{
        .finding = **finding, .found_by = sequence.name, .sequence = std::move(sequence)};
    failure.sequence.ops.resize(
        std::min<size_t>(failure.finding.op_index + 1, failure.sequence.ops.size()));
    failure.reproduce = [context](const Sequence& candidate) -> std::optional<Finding> {
      auto again = AboveBudget(context, candidate);
      return again.ok() ? *again : std::nullopt;
    };
    report.failures.push_back(std::move(failure));
    break;
  }
  AddEvidence(report, "live bytes at most ", std::llround(100 * most_ratio), " % of a budget");
  return absl::OkStatus();
}

}  // namespace lockstep
