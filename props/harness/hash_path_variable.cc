#include "props/harness/hash_path_variable.h"

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "lockstep/ngram_key.h"

namespace lockstep {

absl::Status CheckHashPathVariable() {
  const char* const wanted = std::getenv("LOCKSTEP_HASH_PATH");
  if (wanted == nullptr || std::string(wanted) == HashPathName(CurrentHashPath())) {
    return absl::OkStatus();
  }
  std::string have;
  for (const HashPath path : kHashPaths) {
    if (HashPathSupported(path)) absl::StrAppend(&have, " ", HashPathName(path));
  }
  return absl::InvalidArgumentError(absl::StrCat("LOCKSTEP_HASH_PATH is \"", wanted,
                                                 "\", which this processor lacks: it has", have));
}

}  // namespace lockstep
