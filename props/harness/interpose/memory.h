// What malloc and mmap share of the interposition.

#ifndef LOCKSTEP_PROPS_HARNESS_INTERPOSE_MEMORY_H_
#define LOCKSTEP_PROPS_HARNESS_INTERPOSE_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace lockstep::interpose {

// Counts one more allocation of `bytes`; false when it has to fail.
bool Admit(size_t bytes);

void AddHeap(int64_t bytes);
void NotePeak();

// The pages that the implementation holds by mmap and that are in memory.
int64_t ResidentMappedBytes();

// Writes what fresh or freed memory is to hold; nothing where it may hold what it likes.
void FillBytes(char* at, size_t count);

}  // namespace lockstep::interpose

#endif  // LOCKSTEP_PROPS_HARNESS_INTERPOSE_MEMORY_H_
