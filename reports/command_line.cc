#include "reports/command_line.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "reports/text.h"

namespace lockstep {
namespace {

constexpr size_t kWidth = 100;       // of the whole text
constexpr size_t kNameWidth = 26;    // of the column of flags
constexpr size_t kMostExample = 60;  // what is longer has its explanation on the next line

// Words in lines of at most `width`; every "\n" begins a new one.
std::vector<std::string> Wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  for (const std::string& paragraph : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    std::string line;
    for (const std::string& word : std::vector<std::string>(absl::StrSplit(paragraph, ' '))) {
      if (!line.empty() && line.size() + 1 + word.size() > width) {
        lines.push_back(std::move(line));
        line.clear();
      }
      absl::StrAppend(&line, line.empty() ? "" : " ", word);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// "  left   what it is", the latter in a column of its own.
std::string Row(const std::string& left, const std::string& text, size_t left_width) {
  std::string row = absl::StrCat("  ", left);
  const std::string margin(left_width + 2, ' ');
  bool first = true;
  for (const std::string& line : Wrapped(text, kWidth - margin.size())) {
    if (first && left.size() + 2 <= left_width) {
      row.resize(margin.size(), ' ');
      row += line;
    } else {
      absl::StrAppend(&row, "\n", margin, line);
    }
    first = false;
  }
  return row + "\n";
}

// "--seconds SECONDS", "DIR..."; of the type, what comes before the checks that CLI11 adds to it.
std::string LeftOf(const CLI::Option& option) {
  const int most = option.get_items_expected_max();
  const std::string several = most > 1 ? "..." : "";
  if (option.get_positional()) return option.get_name(true, false) + several;
  std::string left = absl::StrReplaceAll(option.get_name(false, true), {{",", ", "}});
  if (most == 0) return left;
  const std::string type = option.get_type_name();
  return absl::StrCat(left, " ", type.substr(0, type.find(':')), several);
}

std::string TextOf(const CLI::Option& option) {
  const std::string standard = option.get_default_str();
  const bool shown = option.get_items_expected_max() > 0 && !option.get_required() &&
                     !standard.empty() && standard != "\"\"" && standard != "[]";
  return absl::StrCat(option.get_description(),
                      shown ? absl::StrCat(" (default ", standard, ")") : "");
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(CommandHelp help) : help_(std::move(help)) {}

  std::string make_help(const CLI::App* app, std::string /*name*/,
                        CLI::AppFormatMode /*mode*/) const override {
    std::string usage = absl::StrCat(help_.answers, "\n\nusage: ", help_.call);
    std::string options = "\nOptions:\n";
    std::string positionals;
    std::string needed, last;
    for (const CLI::Option* option : app->get_options()) {
      const std::string left = LeftOf(*option);
      const std::string row = Row(left, TextOf(*option), kNameWidth);
      if (option->get_positional()) {
        absl::StrAppend(&last, option->get_required() ? " " + left : " [" + left + "]");
        positionals += row;
      } else {
        if (option->get_required()) absl::StrAppend(&needed, " ", left);
        options += row;
      }
    }
    absl::StrAppend(&usage, needed, " [OPTIONS]", last);
    std::string text = usage + "\n";
    if (!help_.about.empty()) text += "\n";
    for (const std::string& line : Wrapped(help_.about, kWidth)) {
      if (!help_.about.empty()) text += line + "\n";
    }
    if (!positionals.empty()) absl::StrAppend(&text, "\n", positionals);
    return absl::StrCat(text, options, Examples(), ExitCodes());
  }

 private:
  std::string Examples() const {
    std::string text = "\nExamples:\n";
    size_t width = 0;
    for (const auto& [command, what] : help_.examples) {
      if (command.size() + 2 <= kMostExample) width = std::max(width, command.size() + 2);
    }
    for (const auto& [command, what] : help_.examples) text += Row(command, what, width);
    return text;
  }

  std::string ExitCodes() const {
    std::string text = "\nExit codes:\n";
    for (const auto& [code, what] : help_.exit_codes) text += Row(absl::StrCat(code), what, 3);
    return text;
  }

  CommandHelp help_;
};

}  // namespace

void Describe(CLI::App& app, const CommandHelp& help) {
  app.name(help.name);
  app.description(help.answers);
  app.set_help_flag("-h,--help", "show this and exit");
  app.formatter(std::make_shared<HelpFormatter>(help));
  app.option_defaults()->always_capture_default();
  app.failure_message([help](const CLI::App* /*app*/, const CLI::Error& error) {
    return absl::StrCat("lockstep-", help.name, ": ", PrintableLine(error.what()), "; see ",
                        help.call, " --help\n");
  });
}

std::optional<int> ParseCommandLine(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitPass : kExitBadInput;
  }
  return std::nullopt;
}

CLI::Validator InRange(double low, double high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        double value = 0;
        // "nan" compares to nothing.
        const bool good = absl::SimpleAtod(text, &value) && value >= low && value <= high;
        return good ? std::string()
                    : absl::StrCat("'", text, "' is no number from ", low, " to ", high);
      },
      "NUMBER");
}

int Complain(absl::string_view name, absl::string_view message, int exit_code) {
  std::cerr << "lockstep-" << name << ": " << PrintableLine(std::string(message)) << "\n";
  return exit_code;
}

int ExitCodeOf(const absl::Status& status, int failed_precondition) {
  if (absl::IsInvalidArgument(status) || absl::IsNotFound(status)) return kExitBadInput;
  return absl::IsFailedPrecondition(status) ? failed_precondition : kExitHarnessFailed;
}

absl::Status MakeOutFolder(const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (!error) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("--out ", dir, ": cannot be made: ", error.message(),
                                          "; name a folder to write to"));
}

}  // namespace lockstep
