#include "props/harness/create_judge.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "props/harness/describe.h"
#include "props/harness/exact_model.h"

namespace lockstep {
namespace {

// A cache whose budget is no larger than this must not fail for lack of memory.
constexpr uint64_t kAffordableBytes = uint64_t{1} << 30;

}  // namespace

std::optional<Finding> CheckCreate(Level level, const CacheConfig& config,
                                   const ContainedCache& cache) {
  const lockstep_status status = cache.create_status();
  const std::string& error = cache.create_error();
  const bool needed = ModelOptions::FromConfig(config).ok();
  const bool allowed = ModelOptions::FromConfig(config, /*any_key_len=*/true).ok();
  // At the sound level I5 asks that any configuration be survived, and a design of other slots and
  // rings has other limits: it may say that a configuration is not for it. (One that says so of all
  // of them is never seen to give a draft, and does not pass.)
  const bool excused =
      (status == LOCKSTEP_RESOURCE_EXHAUSTED && config.budget_bytes > kAffordableBytes) ||
      (status == LOCKSTEP_INVALID_ARGUMENT && level == Level::kSound);
  std::string what;
  if (status == LOCKSTEP_OK && !allowed && level == Level::kExact) {
    what = "create accepted a configuration that must be refused";
  } else if (status != LOCKSTEP_OK && needed && !excused) {
    what = absl::StrCat("create refused a configuration that must be accepted: ",
                        DescribeStatus(status), " \"", error, "\"");
  } else if (status != LOCKSTEP_OK && status != LOCKSTEP_INVALID_ARGUMENT && !excused &&
             level == Level::kExact) {
    what = absl::StrCat("create gave ", DescribeStatus(status), " \"", error,
                        "\" where INVALID_ARGUMENT is due");
  } else if (cache.create_left_pointer()) {
    what = "create failed and did not set *out to NULL";
  } else if (cache.create_changed_config()) {
    what = "create wrote to the configuration";
  } else {
    return std::nullopt;
  }
  const char* check = level == Level::kExact ? "model" : "I5";
  return Finding{.check = check,
                 .what = absl::StrCat(what, " (budget_bytes ", config.budget_bytes, ", max_scopes ",
                                      config.max_scopes, ", key_len ", config.key_len, ")"),
                 .signature = absl::StrCat(check, ": create")};
}

}  // namespace lockstep
