#include "bench/gate/own_trace.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/replay/git_trace.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

constexpr uint64_t kMostTokens = 400'000;

}  // namespace

absl::Status WriteOwnTrace(const std::string& repository, const std::string& path) {
  // Numbers of 32 bits: of each request the prompt's length, the whole length, and the tokens.
  std::vector<uint32_t> numbers;
  const absl::StatusOr<GitCounts> counts =
      ReadGitEdits({.repository = repository, .max_commits = 100}, [&](const FileEdit& edit) {
        const Request request = RequestOf(edit, TenantBy::kRepository);
        const size_t len = request.prompt.size() + request.output.size();
        if (request.output.empty()) return true;
        numbers.push_back(static_cast<uint32_t>(request.prompt.size()));
        numbers.push_back(static_cast<uint32_t>(len));
        numbers.insert(numbers.end(), request.prompt.begin(), request.prompt.end());
        numbers.insert(numbers.end(), request.output.begin(), request.output.end());
        return numbers.size() < kMostTokens;
      });
  if (!counts.ok()) return counts.status();
  return WriteFileAtomically(path, std::string_view(reinterpret_cast<const char*>(numbers.data()),
                                                    numbers.size() * sizeof(uint32_t)));
}

absl::StatusOr<ReplayTrace> ReadOwnTrace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ReplayTrace trace;
  uint32_t lens[2];
  while (file.read(reinterpret_cast<char*>(lens), sizeof(lens))) {
    ReplayTrace::Request& request = trace.requests.emplace_back();
    request.prompt_len = lens[0];
    request.tokens.resize(lens[1]);
    file.read(reinterpret_cast<char*>(request.tokens.data()),
              static_cast<std::streamsize>(lens[1] * sizeof(uint32_t)));
    if (!file || lens[0] > lens[1]) {
      return absl::UnavailableError(absl::StrCat(path, ": is cut short or no trace of the gate's"));
    }
  }
  if (trace.requests.empty()) return absl::UnavailableError(absl::StrCat(path, ": no requests"));
  return trace;
}

}  // namespace lockstep::gate
