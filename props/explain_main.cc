// lockstep-explain: what does this failing input do, step by step?

#include <iostream>
#include <optional>
#include <string>

#include "CLI/CLI.hpp"
#include "props/harness/contained.h"
#include "props/harness/narrate.h"
#include "reports/result.h"

namespace lockstep {
namespace {

struct Flags {
  std::string file;
  std::string impl;
  std::string level = "exact";
  std::string transcript;
  bool fuzz_input = false;
  bool configured = false;
};

void AddFlags(CLI::App& app, Flags& flags) {
  app.description(
      "Tells what each call of a transcript, or of an input of the fuzz targets, does: what the\n"
      "exact model holds after it, and where the implementation and the model part.\n"
      "Exit codes: 0 they agree; 1 they part; 2 bad usage or a bad file; 4 the library does not\n"
      "load.");
  app.add_option("FILE", flags.file, "a transcript (.jsonl), or a fuzz input")->required();
  app.add_option("--impl", flags.impl, "the library to run; default: our own core");
  app.add_option("--level", flags.level, "what it is held to: exact or sound")
      ->check(CLI::IsMember({"exact", "sound"}));
  app.add_flag("--fuzz-input", flags.fuzz_input, "FILE is a fuzz input, whatever it begins with");
  app.add_flag("--configured", flags.configured,
               "give a fuzz input's tiny cache the nearest configuration there is, as the targets\n"
               "do for other implementations");
  app.add_option("--transcript", flags.transcript, "write the calls to this file as a transcript");
}

int Fail(const absl::Status& status) {
  std::cerr << std::string(status.message()) << "\n";
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status) ? kExitBadInput
                                                                     : kExitHarnessFailed;
}

int Explain(const Flags& flags) {
  const absl::StatusOr<Transcript> transcript =
      ReadExplainable(flags.file, flags.fuzz_input,
                      flags.configured ? CodecScopes::kConfigured : CodecScopes::kAny);
  if (!transcript.ok()) return Fail(transcript.status());
  if (!flags.transcript.empty()) {
    const std::string text = WriteTranscript(transcript->sequence);
    const absl::Status written = WriteFileAtomically(flags.transcript, text);
    if (!written.ok()) return Fail(written);
  }
  const Level level = flags.level == "exact" ? Level::kExact : Level::kSound;
  const absl::StatusOr<Narration> narration = Narrate(*transcript, {.library = flags.impl}, level);
  if (!narration.ok()) return Fail(narration.status());
  std::cout << narration->text << std::flush;
  return narration->parted ? kExitBrokenPromise : kExitPass;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (const std::optional<int> done = lockstep::ContainedMain(argc, argv)) return *done;
  lockstep::Flags flags;
  CLI::App app;
  lockstep::AddFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? lockstep::kExitPass : lockstep::kExitBadInput;
  }
  return lockstep::Explain(flags);
}
