#include "props/invariants/generated.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/random.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

using Doc = std::vector<Token>;

enum class StepKind { kText, kResend, kExtend, kReserved, kProposeEarlier, kProposeText };

// What becomes an operation: numbers that mean something for every value, so that each can shrink
// by itself.
struct Step {
  StepKind kind = StepKind::kText;
  uint64_t scope = 0;
  uint64_t source = 0;  // which earlier document, counted back from the latest
  uint64_t begin = 0;   // of the part of it
  uint64_t len = 0;     // of the part, or of the text
  uint64_t text = 0;    // the seed of a text; texts of one seed begin alike
  uint64_t max_len = 0;
  bool batched = false;
};

struct Bounds {
  uint64_t key_len = 1;
  uint64_t scopes = 1;
  uint64_t vocabulary = 2;
};

Doc Text(uint64_t seed, uint64_t len, uint64_t vocabulary) {
  // A period makes runs of duplicates.
  Random random(seed);
  const uint64_t period = seed % 3 == 0 ? 1 + random.Below(12) : len;
  Doc doc(len);
  for (uint64_t i = 0; i < len; ++i) {
    doc[i] = i < period ? static_cast<Token>(random.Below(vocabulary)) : doc[i - period];
  }
  return doc;
}

Doc Part(const Doc& doc, uint64_t begin, uint64_t len) {
  begin = std::min<uint64_t>(begin, doc.size());
  len = std::min<uint64_t>(len, doc.size() - begin);
  return {doc.begin() + static_cast<ptrdiff_t>(begin),
          doc.begin() + static_cast<ptrdiff_t>(begin + len)};
}

std::vector<Operation> Resolve(const std::vector<Step>& steps, const Bounds& bounds) {
  std::vector<Operation> ops;
  std::vector<Doc> docs = {{}};
  for (const Step& step : steps) {
    const ScopeKey scope{.tenant = step.scope % bounds.scopes};
    const Doc& earlier = docs[docs.size() - 1 - step.source % docs.size()];
    const Doc text = Text(step.text, step.len, bounds.vocabulary);
    switch (step.kind) {
      case StepKind::kProposeEarlier:
        ops.push_back(Propose(scope, Part(earlier, 0, step.begin + bounds.key_len), step.max_len));
        ops.back().batched = step.batched;
        continue;
      case StepKind::kProposeText:
        ops.push_back(Propose(scope, Part(text, 0, bounds.key_len + step.len % 3), step.max_len));
        ops.back().batched = step.batched;
        continue;
      case StepKind::kText:
        docs.push_back(text);
        break;
      case StepKind::kResend:
        docs.push_back(Part(earlier, step.begin % 8, std::numeric_limits<uint64_t>::max()));
        break;
      case StepKind::kReserved:
      case StepKind::kExtend: {
        Doc doc = Part(earlier, step.begin, step.len);
        doc.insert(doc.end(), text.begin(), text.end());
        docs.push_back(std::move(doc));
      }
    }
    Doc doc = docs.back();
    if (step.kind == StepKind::kReserved && !doc.empty()) {
      doc[step.begin % doc.size()] = kReservedToken;
    }
    ops.push_back(Insert(scope, std::move(doc)));
  }
  // A proposal is batched with the proposal before it.
  for (size_t i = 0; i < ops.size(); ++i) {
    ops[i].batched &= i > 0 && ops[i - 1].kind == Operation::Kind::kPropose;
  }
  return ops;
}

