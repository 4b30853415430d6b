// The harness's hold on zygotes (see zygote_message.h): one per implementation, kept for the next
// cache, and new ones for children that need a fresh process.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ZYGOTE_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ZYGOTE_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "props/harness/containment/arena.h"
#include "props/harness/surroundings.h"

namespace lockstep {

class ZygoteHandle {
 public:
  // A zygote that has loaded `library` ("" for the core of this program). Shared between callers
  // unless the surroundings ask for a fresh process.
  //
  // Errors: FailedPrecondition when the library cannot be used, Internal when no process can be
  //         had.
  static absl::StatusOr<std::shared_ptr<ZygoteHandle>> Get(const std::string& library,
                                                           const Surroundings& surroundings);

  // Ends the zygote and all its children.
  ~ZygoteHandle();
  ZygoteHandle(const ZygoteHandle&) = delete;
  ZygoteHandle& operator=(const ZygoteHandle&) = delete;

  // Starts a child on the arena and returns its number. Errors: Internal when the zygote is gone.
  absl::StatusOr<uint64_t> StartChild(const Arena& arena);
  void EndChild(uint64_t child);
  bool IsAlive() const;

 private:
  ZygoteHandle(pid_t pid, int socket);

  static absl::StatusOr<std::shared_ptr<ZygoteHandle>> Spawn(const std::string& library,
                                                             const Surroundings& surroundings,
                                                             bool load_in_child);
  absl::Status AwaitReady(const std::string& library, bool& has_threads);

  pid_t owner_;  // a fork of the harness leaves the zygote alone
  pid_t pid_;
  int socket_;
};

// Called by ContainedMain: this program can be executed anew as a zygote.
void NoteContainedMain();

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ZYGOTE_H_
