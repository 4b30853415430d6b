// A trace as the operations a server would make of it.

#ifndef LOCKSTEP_PROPS_HARNESS_TRACE_SOURCE_H_
#define LOCKSTEP_PROPS_HARNESS_TRACE_SOURCE_H_

#include <memory>
#include <string>

#include "props/harness/check.h"
#include "props/harness/trace.h"

namespace lockstep {

// For each request: a proposal at every decode step of its output (a step emits what was accepted
// of the exact model's draft, and one token more), then the insert of prompt and output.
//
// Errors while reading end the source; status() tells.
class TraceSource : public OperationSource {
 public:
  TraceSource(std::string name, std::unique_ptr<TraceReader> reader, const CacheConfig& config,
              const ModelOptions& options, uint64_t max_draft);

  const std::string& name() const override { return name_; }
  const CacheConfig& config() const override { return config_; }
  bool Next(std::vector<Operation>& ops) override;

  const absl::Status& status() const { return status_; }
  uint64_t requests() const { return requests_; }
  const TraceReader& reader() const { return *reader_; }

 private:
  void Decode(const Request& request, std::vector<Operation>& ops);

  std::string name_;
  std::unique_ptr<TraceReader> reader_;
  CacheConfig config_;
  ExactModel model_;
  uint64_t max_draft_;
  Request request_;
  absl::Status status_;
  uint64_t requests_ = 0;
  uint64_t proposals_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_TRACE_SOURCE_H_
