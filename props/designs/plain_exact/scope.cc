#include "scope.h"

#include "ngram_key.h"

namespace plain_exact {
namespace {

// So many duplicates in a row end a run: the rest of the repeat is not worth its ring cells.
constexpr uint64_t kMaxDuplicates = 32;

}  // namespace

Scope::Scope(const Geometry& geometry)
    : key_len_(geometry.key_len), ring_(geometry.ring_tokens), slots_(geometry.slots) {}

uint64_t Scope::Find(const uint32_t* key) const {
  const uint64_t position = slots_[SlotIndex(NgramKey(key, key_len_), slots_.size())];
  if (position == 0 || position >= ring_.head()) return 0;
  if (position < ring_.oldest() + key_len_) return 0;
  for (uint64_t i = 0; i < key_len_; ++i) {
    if (ring_.At(position - key_len_ + i) != key[i]) return 0;
  }
  return position;
}

void Scope::WriteKeyed(const uint32_t* key, uint32_t token) {
  const uint64_t position = ring_.Write(token);
  slots_[SlotIndex(NgramKey(key, key_len_), slots_.size())] = position;
}

void Scope::Insert(const uint32_t* doc, uint64_t len) {
  const uint64_t tail = ring_.capacity() - 1;
  if (len > tail) {
    doc += len - tail;
    len = tail;
  }
  bool writing = false;
  uint64_t duplicates = 0;
  for (uint64_t e = key_len_; e < len; ++e) {
    const uint32_t* key = doc + e - key_len_;
    const uint64_t found = Find(key);
    const bool duplicate = found != 0 && ring_.At(found) == doc[e];
    duplicates = duplicate ? duplicates + 1 : 0;
    if (writing && duplicates == kMaxDuplicates) {
      ring_.Write(kRunEnd);
      writing = false;
    }
    if (!writing && duplicate) continue;
    if (!writing) {
      for (uint64_t i = 0; i < key_len_; ++i) ring_.Write(key[i]);
      writing = true;
    }
    WriteKeyed(key, doc[e]);
  }
  if (writing) ring_.Write(kRunEnd);
}

uint64_t Scope::Propose(const uint32_t* history, uint64_t len, uint32_t* out,
                        uint64_t max_len) const {
  if (max_len == 0 || len < key_len_) return 0;
  const uint64_t found = Find(history + len - key_len_);
  if (found == 0) return 0;
  uint64_t written = 0;
  for (uint64_t position = found; position < ring_.head() && written < max_len; ++position) {
    const uint32_t token = ring_.At(position);
    if (token == kRunEnd) break;
    out[written++] = token;
  }
  return written;
}

void Scope::Clear() {
  ring_.Clear();
  slots_.Zero();
}

}  // namespace plain_exact
