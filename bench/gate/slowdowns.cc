#include "bench/gate/slowdowns.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "bench/gate/builds.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const std::vector<Site>& Sites() {
  static const std::vector<Site> sites = {
      {"hash path", "core/lockstep/ngram_key.cc",
       "  TheChoice().function.load(std::memory_order_relaxed)(tokens, count, key_len, layout, "
       "slots, tags);\n",
       R"(  const auto hash = TheChoice().function.load(std::memory_order_relaxed);
  hash(tokens, count, key_len, layout, slots, tags);
  static thread_local size_t owed = 0;
  owed += count * PERMILLE;
  if (owed < 64000 || count < 64) return;
  owed -= 64000;
  hash(tokens, 64, key_len, layout, slots, tags);
)",
       "key_hash/small"},
      {"dedup loop", "core/lockstep/scope_insert.cc",
       "size_t CommonPrefix(const Token* a, const Token* b, size_t count) {\n",
       R"(size_t CommonPrefix(const Token* a, const Token* b, size_t count) {
  static thread_local size_t owed = 0;
  owed += count * PERMILLE;
  const size_t again = owed / 8000 * 8 < count ? owed / 8000 * 8 : count;
  owed -= again * 1000;
  for (size_t k = 0; k < again; k += 8) {
    Token difference = 0;
    for (size_t j = 0; j < 8; ++j) difference |= a[k + j] ^ b[k + j];
    asm volatile("" ::"r"(difference) : "memory");
    if (difference != 0) break;
  }
)",
       "resent/cache"},
      {"propose", "core/lockstep/scope.cc", "  return CopyDraft(Look(history), out, max_len);\n",
       // Not thread_local: finding such a variable takes 3 % of a proposal.
       R"(  static size_t owed = 0;
  owed += PERMILLE;
  if (owed >= 1000) {
    owed -= 1000;
    CopyDraft(Look(history), out, max_len);
    asm volatile("" ::"r"(out) : "memory");
  }
  return CopyDraft(Look(history), out, max_len);
)",
       "propose_hit/cache"}};
  return sites;
}

absl::Status CopySource(const std::string& root, const std::string& to) {
  if (fs::exists(to)) return absl::OkStatus();
  const fs::path part = to + ".part";
  std::error_code error;
  fs::remove_all(part, error);
  if (!error) fs::create_directories(part, error);
  if (!error) fs::copy(fs::path(root) / "core", part / "core", fs::copy_options::recursive, error);
  if (!error) fs::copy_file(fs::path(root) / "CMakeLists.txt", part / "CMakeLists.txt", error);
  if (!error) fs::rename(part, to, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(root, ": cannot be copied to ", to, ": ", error.message()));
}

absl::StatusOr<std::string> BuildSlower(const std::string& root, const std::string& dir,
                                        const Site& site, int permille) {
  const fs::path source = fs::path(dir) / "src";
  if (absl::Status s = CopySource(root, source.string()); !s.ok()) return s;
  std::string text = ReadFile(fs::path(root) / site.file);
  const size_t at = text.find(site.anchor);
  if (at == std::string::npos || text.find(site.anchor, at + 1) != std::string::npos) {
    return absl::UnavailableError(
        absl::StrCat(site.file, ": has not once the line that extra work is put at, \"",
                     site.anchor, "\"; adapt bench/gate/slowdowns.cc"));
  }
  text.replace(at, std::string(site.anchor).size(),
               absl::StrReplaceAll(site.replaced, {{"PERMILLE", absl::StrCat(permille)}}));
  if (absl::Status s = WriteFileAtomically((source / site.file).string(), text); !s.ok()) return s;
  absl::StatusOr<std::string> built = BuildLibrary(source.string(), dir + "/build");
  if (!built.ok()) return absl::UnavailableError(built.status().message());
  const std::string copy = absl::StrCat(dir, "/extra", permille, ".so");
  std::error_code error;
  fs::copy_file(*built, copy, fs::copy_options::overwrite_existing, error);
  if (error) return absl::UnavailableError(absl::StrCat(copy, ": ", error.message()));
  return copy;
}

}  // namespace lockstep::gate
