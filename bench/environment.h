// What figures depend on beside the code: recorded with every result.

#ifndef LOCKSTEP_BENCH_ENVIRONMENT_H_
#define LOCKSTEP_BENCH_ENVIRONMENT_H_

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

// Starts the program anew with the C library's allocator asking for huge pages, unless it does
// already: the core asks for them itself, and what is compared with it must have them too.
//
// Effects: does not return when it starts anew. Where that fails, small pages are used, and
//          Environment() says so.
void UseHugePages(char** argv);

// Names and values, in a fixed order: compiler, flags, build, commit, hash path, huge pages, load.
std::vector<std::pair<std::string, std::string>> Environment();

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_ENVIRONMENT_H_