rc::Gen<std::vector<Step>> Steps(uint64_t longest) {
  const auto step = rc::gen::build<Step>(
      rc::gen::set(&Step::kind, rc::gen::weightedElement<StepKind>({{5, StepKind::kText},
                                                                    {3, StepKind::kResend},
                                                                    {4, StepKind::kExtend},
                                                                    {1, StepKind::kReserved},
                                                                    {8, StepKind::kProposeEarlier},
                                                                    {3, StepKind::kProposeText}})),
      rc::gen::set(&Step::scope, rc::gen::inRange<uint64_t>(0, 6)),
      rc::gen::set(&Step::source,
                   rc::gen::weightedOneOf<uint64_t>({{3, rc::gen::inRange<uint64_t>(0, 3)},
                                                     {1, rc::gen::inRange<uint64_t>(0, 40)}})),
      rc::gen::set(&Step::begin, rc::gen::inRange<uint64_t>(0, longest)),
      rc::gen::set(&Step::len, rc::gen::inRange<uint64_t>(0, longest)),
      rc::gen::set(&Step::text, rc::gen::inRange<uint64_t>(0, 12)),
      rc::gen::set(&Step::max_len, rc::gen::weightedOneOf<uint64_t>(
                                       {{6, rc::gen::inRange<uint64_t>(0, 12)},
                                        {1, rc::gen::just(std::numeric_limits<uint64_t>::max())}})),
      rc::gen::set(&Step::batched, rc::gen::weightedElement<bool>({{6, false}, {1, true}})));
  return rc::gen::container<std::vector<Step>>(step);
}

rc::Gen<ModelOptions> TinyOptions() {
  return rc::gen::apply(
      [](uint64_t key_len, uint64_t more, uint64_t bits, uint64_t scopes, uint32_t limit,
         uint64_t before) {
        return ModelOptions{.slots = uint64_t{1} << bits,
                            .ring_tokens = key_len + 2 + more,
                            .key_len = key_len,
                            .max_scopes = scopes,
                            .duplicate_limit = limit,
                            .first_position = before == 0 ? 1 : (uint64_t{1} << 32) - before};
      },
      rc::gen::inRange<uint64_t>(1, 4), rc::gen::inRange<uint64_t>(0, 24),
      rc::gen::inRange<uint64_t>(0, 6), rc::gen::inRange<uint64_t>(1, 4),
      rc::gen::inRange<uint32_t>(2, 9),
      rc::gen::weightedOneOf<uint64_t>(
          {{4, rc::gen::just<uint64_t>(0)}, {1, rc::gen::inRange<uint64_t>(1, 60)}}));
}

rc::Gen<CacheConfig> SmallConfigs() {
  return rc::gen::apply(
      [](uint64_t key_len, uint64_t more, uint64_t scopes) {
        return CacheConfig{
            .budget_bytes = (6144 + more) * scopes, .max_scopes = scopes, .key_len = key_len};
      },
      rc::gen::inRange<uint64_t>(1, 5), rc::gen::inRange<uint64_t>(0, 200),
      rc::gen::inRange<uint64_t>(1, 5));
}

}  // namespace

rc::Gen<Sequence> TinySequences() {
  return rc::gen::apply(
      [](const ModelOptions& options, uint64_t vocabulary, const std::vector<Step>& steps) {
        return Sequence{
            .name = "generated",
            .config = {.max_scopes = options.max_scopes, .key_len = options.key_len},
            .ops = Resolve(steps, {options.key_len, options.max_scopes + 1, vocabulary}),
            .tiny = options};
      },
      TinyOptions(), rc::gen::inRange<uint64_t>(1, 5), Steps(30));
}

rc::Gen<Sequence> ConfiguredSequences() {
  return rc::gen::apply(
      [](const CacheConfig& config, uint64_t vocabulary, const std::vector<Step>& steps) {
        return Sequence{.name = "generated",
                        .config = config,
                        .ops = Resolve(steps, {config.key_len, config.max_scopes + 1, vocabulary})};
      },
      SmallConfigs(), rc::gen::element<uint64_t>(2, 4, 16, 1000, kReservedToken), Steps(700));
}

CheckContext OwnCoreAt(Level level) {
  CheckContext context;
  context.level = level;
  return context;
}

void showValue(const Sequence& sequence, std::ostream& out) { out << WriteTranscript(sequence); }

void RequireHolds(const absl::StatusOr<std::optional<Finding>>& found) {
  if (!found.ok()) RC_FAIL(std::string(found.status().message()));
  if (!found->has_value()) return;
  const Finding& finding = **found;
  RC_FAIL(absl::StrCat(finding.check, " is broken by operation ", finding.op_index, ": ",
                       finding.what));
}

}  // namespace lockstep
