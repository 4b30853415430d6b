// A byte codec of sequences, for fuzzing: every string of bytes is a sequence, and any sequence
// within the limits has bytes. Documents are written as recipes, so that a mutation of one byte is
// a meaningful one and 64 bytes can wrap a ring.

#ifndef LOCKSTEP_PROPS_HARNESS_CODEC_H_
#define LOCKSTEP_PROPS_HARNESS_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "props/harness/exact_model.h"
#include "props/harness/operation.h"

namespace lockstep {

struct DecodedInput {
  bool tiny = false;     // for MakeTinyCache(options); else for the C interface
  ModelOptions options;  // of a tiny cache; of another, what its configuration gives, if it does
  Sequence sequence;     // its config is that of the C interface
};

// What one input may ask for at most. Tokens are those of all documents and histories.
struct CodecLimits {
  uint64_t ops = 0;
  uint64_t tokens = 0;
};
inline constexpr CodecLimits kTinyLimits = {512, 1 << 13};
inline constexpr CodecLimits kConfiguredLimits = {4096, 1 << 19};

// Of these, what repeats may make, so that quick inputs stay quick.
inline constexpr CodecLimits kTinyRepeats = {64, 1 << 9};
inline constexpr CodecLimits kConfiguredRepeats = {4096, 1 << 13};

inline constexpr uint64_t kMaxCodecBudgetBytes = uint64_t{1} << 20;

// kConfigured makes of a tiny cache the nearest one that the C interface can make, for
// implementations that are seen through nothing else.
enum class CodecScopes : uint8_t { kAny, kConfigured };

// Decodes any bytes; what is missing at the end reads as 0, what is beyond the limits is left out.
// Cost: linear in the bytes and in the limits.
DecodedInput Decode(absl::Span<const uint8_t> bytes, CodecScopes scopes = CodecScopes::kAny);

// Bytes that decode to `input`; nullopt when it is beyond what the codec can say: the limits above,
// rings and slot tables above 4,096. Not always the shortest.
std::optional<std::vector<uint8_t>> Encode(const DecodedInput& input);

// Where operations begin and end: the first offset is the end of the header, the last one that of
// the bytes. Mutation and crossover cut here.
std::vector<size_t> OperationBoundaries(absl::Span<const uint8_t> bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CODEC_H_
