// The reader of traces, plain and compressed: any bytes are read or refused at a line.

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "fuzz/target.h"
#include "props/harness/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: an entry point of a few lines
  const int fd = memfd_create("trace", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  auto reader = TraceReader::Open({path});
  absl::Status status = reader.status();
  Request request;
  for (bool more = reader.ok(); more;) {
    const absl::StatusOr<bool> got = (*reader)->Next(request);
    status = got.status();
    more = got.ok() && *got;
    for (const auto* tokens : {&request.prompt, &request.output}) {
      for (const Token token : *tokens) {
        fuzz::Require(!more || token != kReservedToken,
                      "trace_reader: the reserved token was read");
      }
    }
  }
  if (!status.ok()) {
    const std::string message(status.message());
    fuzz::Require(message.starts_with(path + ":"), "trace_reader: a refusal without its place");
    fuzz::Require(message.find('\n') == message.npos, "trace_reader: a refusal of several lines");
  }
  close(fd);
  return 0;
}
