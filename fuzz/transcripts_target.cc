// The reader of transcripts: any bytes are read or refused, and what is read is written and read
// back the same.

#include "fuzz/target.h"
#include "props/harness/transcript.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: an entry point of a few lines
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<Transcript> read = ParseTranscript("t", text);
  if (!read.ok()) {
    const std::string message(read.status().message());
    fuzz::Require(message.starts_with("t:"), "transcripts: a refusal without its place");
    fuzz::Require(message.find('\n') == message.npos, "transcripts: a refusal of several lines");
    return 0;
  }
  // Without a budget the writer does not run the model, which may ask for much memory.
  Sequence sequence = read->sequence;
  sequence.config.budget_bytes = 0;
  const absl::StatusOr<Transcript> again = ParseTranscript("t", WriteTranscript(sequence));
  fuzz::Require(again.ok(), "transcripts: what was written is refused");
  fuzz::Require(again->sequence.config == sequence.config, "transcripts: another configuration");
  fuzz::Require(again->sequence.ops == sequence.ops, "transcripts: other calls");
  return 0;
}
