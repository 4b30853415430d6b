// What every fuzz target is made of: run one input, and say what was found.

#ifndef LOCKSTEP_FUZZ_TARGET_H_
#define LOCKSTEP_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "props/harness/implementation.h"
#include "props/harness/judge.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace lockstep::fuzz {

// The line that a finding begins with on standard error; the rest of the line is its signature.
inline constexpr char kFindingPrefix[] = "lockstep finding: ";

// Aborts on a finding, after two lines on standard error: its signature, and what it says.
void Report(const std::optional<Finding>& finding);

// As above, for what is no finding of a judge; `signature` has no values in it.
void Require(bool holds, const char* signature);

// The library named by LOCKSTEP_FUZZ_IMPL, or our own core. Exits with 4 when it cannot be loaded.
const CInterface& TargetImplementation();
bool TargetIsOwnCore();

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_TARGET_H_
