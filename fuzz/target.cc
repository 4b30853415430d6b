#include "fuzz/target.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "reports/result.h"

// An allocation that cannot be is an answer here, not a report. Short stacks and plain frames are a
// quarter of the time; the asan preset replays the same inputs with whole ones.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:malloc_context_size=4:detect_stack_use_after_return=0";
}

namespace lockstep::fuzz {
namespace {

const char* LibraryPath() {
  const char* const path = std::getenv("LOCKSTEP_FUZZ_IMPL");
  return path == nullptr ? "" : path;
}

CInterface Load() {
  if (TargetIsOwnCore()) return OwnCore();
  absl::StatusOr<CInterface> library = LoadLibrary(LibraryPath());
  if (library.ok()) return *library;
  std::fprintf(stderr, "%s\n", std::string(library.status().message()).c_str());
  std::exit(kExitHarnessFailed);
}

}  // namespace

void Report(const std::optional<Finding>& finding) {
  if (!finding) return;
  std::fprintf(stderr, "%s%s\noperation %llu: %s\n", kFindingPrefix, finding->signature.c_str(),
               static_cast<unsigned long long>(finding->op_index), finding->what.c_str());
  std::abort();
}

void Require(bool holds, const char* signature) {
  if (holds) return;
  std::fprintf(stderr, "%s%s\n", kFindingPrefix, signature);
  std::abort();
}

const CInterface& TargetImplementation() {
  static const CInterface functions = Load();
  return functions;
}

bool TargetIsOwnCore() { return *LibraryPath() == '\0'; }

}  // namespace lockstep::fuzz
