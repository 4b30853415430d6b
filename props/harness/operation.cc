#include "props/harness/operation.h"

#include <utility>

namespace lockstep {

Operation Insert(const ScopeKey& scope, std::vector<Token> doc) {
  return {.kind = Operation::Kind::kInsert, .scope = scope, .tokens = std::move(doc)};
}

Operation Propose(const ScopeKey& scope, std::vector<Token> history, uint64_t max_len) {
  return {.kind = Operation::Kind::kPropose,
          .scope = scope,
          .tokens = std::move(history),
          .max_len = max_len};
}

}  // namespace lockstep
