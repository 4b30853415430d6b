// Words for values in findings and narration.

#ifndef LOCKSTEP_PROPS_HARNESS_DESCRIBE_H_
#define LOCKSTEP_PROPS_HARNESS_DESCRIBE_H_

#include <string>

#include "absl/types/span.h"
#include "lockstep/c_api.h"
#include "lockstep/types.h"

namespace lockstep {

// "[1 2 3 ... 9] (40 tokens)": at most `most` tokens are spelt out.
std::string DescribeTokens(absl::Span<const Token> tokens, size_t most = 8);
std::string DescribeScope(const ScopeKey& scope);    // "(1,0,0,7)"
const char* DescribeStatus(lockstep_status status);  // "INVALID_ARGUMENT"

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_DESCRIBE_H_
