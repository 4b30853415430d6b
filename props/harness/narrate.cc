#include "props/harness/narrate.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "props/harness/codec_format.h"
#include "props/harness/describe.h"
#include "props/harness/exact_judge.h"
#include "props/harness/input_file.h"
#include "props/harness/interpreter.h"
#include "props/harness/model_story.h"
#include "props/harness/sound_judge.h"

namespace lockstep {
namespace {

Transcript FromInput(const std::string& path, const std::string& bytes, CodecScopes scopes) {
  DecodedInput input =
      Decode({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, scopes);
  Transcript transcript;
  transcript.sequence = std::move(input.sequence);
  transcript.sequence.name = path;
  if (input.tiny) transcript.sequence.tiny = input.options;
  return transcript;
}

// What an implementation answered, and how that ended.
struct Answers {
  std::vector<Answer> of;
  std::string refusal;  // of the configuration
  std::string ending;   // "" unless it did not come back
};

absl::StatusOr<Answers> RunTiny(const Transcript& transcript) {
  Answers answers;
  const std::unique_ptr<CacheHandle> cache = MakeTinyCache(*transcript.sequence.tiny);
  Interpreter interpreter({});
  for (absl::Span<const Operation> rest = transcript.sequence.ops; !rest.empty();) {
    std::vector<Answer> step = interpreter.Step(*cache, rest);
    rest.remove_prefix(step.size());
    for (Answer& answer : step) answers.of.push_back(std::move(answer));
  }
  return answers;
}

absl::StatusOr<Answers> RunContained(const Transcript& transcript, const ImplementationSpec& impl) {
  const absl::StatusOr<std::unique_ptr<ContainedCache>> cache =
      StartContained(impl, transcript.sequence.config, {});
  if (!cache.ok()) return cache.status();
  Answers answers;
  if ((*cache)->end().kind == ChildEnd::Kind::kCompleted &&
      (*cache)->create_status() != LOCKSTEP_OK) {
    answers.refusal =
        absl::StrCat(DescribeStatus((*cache)->create_status()), ": ", (*cache)->create_error());
    return answers;
  }
  answers.of = (*cache)->Run(transcript.sequence.ops);
  const ChildEnd& end = (*cache)->end();
  if (end.kind != ChildEnd::Kind::kCompleted) answers.ending = end.what;
  return answers;
}

std::unique_ptr<Judge> MakeJudge(const Transcript& transcript, const ModelOptions& options,
                                 Level level) {
  if (level == Level::kExact) return std::make_unique<ExactJudge>(options);
  return std::make_unique<SoundJudge>(
      CacheConfig{transcript.sequence.config.budget_bytes, options.max_scopes, options.key_len});
}

std::string Opening(const Transcript& transcript, const ModelOptions& o) {
  const CacheConfig& c = transcript.sequence.config;
  std::string text = transcript.sequence.tiny
                         ? "A tiny cache, without a budget"
                         : absl::StrCat("A cache of ", c.budget_bytes, " bytes");
  absl::StrAppend(&text, ": ", o.max_scopes, o.max_scopes == 1 ? " scope" : " scopes", " of ",
                  o.slots, o.slots == 1 ? " slot" : " slots", " and ", o.ring_tokens,
                  " ring tokens, keys of ", o.key_len, ".");
  if (o.duplicate_limit != 32) absl::StrAppend(&text, " A run is cut at ", o.duplicate_limit, ".");
  if (o.first_position != 1) absl::StrAppend(&text, " Head starts at ", o.first_position, ".");
  return text + "\n";
}

std::string DescribeAnswer(const Operation& op, const Answer& answer) {
  const std::string state =
      answer.observed ? absl::StrCat("; stored ", answer.stored_tokens, ", ", answer.scope_count,
                                     answer.scope_count == 1 ? " scope" : " scopes")
                      : "";
  if (op.kind == Operation::Kind::kInsert) {
    return absl::StrCat(DescribeStatus(answer.status), state);
  }
  return absl::StrCat(
      "the draft ", DescribeTokens(answer.draft),
      answer.written == answer.draft.size() ? "" : absl::StrCat(" and a count of ", answer.written),
      state);
}

class Narrator {
 public:
  Narrator(const Transcript& transcript, const Answers& answers, const ModelOptions& options,
           Level level)
      : transcript_(transcript),
        answers_(answers),
        story_(options),
        judge_(MakeJudge(transcript, options, level)) {}

  Narration Run() {
    const std::vector<Operation>& ops = transcript_.sequence.ops;
    narration_.text = Opening(transcript_, story_.model().options());
    for (size_t i = 0; i < ops.size() && !narration_.parted; ++i) TellOne(i);
    if (!narration_.parted && !answers_.ending.empty()) {
      Part(absl::StrCat("After the last call the implementation did not end well: ",
                        answers_.ending));
    }
    if (!narration_.parted) {
      absl::StrAppend(&narration_.text, "They agree in all ", ops.size(), " calls.\n");
    }
    return std::move(narration_);
  }

 private:
  void Say(std::string_view line) { narration_.text += "    " + std::string(line) + "\n"; }
  void Part(std::string_view line) {
    narration_.parted = true;
    narration_.text += "*** " + std::string(line) + "\n";
  }

  std::string Where(size_t i) const {
    if (i >= transcript_.lines.size()) return absl::StrCat("call ", i + 1);
    return absl::StrCat("call ", i + 1, " (line ", transcript_.lines[i], ")");
  }

  void TellOne(size_t i) {
    const Operation& op = transcript_.sequence.ops[i];
    absl::StrAppend(&narration_.text, i + 1, ". ", DescribeCall(op), "\n");
    const ModelStory::Chapter chapter = story_.Tell(op);
    Say(chapter.text);
    if (i < transcript_.expectations.size()) {
      const auto other = Disagreement(transcript_.expectations[i], op, chapter.expected);
      if (other)
        Part(absl::StrCat("The transcript parts from the model at ", Where(i), ": ", *other));
    }
    if (i >= answers_.of.size()) {
      Part(absl::StrCat("They part at ", Where(i),
                        ": the implementation did not come back: ", answers_.ending));
      return;
    }
    const Answer& answer = answers_.of[i];
    if (const std::optional<Finding> finding = judge_->Check(op, answer)) {
      Say(absl::StrCat("The implementation answers ", DescribeAnswer(op, answer), "."));
      Part(absl::StrCat("They part at ", Where(i), ": ", finding->check, ": ", finding->what));
    } else if (answer.draft != chapter.expected.draft) {
      Say(absl::StrCat("The implementation may answer otherwise at this level, and does: ",
                       DescribeAnswer(op, answer), "."));
    }
  }

  const Transcript& transcript_;
  const Answers& answers_;
  ModelStory story_;
  std::unique_ptr<Judge> judge_;
  Narration narration_;
};

}  // namespace

absl::StatusOr<Transcript> ReadExplainable(const std::string& path, bool fuzz_input,
                                           CodecScopes scopes) {
  const absl::StatusOr<std::string> bytes = ReadInputFile(path);
  if (!bytes.ok()) return bytes.status();
  const uint8_t first = bytes->empty() ? 0 : static_cast<uint8_t>((*bytes)[0]);
  const bool is_input = first >= 1 && first <= codec::kVersion;
  if (fuzz_input || is_input) return FromInput(path, *bytes, scopes);
  return ParseTranscript(path, *bytes);
}

absl::StatusOr<Narration> Narrate(const Transcript& transcript, const ImplementationSpec& impl,
                                  Level level) {
  if (transcript.sequence.tiny && !impl.library.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(transcript.sequence.name,
                     ": describes a tiny scope, which only our own core has; leave out --impl"));
  }
  absl::StatusOr<Answers> answers =
      transcript.sequence.tiny ? RunTiny(transcript) : RunContained(transcript, impl);
  if (!answers.ok()) return answers.status();
  const absl::StatusOr<ModelOptions> options =
      transcript.sequence.tiny
          ? *transcript.sequence.tiny
          : ModelOptions::FromConfig(transcript.sequence.config, /*any_key_len=*/true);
  const absl::StatusOr<ModelOptions> strict =
      transcript.sequence.tiny ? options : ModelOptions::FromConfig(transcript.sequence.config);
  if (!answers->refusal.empty()) {
    return Narration{
        absl::StrCat("The implementation refuses the configuration: ", answers->refusal, "\n",
                     strict.ok() ? "*** They part: the model accepts it.\n"
                                 : "So may the model: nothing else is run.\n"),
        strict.ok()};
  }
  if (!options.ok()) {
    return Narration{absl::StrCat("*** They part: the implementation accepts a configuration that "
                                  "must be refused: ",
                                  std::string(options.status().message()), "\n"),
                     true};
  }
  return Narrator(transcript, *answers, *options, level).Run();
}

std::string ShortStory(const std::string& path, const ImplementationSpec& impl, Level level) {
  constexpr size_t kMostOps = 200;
  constexpr size_t kMostBytes = 64 << 10;
  const absl::StatusOr<Transcript> transcript = ReadExplainable(path, false);
  if (!transcript.ok() || transcript->sequence.ops.size() > kMostOps) return "";
  absl::StatusOr<Narration> told = Narrate(*transcript, impl, level);
  return told.ok() && told->text.size() <= kMostBytes ? std::move(told->text) : "";
}

}  // namespace lockstep
