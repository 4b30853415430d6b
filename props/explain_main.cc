// lockstep-explain: what does this failing input do, step by step?

#include <iostream>
#include <optional>
#include <string>

#include "props/harness/contained.h"
#include "props/harness/narrate.h"
#include "reports/command_line.h"
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

CommandHelp Help() {
  return {
      .name = "explain",
      .answers = "What does this failing input do, step by step?",
      .about =
          "Tells what each call of a transcript, or of an input of the fuzz targets, does: what "
          "the exact model holds after it, and where the implementation and the model part.",
      .examples = {{"./lockstep explain out/verify/finding-1.jsonl", "a finding of verify"},
                   {"./lockstep explain FILE --impl libengine.so", "in another library"},
                   {"./lockstep explain crash-1f3a --transcript calls.jsonl",
                    "what libFuzzer left, and its calls as a file"}},
      .exit_codes = {{0, "they agree"},
                     {1, "they part"},
                     {2, "bad usage or a bad file"},
                     {4, "the library does not load"}}};
}

void AddFlags(CLI::App& app, Flags& flags) {
  Describe(app, Help());
  app.add_option("FILE", flags.file, "a transcript (.jsonl), or a fuzz input")->required();
  app.add_option("--impl", flags.impl, "run this library in place of our own core")
      ->type_name("LIB.so");
  app.add_option("--level", flags.level, "exact: equal to the specification; sound: I1 to I5 hold")
      ->type_name("exact|sound")
      ->check(CLI::IsMember({"exact", "sound"}));
  app.add_flag("--fuzz-input", flags.fuzz_input, "FILE is a fuzz input, whatever it begins with");
  app.add_flag("--configured", flags.configured,
               "give a fuzz input's tiny cache the nearest configuration there is, as the targets "
               "do for other implementations");
  app.add_option("--transcript", flags.transcript, "write the calls to this file as a transcript")
      ->type_name("FILE");
}

int Fail(const absl::Status& status) {
  return Complain("explain", status.message(), ExitCodeOf(status));
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
  if (const auto done = lockstep::ParseCommandLine(app, argc, argv)) return *done;
  return lockstep::Explain(flags);
}
