#include "props/harness/containment/arena.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

static_assert(sizeof(Control) <= Arena::kControlBytes);
static_assert(std::atomic<uint32_t>::is_always_lock_free &&
              std::atomic<size_t>::is_always_lock_free);

// Stretches that stay below this are kept for the next command.
constexpr size_t kKeptBytes = size_t{16} << 20;

absl::Status NoArena(const char* what) {
  return absl::InternalError(
      absl::StrCat("no memory to share with a child process: ", what, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Arena>> Arena::Make() {
  const int fd = memfd_create("lockstep-arena", MFD_CLOEXEC);
  if (fd < 0) return NoArena("memfd_create");
  if (ftruncate(fd, kBytes) != 0) {
    const absl::Status status = NoArena("ftruncate");
    close(fd);
    return status;
  }
  absl::StatusOr<std::unique_ptr<Arena>> arena = Map(fd, /*control_only=*/false);
  if (arena.ok()) new (&(*arena)->control()) Control{};
  return arena;
}

absl::StatusOr<std::unique_ptr<Arena>> Arena::Map(int fd, bool control_only) {
  const size_t bytes = control_only ? kControlBytes : kBytes;
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (base == MAP_FAILED) {
    const absl::Status status = NoArena("mmap");
    close(fd);
    return status;
  }
  return std::unique_ptr<Arena>(new Arena(fd, static_cast<char*>(base), bytes));
}

Arena::~Arena() {
  munmap(base_, bytes_);
  close(fd_);
}

void Arena::Trim(size_t ops_bytes, size_t answers_bytes) {
  if (ops_bytes > kKeptBytes) madvise(ops(), ops_bytes, MADV_REMOVE);
  if (answers_bytes > kKeptBytes) madvise(answers(), answers_bytes, MADV_REMOVE);
}

void Ring(std::atomic<uint32_t>& bell) {
  bell.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void AwaitRing(std::atomic<uint32_t>& bell, uint32_t seen, int64_t microseconds) {
  const timespec timeout = {.tv_sec = microseconds / 1'000'000,
                            .tv_nsec = microseconds % 1'000'000 * 1000};
  // Any return is right: the caller looks for itself.
  syscall(SYS_futex, &bell, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

}  // namespace lockstep
