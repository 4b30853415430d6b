// A program that runs beside this one, to be written to and read from.

#ifndef LOCKSTEP_BENCH_REPLAY_SUBPROCESS_H_
#define LOCKSTEP_BENCH_REPLAY_SUBPROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

class Subprocess {
 public:
  // Starts `argv`, found on PATH. With `input` that is all it reads; without, Write() feeds it.
  // `unset` names variables that it must not inherit; LC_ALL is C, so that messages are known.
  //
  // Errors: Unavailable when it cannot be started.
  static absl::StatusOr<std::unique_ptr<Subprocess>> Start(const std::vector<std::string>& argv,
                                                           const std::optional<std::string>& input,
                                                           const std::vector<std::string>& unset);
  ~Subprocess();  // kills it if it still runs

  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  absl::Status Write(std::string_view text);

  // Reads up to `delimiter`, which is taken and left out; false at the end of its output.
  absl::StatusOr<bool> ReadUntil(char delimiter, std::string& text);

  // Reads exactly `size` bytes, keeping them in `text`, or nowhere when it is null.
  absl::Status Read(uint64_t size, std::string* text);

  // Reads everything to the end of its output.
  absl::StatusOr<std::string> ReadAll();

  // Closes its input and waits for it.
  //
  // Errors: InvalidArgument with the first line that it wrote to standard error, when it failed.
  absl::Status Finish();

 private:
  explicit Subprocess(std::string name) : name_(std::move(name)) {}

  absl::StatusOr<bool> Fill();  // reads more into buffer_; false at the end

  std::string name_;
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;  // a file that standard error goes to
  std::string buffer_;
  size_t begin_ = 0;  // of what is unread in buffer_
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_SUBPROCESS_H_
