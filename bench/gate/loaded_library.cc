#include "bench/gate/loaded_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lockstep::gate {
namespace {

template <typename Function>
void Find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
}

absl::Status Unavailable(const std::string& path, const std::string& what) {
  return absl::UnavailableError(absl::StrCat(path, ": ", what));
}

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t written = write(fd, bytes.data() + at, bytes.size() - at);
    if (written <= 0) return false;
    at += static_cast<size_t>(written);
  }
  return true;
}

}  // namespace

absl::StatusOr<CLibrary> LoadCopy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.empty()) return Unavailable(path, "cannot be read, or is empty");
  // The loader knows files apart by device and inode, of which this one has its own.
  const int fd = memfd_create("library", MFD_CLOEXEC);
  if (fd < 0 || !WriteAll(fd, bytes)) return Unavailable(path, "no memory for a copy");
  void* handle = dlopen(absl::StrCat("/proc/self/fd/", fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Unavailable(path, dlerror());
  decltype(&lockstep_abi_version) version = nullptr;
  CLibrary library;
  Find(handle, "lockstep_abi_version", version);
  Find(handle, "lockstep_cache_create", library.create);
  Find(handle, "lockstep_cache_destroy", library.destroy);
  Find(handle, "lockstep_cache_insert", library.insert);
  Find(handle, "lockstep_cache_propose", library.propose);
  Find(handle, "lockstep_cache_stored_tokens", library.stored_tokens);
  Find(handle, "lockstep_cache_scope_count", library.scope_count);
  Find(handle, "lockstep_last_error", library.last_error);
  Find(handle, "lockstep_hash_keys", library.hash_keys);
  Find(handle, "lockstep_use_hash_path", library.use_hash_path);
  if (version == nullptr || library.create == nullptr || library.destroy == nullptr ||
      library.insert == nullptr || library.propose == nullptr || library.stored_tokens == nullptr ||
      library.scope_count == nullptr || library.last_error == nullptr) {
    return Unavailable(path, "exports not all functions of core/lockstep/c_api.h");
  }
  if (version() != 1) return Unavailable(path, absl::StrCat("has interface version ", version()));
  return library;
}

}  // namespace lockstep::gate
