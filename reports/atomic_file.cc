#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "reports/result.h"

namespace lockstep {
namespace {

absl::Status WriteAll(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, "");
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, std::string_view contents) {
  // In the same folder, since a rename does not cross file systems; one name per process and call,
  // since several may write there.
  static std::atomic<uint64_t> calls = 0;
  const std::string aside = absl::StrCat(path, ".", getpid(), ".", calls.fetch_add(1), ".part");
  const int fd = open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be written"));
  absl::Status status = WriteAll(fd, contents);
  if (close(fd) != 0) status.Update(absl::ErrnoToStatus(errno, ""));
  if (status.ok() && rename(aside.c_str(), path.c_str()) == 0) return absl::OkStatus();
  if (status.ok()) status = absl::ErrnoToStatus(errno, "");
  unlink(aside.c_str());
  return absl::Status(status.code(), absl::StrCat(path, ": cannot be written", status.message()));
}

}  // namespace lockstep
