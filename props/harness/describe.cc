#include "props/harness/describe.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {

std::string DescribeTokens(absl::Span<const Token> tokens, size_t most) {
  if (tokens.size() <= most) return absl::StrCat("[", absl::StrJoin(tokens, " "), "]");
  return absl::StrCat("[", absl::StrJoin(tokens.first(most - 1), " "), " ... ", tokens.back(),
                      "] (", tokens.size(), " tokens)");
}

std::string DescribeScope(const ScopeKey& scope) {
  return absl::StrCat("(", scope.model, ",", scope.tokenizer, ",", scope.adapter, ",", scope.tenant,
                      ")");
}

const char* DescribeStatus(lockstep_status status) {
  switch (status) {
    case LOCKSTEP_OK:
      return "OK";
    case LOCKSTEP_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case LOCKSTEP_RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case LOCKSTEP_INTERNAL:
      return "INTERNAL";
  }
  return "a status that does not exist";
}

}  // namespace lockstep
