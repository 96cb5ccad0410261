// heft help, and the error for an invalid command line, which proposes the nearest flag or command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "files/name_hint.hpp"
#include "tools/heft/command.hpp"

namespace heft::tools {

namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// The flag of `command` nearest to `wanted`; --trim is also near --conditioning.trim.
std::string nearest_flag(const CLI::App& command, const std::string& wanted) {
  std::vector<std::string> spelled, meant;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      spelled.push_back("--" + name);
      meant.push_back("--" + name);
      const std::size_t dot = name.find('.');
      if (dot == std::string::npos) continue;
      spelled.push_back("--" + name.substr(dot + 1));
      meant.push_back("--" + name);
    }
  }
  for (std::string& name : spelled) std::replace(name.begin() + 2, name.end(), '_', '-');
  std::string given = wanted.substr(0, wanted.find('='));
  std::replace(given.begin(), given.end(), '_', '-');
  const std::string nearest = nearest_name(given, spelled);
  const auto found = std::find(spelled.begin(), spelled.end(), nearest);
  return nearest.empty() ? "" : meant[static_cast<std::size_t>(found - spelled.begin())];
}

/// The name nearest to the first unknown word; empty if none is near.
std::string proposal(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  const std::vector<CLI::App*> commands = app.get_subcommands();
  for (const std::string& word : left) {
    const bool is_flag = word.starts_with('-');
    if (is_flag == commands.empty()) continue;  // without a command, its name is what went wrong
    const std::string nearest =
        is_flag ? nearest_flag(*commands.front(), word) : nearest_name(word, command_names(app));
    if (!nearest.empty()) return nearest;
  }
  return "";
}

/// Lists the options that an option excludes by name. CLI11 orders them by address, which changes
/// from run to run.
class HelpInOrder : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_opts(option);
    std::vector<std::string> excluded;
    for (const CLI::Option* other : option->get_excludes()) excluded.push_back(other->get_name());
    if (excluded.size() < 2) return text;
    std::sort(excluded.begin(), excluded.end());
    const std::string label = get_label("Excludes") + ":";
    return fmt::format("{}{} {}", text.substr(0, text.find(label)), label,
                       fmt::join(excluded, " "));
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<HelpInOrder>();
}

std::string complaint(const CLI::App* app, const CLI::Error& error) {
  const std::string name = proposal(*app);
  const std::string remedy = name.empty() ? "" : "\n  remedy: did you mean '" + name + "'?";
  const std::vector<CLI::App*> commands = app->get_subcommands();
  const std::string command = commands.empty() ? "" : commands.front()->get_name() + " ";
  return std::string(error.what()) + remedy + "\nRun heft " + command +
         "--help for more information.\n";
}

void add_help(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("help", "show this list, or the help of a command");
  auto about = std::make_shared<std::string>();
  command->add_option(
      "command", *about,
      "command to explain; heft help identify prints the same as heft identify --help");
  command->callback([about, &app, &run] {
    run = [about, &app] {
      const std::vector<std::string> names = command_names(app);
      if (!about->empty() && std::find(names.begin(), names.end(), *about) == names.end())
        return fail(
            {"help", "unknown command '" + *about + "'", name_hint(*about, names, "one of:")});
      const std::string program = app.get_name();
      // App::help would print the help of the parsed command, which is this one
      const std::string text =
          about->empty() ? app.get_formatter()->make_help(&app, program, CLI::AppFormatMode::Normal)
                         : app.get_subcommand(*about)->help(program);
      std::fputs(text.c_str(), stdout);
      return kSuccess;
    };
  });
}

}  // namespace heft::tools
