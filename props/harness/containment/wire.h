// Operations and answers as bytes in memory that two processes of one program share.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_WIRE_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_WIRE_H_

#include <cstddef>

#include "props/harness/operation.h"

namespace lockstep {

size_t WireBytes(const Operation& op);
size_t WireBytes(const Answer& answer);

// Write at `at`, which must be aligned to 8 bytes and have room; return where the next one goes.
char* Encode(const Operation& op, char* at);
char* Encode(const Answer& answer, char* at);

// Read what was written, reusing the memory of `op`; return where the next one begins.
const char* Decode(const char* at, Operation& op);
const char* Decode(const char* at, Answer& answer);

// Whether the operation at `at` belongs to one batch with the operation before it.
bool PeekBatched(const char* at);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_WIRE_H_
