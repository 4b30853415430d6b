#include "props/harness/implementation.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "props/harness/private_copy.h"

namespace lockstep {
namespace {

// The library is given the caller's own key, so that a write to it does not go unseen.
static_assert(sizeof(ScopeKey) == sizeof(lockstep_scope_key));
static_assert(std::is_standard_layout_v<ScopeKey>);
static_assert(offsetof(ScopeKey, model) == offsetof(lockstep_scope_key, model));
static_assert(offsetof(ScopeKey, tokenizer) == offsetof(lockstep_scope_key, tokenizer));
static_assert(offsetof(ScopeKey, adapter) == offsetof(lockstep_scope_key, adapter));
static_assert(offsetof(ScopeKey, tenant) == offsetof(lockstep_scope_key, tenant));

const lockstep_scope_key* ToC(const ScopeKey& key) {
  return reinterpret_cast<const lockstep_scope_key*>(&key);
}

// A library's error text is not trusted to be short, or there at all.
std::string ErrorText(const CInterface& functions) {
  constexpr size_t kMostBytes = 4096;
  const char* text = functions.last_error();
  return text == nullptr ? std::string() : std::string(text, strnlen(text, kMostBytes));
}

class CCache : public CacheHandle {
 public:
  CCache(const CInterface& functions, lockstep_cache* cache)
      : functions_(functions), cache_(cache) {}
  ~CCache() override { functions_.destroy(cache_); }

  lockstep_status Insert(const ScopeKey& scope, const Token* doc, size_t count) override {
    return functions_.insert(cache_, ToC(scope), doc, count);
  }
  size_t Propose(const ScopeKey& scope, const Token* history, size_t count, Token* out,
                 size_t max_len) override {
    return functions_.propose(cache_, ToC(scope), history, count, out, max_len);
  }
  bool has_batch() const override { return functions_.propose_batch != nullptr; }
  void ProposeBatch(lockstep_proposal* proposals, size_t count) override {
    functions_.propose_batch(cache_, proposals, count);
  }
  uint64_t StoredTokens(const ScopeKey& scope) const override {
    return functions_.stored_tokens(cache_, ToC(scope));
  }
  uint64_t ScopeCount() const override { return functions_.scope_count(cache_); }
  std::string LastError() const override { return ErrorText(functions_); }

 private:
  CInterface functions_;
  lockstep_cache* cache_;
};

// Fills one member of the interface; false when the library lacks the symbol.
template <typename Function>
bool Resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

absl::Status Unusable(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", why));
}

// dlopen looks a bare name up in the system's folders; a user who names a file means that file.
std::string AsFile(const std::string& path) {
  return path.find('/') == std::string::npos ? "./" + path : path;
}

absl::Status CheckIsFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return Unusable(path, absl::StrCat("cannot be read: ", std::strerror(errno),
                                       "; give the path of a shared library"));
  }
  if (!S_ISREG(info.st_mode)) {
    return Unusable(path, "is not a file; give the path of a shared library");
  }
  return absl::OkStatus();
}

std::string LoaderError() {
  const char* error = dlerror();
  return error == nullptr ? "unknown error of the loader" : error;
}

}  // namespace

const CInterface& OwnCore() {
  static const CInterface kOwn = {
      .abi_version = &lockstep_abi_version,
      .impl_name = &lockstep_impl_name,
      .last_error = &lockstep_last_error,
      .create = &lockstep_cache_create,
      .destroy = &lockstep_cache_destroy,
      .insert = &lockstep_cache_insert,
      .propose = &lockstep_cache_propose,
      .stored_tokens = &lockstep_cache_stored_tokens,
      .scope_count = &lockstep_cache_scope_count,
      .propose_batch = &lockstep_cache_propose_batch,
  };
  return kOwn;
}

absl::StatusOr<CInterface> LoadLibrary(const std::string& path, bool private_copy) {
  const std::string file = AsFile(path);
  if (absl::Status status = CheckIsFile(file); !status.ok()) return status;
  void* library = nullptr;
  if (private_copy) {
    absl::StatusOr<void*> opened = OpenPrivateCopy(file);
    if (!opened.ok()) return opened.status();
    library = *opened;
  } else {
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    return Unusable(path, absl::StrCat("cannot be loaded: ", LoaderError(),
                                       "; build it as a shared library for this machine"));
  }
  CInterface functions;
  std::vector<std::string> missing;
  const auto require = [&](const char* name, auto& function) {
    if (!Resolve(library, name, function)) missing.push_back(name);
  };
  require("lockstep_abi_version", functions.abi_version);
  require("lockstep_impl_name", functions.impl_name);
  require("lockstep_last_error", functions.last_error);
  require("lockstep_cache_create", functions.create);
  require("lockstep_cache_destroy", functions.destroy);
  require("lockstep_cache_insert", functions.insert);
  require("lockstep_cache_propose", functions.propose);
  require("lockstep_cache_stored_tokens", functions.stored_tokens);
  require("lockstep_cache_scope_count", functions.scope_count);
  Resolve(library, "lockstep_cache_propose_batch", functions.propose_batch);
  if (!missing.empty()) {
    return Unusable(path, absl::StrCat("lacks ", absl::StrJoin(missing, ", "),
                                       "; export the functions of lockstep/c_api.h"));
  }
  const uint32_t version = functions.abi_version();
  if (version != 1) {
    return Unusable(path, absl::StrCat("is of interface version ", version,
                                       ", and only version 1 is known; build it against this "
                                       "project's lockstep/c_api.h"));
  }
  return functions;
}

CreateResult CreateCache(const CInterface& functions, const CacheConfig& config) {
  // NULL is fine, says the interface; every implementation is asked to keep that.
  functions.destroy(nullptr);
  const lockstep_config given = {config.budget_bytes, config.max_scopes, config.key_len};
  lockstep_config passed = given;
  // What *out holds beforehand must not pass for a cache or for NULL.
  static char never_a_cache;
  lockstep_cache* const unset = reinterpret_cast<lockstep_cache*>(&never_a_cache);
  lockstep_cache* cache = unset;
  CreateResult result;
  result.status = functions.create(&passed, &cache);
  result.changed_config = std::memcmp(&given, &passed, sizeof(given)) != 0;
  if (result.status != LOCKSTEP_OK) {
    result.error = ErrorText(functions);
    result.left_pointer = cache != nullptr;
  } else if (cache == nullptr || cache == unset) {
    result.status = LOCKSTEP_INTERNAL;
    result.error = "create answered OK and gave no cache";
    result.left_pointer = cache != nullptr;
  } else {
    result.cache = std::make_unique<CCache>(functions, cache);
  }
  return result;
}

}  // namespace lockstep
