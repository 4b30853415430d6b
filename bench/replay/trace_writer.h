// Writes traces: one request a line, compressed when the name ends in .zst.

#ifndef LOCKSTEP_BENCH_REPLAY_TRACE_WRITER_H_
#define LOCKSTEP_BENCH_REPLAY_TRACE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "props/harness/trace.h"

namespace lockstep {

class TraceWriter {
 public:
  // Opens a file beside `path`, which Finish() moves there; "-" is standard output.
  //
  // Errors: NotFound when the folder cannot be written to.
  static absl::StatusOr<std::unique_ptr<TraceWriter>> Open(const std::string& path);
  virtual ~TraceWriter() = default;  // removes what was not finished

  // Errors: InvalidArgument when the line would be above kMaxTraceLineBytes, Internal when the disk
  //         is full.
  virtual absl::Status Write(const Request& request) = 0;

  // Nothing is at `path` before this returned OK.
  virtual absl::Status Finish() = 0;
};

// The line of a request, without its end; an id that is no UTF-8 is mended.
std::string TraceLine(const Request& request);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_TRACE_WRITER_H_
