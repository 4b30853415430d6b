// Workloads that drive a token cache through the C interface, so that any library can be measured:
// the same calls with the same inputs, for as many libraries as are loaded.
//
// A workload's inputs are made outside what is timed, by Prepare; Run makes the calls. All of it
// follows from the seed, and the answers are folded into a digest, so two libraries that answer
// alike have equal digests.

#ifndef LOCKSTEP_BENCH_C_WORKLOADS_H_
#define LOCKSTEP_BENCH_C_WORKLOADS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "lockstep/c_api.h"
#include "measuring/measure_api.h"

namespace lockstep {

// A library's functions. Those that are optional may be null.
struct CLibrary {
  decltype(&lockstep_cache_create) create = nullptr;
  decltype(&lockstep_cache_destroy) destroy = nullptr;
  decltype(&lockstep_cache_insert) insert = nullptr;
  decltype(&lockstep_cache_propose) propose = nullptr;
  decltype(&lockstep_cache_stored_tokens) stored_tokens = nullptr;
  decltype(&lockstep_cache_scope_count) scope_count = nullptr;
  decltype(&lockstep_last_error) last_error = nullptr;
  decltype(&lockstep_hash_keys) hash_keys = nullptr;
  decltype(&lockstep_use_hash_path) use_hash_path = nullptr;
};

// Finished requests to be replayed, one after the other.
struct ReplayTrace {
  struct Request {
    uint64_t tenant = 0;
    std::vector<uint32_t> tokens;  // prompt, then output
    size_t prompt_len = 0;
  };
  std::vector<Request> requests;
};

// Numbers that start at a page: where vectors that are written straddle cache lines would otherwise
// be chance, and another one for each side.
class PageAligned {
 public:
  void Resize(size_t count) { data_.reset(new (kPage) uint64_t[count]()); }
  uint64_t* data() { return data_.get(); }

 private:
  static constexpr std::align_val_t kPage{4096};
  struct Free {
    void operator()(uint64_t* data) const { ::operator delete[](data, kPage); }
  };
  std::unique_ptr<uint64_t[], Free> data_;
};

// What one library's calls work on: its cache, and the digest of its answers.
struct WorkloadSide {
  const CLibrary* library = nullptr;
  lockstep_cache* cache = nullptr;
  PageAligned hashes;  // where hash_keys writes
  uint64_t digest = 0;
};

class CWorkload {
 public:
  virtual ~CWorkload() = default;

  virtual bool Supports(const CLibrary& library) const;

  // Brings a side to where measuring starts; false when the library refuses, see its last error.
  virtual bool SetUp(WorkloadSide& side) const = 0;

  // Makes the inputs of batch `batch`, `ops` operations. The same inputs however often it is
  // called, so both sides of a pair find them equally fresh in the processor's caches.
  virtual void Prepare(uint64_t batch, size_t ops) = 0;

  // Makes the calls of the prepared batch.
  virtual void Run(WorkloadSide& side) const = 0;
};

// "insert_fresh/cache" and so on; an operation and a size.
std::vector<std::string> CWorkloadNames();

// The six of a short gate.
std::vector<std::string> ShortGateNames();

// Null when there is no workload of that name, or no trace for a replay.
std::unique_ptr<CWorkload> MakeCWorkload(const std::string& name, const ReplayTrace* trace,
                                         uint64_t seed);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_C_WORKLOADS_H_
