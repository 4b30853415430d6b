#include "bench/gate/identical.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lockstep::gate {
namespace {

struct Section {
  std::string name;
  uint32_t type;
  uint64_t flags;
  uint64_t address;
  uint64_t size;
  std::string content;
  friend bool operator==(const Section&, const Section&) = default;
};

// Copies a T out of `bytes`; false past their end.
template <typename T>
bool Read(const std::string& bytes, uint64_t at, T& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return true;
}

bool Slice(const std::string& bytes, uint64_t at, uint64_t size, std::string& slice) {
  if (at > bytes.size() || bytes.size() - at < size) return false;
  slice = bytes.substr(at, size);
  return true;
}

bool ReadSections(const std::string& bytes, std::vector<Section>& sections) {
  Elf64_Ehdr header;
  if (!Read(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return false;
  }
  Elf64_Shdr names;
  std::string name_bytes;
  if (!Read(bytes, header.e_shoff + uint64_t{header.e_shstrndx} * sizeof(names), names) ||
      !Slice(bytes, names.sh_offset, names.sh_size, name_bytes)) {
    return false;
  }
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr s;
    if (!Read(bytes, header.e_shoff + i * sizeof(s), s) || s.sh_name > name_bytes.size()) {
      return false;
    }
    if ((s.sh_flags & SHF_ALLOC) == 0) continue;
    Section section = {.name = name_bytes.c_str() + s.sh_name,
                       .type = s.sh_type,
                       .flags = s.sh_flags,
                       .address = s.sh_addr,
                       .size = s.sh_size,
                       .content = ""};
    if (section.name == ".note.gnu.build-id") continue;
    if (s.sh_type != SHT_NOBITS && !Slice(bytes, s.sh_offset, s.sh_size, section.content)) {
      return false;
    }
    sections.push_back(std::move(section));
  }
  return !sections.empty();
}

absl::StatusOr<std::vector<Section>> SectionsOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<Section> sections;
  if (!ReadSections(bytes, sections)) {
    return absl::UnavailableError(
        absl::StrCat(path, ": is no shared library for this machine; name a .so file"));
  }
  return sections;
}

}  // namespace

absl::StatusOr<bool> IdenticalWhenLoaded(const std::string& a, const std::string& b) {
  const absl::StatusOr<std::vector<Section>> sections_a = SectionsOf(a);
  if (!sections_a.ok()) return sections_a.status();
  const absl::StatusOr<std::vector<Section>> sections_b = SectionsOf(b);
  if (!sections_b.ok()) return sections_b.status();
  return *sections_a == *sections_b;
}

}  // namespace lockstep::gate
