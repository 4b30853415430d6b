// Seeds for what a mutation hardly ever comes to: thousands of calls, positions past 2^16, many
// scopes, keys that differ in one bit, long batches.

#ifndef LOCKSTEP_FUZZ_DEEP_SEEDS_H_
#define LOCKSTEP_FUZZ_DEEP_SEEDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::fuzz {

// Bytes of the codec, by what they are about. All are for the C interface.
std::map<std::string, std::vector<uint8_t>> DeepSeeds();

// Of these, in batch_seeds.cc:
std::vector<uint8_t> OrderOfABatch();
std::vector<uint8_t> KeysOfABatch();
std::vector<uint8_t> UsesByABatch();

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_DEEP_SEEDS_H_
