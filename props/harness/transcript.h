// Transcripts: what was called and what must come back, one JSON object a line.

#ifndef LOCKSTEP_PROPS_HARNESS_TRANSCRIPT_H_
#define LOCKSTEP_PROPS_HARNESS_TRANSCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "props/harness/operation.h"

namespace lockstep {

// What a line of a transcript expects; absent members are not expectations.
struct Expectation {
  bool refused = false;
  std::optional<std::vector<Token>> draft = std::nullopt;
  std::optional<uint64_t> stored_tokens = std::nullopt;
  std::optional<uint64_t> scope_count = std::nullopt;
};

// Two members are ours, beside those of the format's description: `"batched":true` on a proposal,
// and a first line that has `"duplicate_limit"` and `"first_position"` in place of `"budget_bytes"`
// and `"scope_bytes"`: it describes a tiny cache (Sequence::tiny), with which most fuzz inputs and
// the exhaustive search work.
struct Transcript {
  Sequence sequence;
  std::optional<uint64_t> slots, ring_tokens, scope_bytes;
  std::vector<Expectation> expectations;  // one per operation
  std::vector<uint64_t> lines;            // the line of each operation, from 1
};

// Errors: InvalidArgument "FILE:LINE: what is wrong; what to do" for the first fault; NotFound for
//         a file that cannot be read.
absl::StatusOr<Transcript> ReadTranscript(const std::string& path);
absl::StatusOr<Transcript> ParseTranscript(const std::string& name, std::string_view text);

// The text of a transcript with these operations; expectations come from the exact model where the
// configuration is one it accepts.
std::string WriteTranscript(const Sequence& sequence);

// Compares an answer with what the transcript's line expects; nullopt when it agrees.
std::optional<std::string> Disagreement(const Expectation& expected, const Operation& op,
                                        const Answer& answer);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_TRANSCRIPT_H_
