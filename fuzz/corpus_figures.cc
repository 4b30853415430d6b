#include "fuzz/corpus_figures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "props/harness/codec.h"
#include "props/harness/input_file.h"

namespace lockstep::fuzz {
namespace {

namespace fs = std::filesystem;

// Rarest first, as random inputs reach them; what every input shows is no name.
constexpr std::array kTelling = {Situation::kStaleMatchRefused,
                                 Situation::kOldestFound,
                                 Situation::kOldestMissedByOne,
                                 Situation::kDuplicatesNearlyCut,
                                 Situation::kProposeSavedScope,
                                 Situation::kInsertSavedScope,
                                 Situation::kScopeMadeAgain,
                                 Situation::kRunCut,
                                 Situation::kRunResumed,
                                 Situation::kSlotTakenOver,
                                 Situation::kStaleSlotRefused,
                                 Situation::kForeignKeyRefused,
                                 Situation::kDuplicatesBroken,
                                 Situation::kScopeDropped,
                                 Situation::kTailCut,
                                 Situation::kNothingWritten,
                                 Situation::kRingWrapped,
                                 Situation::kDraftEndedByMaxLen,
                                 Situation::kDraftEndedByRun,
                                 Situation::kRefusedDocument,
                                 Situation::kProposeReservedHistory,
                                 Situation::kProposeMiss,
                                 Situation::kShortDocument,
                                 Situation::kRunStarted};

SituationCounts SituationsOf(const DecodedInput& input) {
  ExactModel model(input.options);
  for (const Operation& op : input.sequence.ops) model.Apply(op);
  return model.situations();
}

// False when the decoder has no options for it: its configuration is refused, or may be.
bool HasCache(const DecodedInput& input) {
  return input.tiny || ModelOptions::FromConfig(input.sequence.config).ok();
}

DecodedInput DecodeText(std::string_view bytes) {
  return Decode({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

uint32_t HashOf(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x00000100000001b3;
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

std::string Words(std::string_view text, size_t most) {
  std::string words;
  for (const char c : text) {
    if (words.size() == most) break;
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words += c;
    } else if (!words.empty() && words.back() != '_') {
      words += '_';
    }
  }
  return words;
}

bool IsHash(const std::string& name) {
  return name.size() == 40 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

}  // namespace

std::vector<std::string> CorpusFigures::NotReached() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < static_cast<size_t>(Situation::kCount); ++i) {
    if (situations.of[i] == 0) names.push_back(SituationName(static_cast<Situation>(i)));
  }
  return names;
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

CorpusFigures FiguresOf(const std::vector<std::string>& folders) {
  CorpusFigures figures;
  for (const std::string& folder : folders) {
    for (const std::string& file : FilesIn(folder)) {
      const absl::StatusOr<std::string> bytes = ReadInputFile(file);
      if (!bytes.ok()) continue;
      ++figures.inputs;
      const DecodedInput input = DecodeText(*bytes);
      if (!HasCache(input)) continue;
      const SituationCounts counts = SituationsOf(input);
      figures.tiny += input.tiny;
      figures.wrapping += counts.of[static_cast<size_t>(Situation::kRingWrapped)] > 0;
      figures.situations.Add(counts);
    }
  }
  return figures;
}

bool IsTiny(std::string_view bytes) { return DecodeText(bytes).tiny; }

std::string NameOf(bool codec, std::string_view bytes) {
  const std::string hash = absl::StrFormat("%08x", HashOf(bytes));
  if (!codec) {
    const std::string words = Words(bytes.substr(0, 200), 40);
    return absl::StrCat(bytes.size(), "_bytes_", words, words.ends_with('_') ? "" : "_", hash);
  }
  const DecodedInput input = DecodeText(bytes);
  if (!HasCache(input)) return absl::StrCat("configuration_refused_", hash);
  std::string name = input.tiny ? "tiny" : "configured";
  if (input.tiny && input.options.first_position > 1) {
    absl::StrAppend(&name, "_from_near_2_to_the_",
                    std::countr_zero(std::bit_ceil(input.options.first_position)));
  }
  const SituationCounts counts = SituationsOf(input);
  int told = 0;
  for (const Situation situation : kTelling) {
    if (counts.of[static_cast<size_t>(situation)] == 0 || told == 2) continue;
    absl::StrAppend(&name, told == 0 ? "_" : "_and_", Words(SituationName(situation), 60));
    ++told;
  }
  return absl::StrCat(name, "_", hash);
}

void NameInputs(const std::string& folder, bool codec) {
  for (const std::string& file : FilesIn(folder)) {
    const fs::path path(file);
    const absl::StatusOr<std::string> bytes = ReadInputFile(file);
    if (!IsHash(path.filename().string()) || !bytes.ok()) continue;
    std::error_code error;
    fs::rename(path, path.parent_path() / NameOf(codec, *bytes), error);
  }
}

}  // namespace lockstep::fuzz
