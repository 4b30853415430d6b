#include "props/harness/trace_source.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

// Only the last key_len tokens of a history are ever read, so most proposals carry few tokens; one
// in this many carries all.
constexpr uint64_t kWholeHistoryEvery = 256;
constexpr size_t kUsualHistoryTokens = 64;

}  // namespace

TraceSource::TraceSource(std::string name, std::unique_ptr<TraceReader> reader,
                         const CacheConfig& config, const ModelOptions& options, uint64_t max_draft)
    : name_(std::move(name)),
      reader_(std::move(reader)),
      config_(config),
      model_(options),
      max_draft_(max_draft) {}

bool TraceSource::Next(std::vector<Operation>& ops) {
  const absl::StatusOr<bool> more = reader_->Next(request_);
  if (!more.ok()) {
    status_ = more.status();
    return false;
  }
  if (!*more) return false;
  ++requests_;
  Decode(request_, ops);
  return true;
}

void TraceSource::Decode(const Request& request, std::vector<Operation>& ops) {
  std::vector<Token> doc = request.prompt;
  doc.insert(doc.end(), request.output.begin(), request.output.end());
  const size_t usual = std::max<size_t>(kUsualHistoryTokens, model_.options().key_len);
  size_t done = request.prompt.size();
  while (done < doc.size()) {
    const bool whole = ++proposals_ % kWholeHistoryEvery == 0;
    const size_t shown = whole ? done : std::min(done, usual);
    const auto end = doc.begin() + static_cast<ptrdiff_t>(done);
    Operation op = Propose(request.scope, {end - static_cast<ptrdiff_t>(shown), end}, max_draft_);
    const Answer answer = model_.Apply(op);
    size_t accepted = 0;
    while (accepted < answer.draft.size() && done + accepted < doc.size() &&
           answer.draft[accepted] == doc[done + accepted]) {
      ++accepted;
    }
    ops.push_back(std::move(op));
    done += accepted + 1;
  }
  ops.push_back(Insert(request.scope, std::move(doc)));
  model_.Apply(ops.back());
}

}  // namespace lockstep
