// Runs a decoded input in this process, beside a judge: what fuzz targets and `explain` do.

#ifndef LOCKSTEP_PROPS_HARNESS_RUN_INPUT_H_
#define LOCKSTEP_PROPS_HARNESS_RUN_INPUT_H_

#include <memory>
#include <optional>

#include "props/harness/codec.h"
#include "props/harness/implementation.h"
#include "props/harness/judge.h"

namespace lockstep {

// The cache an input asks for: a tiny one, or one of `functions`.
//
// Returns: null, with `refusal` saying why, when making it was refused as an invalid argument; null
//          with an empty `refusal` and `finding` set when a refusal or its absence breaks a
//          promise.
struct InputCache {
  std::unique_ptr<CacheHandle> cache;
  ModelOptions options;  // that the exact model is to have
  std::string refusal;
  std::optional<Finding> finding;
};
InputCache MakeInputCache(const DecodedInput& input, const CInterface& functions);

// The first finding of the exact model, or of the sound one. Nothing is run of an input whose
// configuration is refused.
// What the model met goes to `met` when it is not null.
std::optional<Finding> RunExact(const DecodedInput& input, const CInterface& functions,
                                SituationCounts* met = nullptr);
std::optional<Finding> RunSound(const DecodedInput& input, const CInterface& functions);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_RUN_INPUT_H_
