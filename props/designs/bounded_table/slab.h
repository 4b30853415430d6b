// All the memory of a bounded_table cache: one allocation, made with the cache, that never grows.

#ifndef PROPS_DESIGNS_BOUNDED_TABLE_SLAB_H_
#define PROPS_DESIGNS_BOUNDED_TABLE_SLAB_H_

#include <cstdint>
#include <cstdlib>
#include <new>

#include "common/cache.h"

namespace designs {

// An n-gram's hash and the position that followed it; position 0 is an empty entry.
struct TableEntry {
  uint64_t hash;
  uint64_t position;
};

// A scope's bookkeeping, at the start of its stride of the slab. The scopes in use form a list.
struct ScopeHeader {
  ScopeKey key;
  ScopeHeader* more_recent;
  ScopeHeader* less_recent;
  uint64_t head;         // the next position to be written
  uint64_t longest_doc;  // the length of the longest document inserted
};

// What a stride holds after its header: `entries` table entries (a power of two), then the ring.
struct SlabLayout {
  explicit SlabLayout(uint64_t per_scope);

  uint64_t stride_bytes;
  uint64_t entries;
  uint64_t ring_tokens;
};

class Slab {
 public:
  Slab(uint64_t per_scope, uint64_t strides)
      : layout_(per_scope), bytes_(static_cast<char*>(std::calloc(strides, layout_.stride_bytes))) {
    if (bytes_ == nullptr) throw std::bad_alloc();
  }
  ~Slab() { std::free(bytes_); }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  const SlabLayout& layout() const { return layout_; }

  ScopeHeader* Header(uint64_t index) const {
    return reinterpret_cast<ScopeHeader*>(bytes_ + index * layout_.stride_bytes);
  }

  TableEntry* Entries(ScopeHeader* scope) const { return reinterpret_cast<TableEntry*>(scope + 1); }

  uint32_t* Ring(ScopeHeader* scope) const {
    return reinterpret_cast<uint32_t*>(Entries(scope) + layout_.entries);
  }

 private:
  SlabLayout layout_;
  char* bytes_;
};

}  // namespace designs

#endif  // PROPS_DESIGNS_BOUNDED_TABLE_SLAB_H_
