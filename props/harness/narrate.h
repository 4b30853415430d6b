// Tells the story of a sequence: each call, what the exact model holds after it, and where the
// implementation and the model part.

#ifndef LOCKSTEP_PROPS_HARNESS_NARRATE_H_
#define LOCKSTEP_PROPS_HARNESS_NARRATE_H_

#include <string>

#include "absl/status/statusor.h"
#include "props/harness/check.h"
#include "props/harness/codec.h"
#include "props/harness/transcript.h"

namespace lockstep {

// Reads a transcript, or the bytes of an input that the codec decodes. A file that does not begin
// as either does is an error unless `fuzz_input` says that it is one.
//
// Errors: as ReadTranscript's.
absl::StatusOr<Transcript> ReadExplainable(const std::string& path, bool fuzz_input,
                                           CodecScopes scopes = CodecScopes::kAny);

struct Narration {
  std::string text;     // whole lines
  bool parted = false;  // the implementation breaks a promise of the level, or the transcript
                        // expects something else than the model
};

// Runs the sequence, in a child unless it is a tiny scope's, and tells what happened. The story
// ends where the two part.
//
// Errors: FailedPrecondition when the library cannot be used, InvalidArgument for a tiny scope of
//         another implementation than our own core.
absl::StatusOr<Narration> Narrate(const Transcript& transcript, const ImplementationSpec& impl,
                                  Level level);

// The same of a file, for whoever reads a result elsewhere, without the library; "" where it is
// longer than anybody reads, or cannot be told.
std::string ShortStory(const std::string& path, const ImplementationSpec& impl, Level level);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_NARRATE_H_
