#include "props/harness/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status CannotRead(const std::string& path, int error) {
  if (error == EISDIR) {
    return absl::NotFoundError(absl::StrCat(path, ": is a directory; name a file"));
  }
  return absl::NotFoundError(absl::StrCat(path, ": cannot be read (",
                                          std::generic_category().message(error),
                                          "); check the name and its permissions"));
}

absl::StatusOr<std::string> ReadInputFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotRead(path, errno);
  const absl::Cleanup close_fd = [fd] { close(fd); };

  struct stat info = {};
  std::string contents;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    contents.reserve(std::min(static_cast<uint64_t>(info.st_size), kMaxInputFileBytes) + 1);
  }
  constexpr size_t kChunkBytes = 1 << 16;
  for (;;) {
    const size_t size = contents.size();
    contents.resize(size + kChunkBytes);
    const ssize_t got = read(fd, contents.data() + size, kChunkBytes);
    const int error = errno;
    contents.resize(size + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got == 0) return contents;
    if (got < 0 && error != EINTR) return CannotRead(path, error);
    if (contents.size() > kMaxInputFileBytes) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": is larger than ",
                                                     kMaxInputFileBytes >> 20,
                                                     " MiB; split it, or check the name"));
    }
  }
}

}  // namespace lockstep
