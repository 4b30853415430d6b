// lockstep-plant-mutants: finds every mutant of the core and writes its files with all of them in,
// each behind a switch.
//
//   lockstep-plant-mutants SOURCE OUT [DROP]
//
// SOURCE and OUT are roots of the project's tree. DROP is a file of ids, one a line, that are not
// planted since they do not compile. Writes OUT/core/lockstep/* and OUT/mutants.json.
// Exit codes: 0 done; 2 bad usage; 4 a file cannot be read, parsed or written.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "props/mutation/mutant_visitor.h"
#include "props/mutation/mutants.h"

namespace lockstep::mutation {
namespace {

namespace fs = std::filesystem;

// All files of all translation units.
struct Found {
  std::string root;
  std::map<std::string, Sites> files;
  std::set<std::string> done;
};

class Consumer : public clang::ASTConsumer {
 public:
  explicit Consumer(Found& found) : found_(found) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    MutantVisitor visitor(context, found_.root, found_.done);
    visitor.TraverseDecl(context.getTranslationUnitDecl());
    // A header is the same in every unit: the first one has all of it.
    for (auto& [file, sites] : visitor.sites()) {
      found_.done.insert(file);
      found_.files[file] = std::move(sites);
    }
  }

 private:
  Found& found_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(Found& found) : found_(found) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::make_unique<Consumer>(found_);
  }

 private:
  Found& found_;
};

class Factory : public clang::tooling::FrontendActionFactory {
 public:
  explicit Factory(Found& found) : found_(found) {}
  std::unique_ptr<clang::FrontendAction> create() override {
    return std::make_unique<Action>(found_);
  }

 private:
  Found& found_;
};

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteIfChanged(const fs::path& path, const std::string& text) {
  if (ReadAll(path) == text) return;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// The whole of `active`, in one of the files that every library has.
constexpr char kActive[] = R"(
#include <cstdlib>
namespace lockstep::mutation {
unsigned active = 0;
namespace {
__attribute__((constructor(101))) void Activate() {
  if (const char* id = std::getenv("LOCKSTEP_MUTANT_ID")) active = std::strtoul(id, nullptr, 10);
}
}  // namespace
}  // namespace lockstep::mutation
)";

llvm::json::Object ToJson(const Mutant& m, const std::vector<unsigned>& lines) {
  return llvm::json::Object{{"id", m.id},
                            {"file", m.file},
                            {"function", m.function},
                            {"kind", m.kind},
                            {"line", m.line},
                            {"offset", m.offset},
                            {"length", m.length},
                            {"original", llvm::json::fixUTF8(m.original)},
                            {"replacement", llvm::json::fixUTF8(m.replacement)},
                            {"planted_lines", llvm::json::Array(lines)}};
}

int Main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: lockstep-plant-mutants SOURCE OUT [DROP]\n";
    return 2;
  }
  const fs::path source = fs::canonical(argv[1]), out = argv[2];
  std::set<unsigned> drop;
  if (argc == 4) {
    std::ifstream in(argv[3]);
    for (unsigned id; in >> id;) drop.insert(id);
  }
  Found found{.root = (source / "core/lockstep/").string(), .files = {}, .done = {}};
  std::vector<std::string> units;
  for (const auto& entry : fs::directory_iterator(found.root)) {
    if (entry.path().extension() == ".cc") units.push_back(entry.path().string());
  }
  std::sort(units.begin(), units.end());
  const clang::tooling::FixedCompilationDatabase database(
      source.string(),
      {"-std=c++20", "-w", "-I" + (source / "core").string(), "-I" + source.string(),
       "-DLOCKSTEP_STATIC", "-resource-dir=" LOCKSTEP_CLANG_RESOURCE_DIR});
  clang::tooling::ClangTool tool(database, units);
  Factory factory(found);
  if (tool.run(&factory) != 0) return 4;

  unsigned next_id = 1;
  llvm::json::Array all;
  for (auto& [path, sites] : found.files) {
    const std::string relative = fs::path(path).lexically_relative(source).string();
    for (auto& [range, site] : sites) {
      for (Mutant& m : site.mutants) {
        m.id = next_id++;
        m.file = relative;
      }
    }
    Sites kept;
    for (const auto& [range, site] : sites) {
      if (site.form == Form::kEnd) kept[range] = site;
      for (const Mutant& m : site.mutants) {
        if (drop.count(m.id) != 0) continue;
        kept[range].form = site.form;
        kept[range].mutants.push_back(m);
      }
    }
    const Planted planted = Plant(ReadAll(path), kept);
    const bool holds_switch = fs::path(path).filename() == "geometry.cc";
    WriteIfChanged(out / relative, planted.text + (holds_switch ? kActive : ""));
    std::map<unsigned, std::vector<unsigned>> lines;
    for (const auto& [line, id] : planted.ids_by_line) lines[id].push_back(line);
    for (const auto& [range, site] : sites) {
      for (const Mutant& m : site.mutants) all.push_back(ToJson(m, lines[m.id]));
    }
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(std::move(all));
  WriteIfChanged(out / "mutants.json", text);
  std::cerr << "lockstep-plant-mutants: " << next_id - 1 << " mutants, " << drop.size()
            << " left out\n";
  return fs::exists(out / "mutants.json") ? 0 : 4;
}

}  // namespace
}  // namespace lockstep::mutation

int main(int argc, char** argv) { return lockstep::mutation::Main(argc, argv); }
