// What a harness and its zygote say to each other, over a socket that keeps messages whole.
//
// A zygote is a process that has loaded one implementation and forks a child for each cache: the
// library is loaded once, forking is cheap because the zygote is small, and it is safe whatever
// threads the harness has.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ZYGOTE_MESSAGE_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ZYGOTE_MESSAGE_H_

#include <climits>
#include <cstdint>

#include "props/harness/surroundings.h"

namespace lockstep {

// The first argument of a program that is started to be a zygote; the second is its socket.
inline constexpr char kZygoteFlag[] = "--lockstep-contained-zygote";

struct ZygoteRequest {
  enum class Kind : uint32_t {
    kLoad,   // answered by a ZygoteReady
    kStart,  // comes with an arena's descriptor; the arena tells the rest
    kEnd,    // the child is of no more use
  };
  Kind kind;
  uint64_t child;  // numbers are given out by the harness

  // Of kLoad.
  bool load_in_child;  // a library that starts threads when loaded does not survive a fork
  Surroundings surroundings;
  char library[PATH_MAX];  // empty: the core of this program
};

struct ZygoteReady {
  enum class Kind : uint32_t { kLoaded, kUnusable, kHasThreads };
  Kind kind;
  char text[2048];  // why it is unusable
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ZYGOTE_MESSAGE_H_
