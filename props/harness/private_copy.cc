#include "props/harness/private_copy.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

bool WriteAll(int to, const char* bytes, ssize_t count) {
  while (count > 0) {
    const ssize_t written = write(to, bytes, static_cast<size_t>(count));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    count -= written;
  }
  return true;
}

bool CopyContents(const std::string& path, int to) {
  const int from = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return false;
  const absl::Cleanup close_it = [from] { close(from); };
  std::vector<char> buffer(1 << 16);
  while (true) {
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    if (!WriteAll(to, buffer.data(), count)) return false;
  }
}

absl::Status CannotCopy(const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": cannot be copied aside: ", std::strerror(errno)));
}

// A copy beside the original, for libraries that find others relative to themselves ($ORIGIN).
void* OpenCopyBeside(const std::string& path) {
  std::string copy = path + ".XXXXXX";
  const int fd = mkostemp(copy.data(), O_CLOEXEC);
  if (fd < 0) return nullptr;
  const bool copied = CopyContents(path, fd);
  close(fd);
  void* library = copied ? dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(copy.c_str());
  return library;
}

}  // namespace

absl::StatusOr<void*> OpenPrivateCopy(const std::string& path) {
  const int fd = memfd_create("lockstep-library", MFD_CLOEXEC);
  if (fd < 0 || !CopyContents(path, fd)) return CannotCopy(path);
  // The descriptor stays open: the loader remembers libraries by name, and a number used again
  // would name the wrong one.
  void* library = dlopen(absl::StrCat("/proc/self/fd/", fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  close(fd);
  if (void* beside = OpenCopyBeside(path); beside != nullptr) return beside;
  // Neither worked; the loader's words about the original are the ones worth reading.
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return nullptr;
}

}  // namespace lockstep
