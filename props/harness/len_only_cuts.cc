#include "props/harness/len_only_cuts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "props/harness/describe.h"

namespace lockstep {

absl::StatusOr<std::optional<Finding>> LenOnlyCuts(const CheckContext& context,
                                                   const Sequence& sequence) {
  auto cache = StartContained(context.impl, sequence.config, {});
  if (!cache.ok()) return cache.status();
  const std::vector<Answer> answers = (*cache)->Run(sequence.ops);
  const Operation* last = nullptr;
  for (size_t i = 0; i < answers.size(); ++i) {
    const Operation& op = sequence.ops[i];
    const bool comparable = last != nullptr && op.kind == Operation::Kind::kPropose &&
                            last->kind == Operation::Kind::kPropose && op.scope == last->scope &&
                            op.tokens == last->tokens;
    last = &op;
    if (!comparable) continue;
    const std::vector<Token>& a = answers[i - 1].draft;
    const std::vector<Token>& b = answers[i].draft;
    const uint64_t both = std::min(sequence.ops[i - 1].max_len, op.max_len);
    const size_t common = std::min<uint64_t>({a.size(), b.size(), both});
    const bool equal = std::equal(a.begin(), a.begin() + static_cast<ptrdiff_t>(common), b.begin(),
                                  b.begin() + static_cast<ptrdiff_t>(common));
    if (equal && std::min<uint64_t>(a.size(), both) == std::min<uint64_t>(b.size(), both)) {
      continue;
    }
    return Finding{
        .check = "I5",
        .what = absl::StrCat("with max_len ", sequence.ops[i - 1].max_len, " the draft is ",
                             DescribeTokens(a), ", with ", op.max_len, " ", DescribeTokens(b)),
        .op_index = i,
        .signature = "I5: max_len changes the draft"};
  }
  return std::nullopt;
}

}  // namespace lockstep
