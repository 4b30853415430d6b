// Writes the seeds of the targets that decode their input with the codec: make_seeds FOLDER.
//
// FOLDER/cache_exact gets the shortest of each kind of directed sequence, and a tiny cache for each
// class of situation, found at random and made as small as it gets; the other targets the latter.
// What is deep is written down in deep_seeds.h, and goes to FOLDER/deep.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/deep_seeds.h"
#include "props/harness/codec.h"
#include "props/harness/exact_model.h"
#include "props/harness/random.h"
#include "props/harness/scenarios.h"
#include "reports/result.h"

namespace lockstep {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kMaxSeedBytes = 4096;

SituationCounts SituationsOf(const DecodedInput& input) {
  ExactModel model(input.options);
  for (const Operation& op : input.sequence.ops) model.Apply(op);
  return model.situations();
}

bool Shows(const Bytes& bytes, size_t situation) {
  return SituationsOf(Decode(bytes)).of[situation] > 0;
}

Bytes RandomTinyInput(Random& random) {
  Bytes bytes = {1, 1};
  for (int i = 0; i < 7; ++i) bytes.push_back(static_cast<uint8_t>(random.Below(240)));
  const uint64_t ops = 1 + random.Below(40);
  for (uint64_t i = 0; i < 6 * ops; ++i) {
    bytes.push_back(static_cast<uint8_t>(random.OneIn(3) ? random.Next() : random.Below(16)));
  }
  return bytes;
}

// Takes operations away, from the last on, while the situation still occurs.
void Minimise(Bytes& bytes, size_t situation) {
  for (size_t at = OperationBoundaries(bytes).size() - 1; at > 0; --at) {
    const std::vector<size_t> cuts = OperationBoundaries(bytes);
    if (at >= cuts.size()) continue;
    Bytes less(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(cuts[at - 1]));
    less.insert(less.end(), bytes.begin() + static_cast<ptrdiff_t>(cuts[at]), bytes.end());
    if (Shows(less, situation)) bytes = less;
  }
}

std::optional<Bytes> FindTiny(size_t situation) {
  std::optional<Bytes> best;
  Random random(situation + 1);
  int found = 0;
  for (int i = 0; i < 200'000 && found < 20; ++i) {
    Bytes bytes = RandomTinyInput(random);
    if (!Shows(bytes, situation)) continue;
    ++found;
    Minimise(bytes, situation);
    const std::optional<Bytes> plain = Encode(Decode(bytes));
    if (plain && plain->size() <= bytes.size() && Shows(*plain, situation)) bytes = *plain;
    if (!best || bytes.size() < best->size()) best = bytes;
  }
  return best;
}

std::string FileName(const std::string& words) {
  std::string name;
  for (const char c : words) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

// The shortest of each kind of directed sequence, by the words that its name begins with.
std::map<std::string, Bytes> DirectedSeeds() {
  std::map<std::string, Bytes> seeds;
  for (const Sequence& sequence : DirectedSequences(1)) {
    DecodedInput input;
    input.sequence = sequence;
    const std::optional<Bytes> bytes = Encode(input);
    if (!bytes || bytes->size() > kMaxSeedBytes) continue;
    std::string kind = sequence.name.substr(0, sequence.name.find_first_of(",0123456789"));
    while (kind.ends_with(' ')) kind.pop_back();
    Bytes& best = seeds["directed " + kind];
    if (best.empty() || bytes->size() < best.size()) best = *bytes;
  }
  return seeds;
}

void Write(const std::filesystem::path& folder, const std::string& name, const Bytes& bytes) {
  std::filesystem::create_directories(folder);
  const absl::Status status = WriteFileAtomically(
      (folder / FileName(name)).string(),
      std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using namespace lockstep;  // NOLINT: an entry point
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds FOLDER\n");
    return kExitBadInput;
  }
  const std::filesystem::path corpus = argv[1];
  const std::map<std::string, Bytes> directed = DirectedSeeds();
  for (const auto& [name, bytes] : directed) Write(corpus / "cache_exact", name, bytes);
  const std::map<std::string, Bytes> deep = fuzz::DeepSeeds();
  for (const auto& [name, bytes] : deep) Write(corpus / "deep", name, bytes);
  size_t tiny = 0;
  for (size_t i = 0; i < static_cast<size_t>(Situation::kCount); ++i) {
    const std::string name = SituationName(static_cast<Situation>(i));
    const std::optional<Bytes> bytes = FindTiny(i);
    if (!bytes) {
      std::fprintf(stderr, "no tiny input shows: %s\n", name.c_str());
      continue;
    }
    for (const char* target : {"cache_exact", "cache_sound", "scopes"}) {
      Write(corpus / target, "tiny " + name, *bytes);
    }
    ++tiny;
  }
  std::printf("%zu directed, %zu deep and %zu tiny seeds\n", directed.size(), deep.size(), tiny);
  return kExitPass;
}
