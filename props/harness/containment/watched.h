// The C interface with the harness looking over its shoulder: while a call runs, what the thread
// asks the allocator and the clocks for counts as the implementation's.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_WATCHED_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_WATCHED_H_

#include "props/harness/implementation.h"
#include "props/harness/surroundings.h"

namespace lockstep {

// Functions that call those of `functions`; one set per process. Exceptions that come out of a call
// end the process, as they would a caller in C. From now on the interposition is watching, and the
// calling thread is the harness's.
CInterface Watch(const CInterface& functions, const Surroundings& surroundings,
                 uint64_t live_bytes_limit);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_WATCHED_H_
