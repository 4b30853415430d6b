#include "reports/file_hash.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace lockstep {

absl::StatusOr<std::string> Sha256OfFile(const std::string& path) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("OpenSSL does not offer SHA-256");
  }
  std::ifstream file(path, std::ios::binary);
  std::array<char, 1 << 16> block;
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    EVP_DigestUpdate(context.get(), block.data(), static_cast<size_t>(file.gcount()));
  }
  if (!file.eof()) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int len = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &len);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), len));
}

}  // namespace lockstep
