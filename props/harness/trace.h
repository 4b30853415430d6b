// Traces: finished requests, one JSON object a line, plain or compressed with zstd.

#ifndef LOCKSTEP_PROPS_HARNESS_TRACE_H_
#define LOCKSTEP_PROPS_HARNESS_TRACE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lockstep/types.h"

namespace lockstep {

inline constexpr uint64_t kMaxTraceLineBytes = uint64_t{64} << 20;

struct Request {
  std::string id;
  ScopeKey scope;
  std::vector<Token> prompt;
  std::vector<Token> output;
};

// Reads requests one at a time, in constant memory. "-" is standard input.
class TraceReader {
 public:
  // Several shards are one stream, in the order given.
  static absl::StatusOr<std::unique_ptr<TraceReader>> Open(std::vector<std::string> paths);
  virtual ~TraceReader() = default;

  // Reads the next request into `request`, reusing its memory; false at the end.
  //
  // Errors: InvalidArgument "FILE:LINE: what is wrong; what to do": a missing or unknown member, a
  //         token that is negative, fractional or above 2^32 - 2, a line above 64 MiB, a truncated
  //         file, an empty file, binary junk. NotFound: a file that cannot be read. The reader is
  //         of no more use after an error.
  // Cost:   about 80 MB/s of JSON; memory for the longest line.
  virtual absl::StatusOr<bool> Next(Request& request) = 0;

  // Bytes of the files read so far and in all (0 when unknown), for progress.
  virtual uint64_t bytes_read() const = 0;
  virtual uint64_t bytes_total() const = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_TRACE_H_
