#include "fuzz/target.h"

#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "reports/result.h"

// An allocation that cannot be is an answer here, not a report. Short stacks and plain frames are a
// quarter of the time, and so is a quarantine that does not fit into the processor's cache: this
// one holds all that an input frees, and more. The asan preset replays the same inputs with whole
// ones.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:malloc_context_size=1:detect_stack_use_after_return=0:"
         "quarantine_size_mb=2:thread_local_quarantine_size_kb=256";
}

// libFuzzer starts itself anew to merge and to minimise: when the night shift is killed, nothing of
// it goes on writing.
__attribute__((constructor)) static void EndWithTheNight() {
  if (std::getenv("LOCKSTEP_FUZZ_NIGHT") != nullptr) prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// Before libFuzzer counts the modules that give it coverage: a library may be one.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc, (void)argv;
  lockstep::fuzz::TargetImplementation();
  return 0;
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
