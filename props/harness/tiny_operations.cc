#include "props/harness/tiny_operations.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/exact_judge.h"
#include "props/harness/implementation.h"
#include "props/harness/interpreter.h"
#include "props/harness/random.h"

namespace lockstep {
namespace {

std::optional<Finding> JudgeTiny(const ModelOptions& options, absl::Span<const Operation> ops,
                                 CheckReport* report) {
  const std::unique_ptr<CacheHandle> cache = MakeTinyCache(options);
  ExactJudge judge(options);
  std::optional<Finding> finding = RunBeside(*cache, judge, ops);
  if (report != nullptr) {
    report->situations.Add(judge.model().situations());
    report->expected_drafts += judge.expected_drafts();
    report->given_drafts += judge.given_drafts();
  }
  return finding;
}

}  // namespace

std::string DescribeOptions(const ModelOptions& options) {
  return absl::StrCat(options.slots, " slots, ", options.ring_tokens, " ring tokens, key_len ",
                      options.key_len, ", ", options.max_scopes, " scopes, duplicate limit ",
                      options.duplicate_limit, ", first position ", options.first_position);
}

std::vector<Operation> TinyOperations(const ModelOptions& options, uint64_t seed, uint64_t laps) {
  Random random(seed);
  std::vector<Operation> ops;
  const uint64_t vocabulary = random.Between(1, 4);
  const auto tokens = [&](uint64_t len) {
    std::vector<Token> made(len);
    for (Token& token : made) token = static_cast<Token>(random.Below(vocabulary));
    return made;
  };
  const uint64_t scopes = options.max_scopes + (random.OneIn(2) ? 1 : 0);
  uint64_t written = 0;
  while (written < laps * scopes * options.ring_tokens) {
    const ScopeKey scope{.tenant = random.Below(scopes)};
    const uint64_t extra =
        random.OneIn(6) ? random.Below(2 * options.ring_tokens) : random.Below(8);
    std::vector<Token> doc = tokens(options.key_len + extra);
    // Something new now and then: over few tokens all is soon predicted.
    if (random.OneIn(3) && !doc.empty()) {
      doc[random.Below(doc.size())] = static_cast<Token>(random.Next() >> 33);
    }
    written += doc.size();
    ops.push_back(Insert(scope, std::move(doc)));
    for (int i = 0; i < 4; ++i) {
      std::vector<Token> history = tokens(options.key_len + random.Below(2));
      if (random.OneIn(2)) {
        const std::vector<Token>& from = ops[random.Below(ops.size())].tokens;
        const uint64_t end = random.Below(from.size() + 1);
        history.assign(from.begin(), from.begin() + static_cast<ptrdiff_t>(end));
      }
      ops.push_back(
          Propose({.tenant = random.Below(scopes)}, std::move(history), random.Below(12)));
    }
  }
  return ops;
}

CheckReport RunTiny(const ModelOptions& options, const std::string& name,
                    std::vector<Operation> ops) {
  CheckReport report;
  report.sequences = 1;
  report.operations = ops.size();
  for (const Operation& op : ops) report.tokens += op.tokens.size();
  const std::optional<Finding> finding = JudgeTiny(options, ops, &report);
  if (!finding) return report;
  ops.resize(finding->op_index + 1);
  Failure failure{.finding = *finding,
                  .found_by = name,
                  .sequence = {.name = name,
                               .config = {.budget_bytes = 6144 * options.max_scopes,
                                          .max_scopes = options.max_scopes,
                                          .key_len = options.key_len},
                               .ops = std::move(ops),
                               .tiny = options}};
  failure.finding.what = absl::StrCat(finding->what, " (", DescribeOptions(options), ")");
  failure.reproduce = [options](const Sequence& candidate) -> std::optional<Finding> {
    if (candidate.tiny != options) return std::nullopt;
    std::optional<Finding> again = JudgeTiny(options, candidate.ops, nullptr);
    if (again) again->what = absl::StrCat(again->what, " (", DescribeOptions(options), ")");
    return again;
  };
  report.failures.push_back(std::move(failure));
  return report;
}

}  // namespace lockstep
