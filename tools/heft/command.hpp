// Shared by all commands of the `heft` program: registration, errors and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "heft/base/result.hpp"
#include "tools/heft/printable.hpp"

namespace heft::tools {

// exit codes; those of CLI11, for invalid flags, are 100 and above
inline constexpr int kSuccess = 0;
inline constexpr int kBadInput = 1;      ///< the Error says what and where
inline constexpr int kNotCertified = 3;  ///< a result without a certificate
inline constexpr int kDoubtful = 4;      ///< a certified result with an open serious doubt
inline constexpr int kStopped = 5;       ///< by a signal, before there was a result

/// Prints an error to standard error in the form "heft: where: what".
inline int fail(const Error& error) {
  std::fprintf(stderr, "heft: %s\n", printable(error.message()).c_str());
  return error.is_stop ? kStopped : kBadInput;
}

using Command = std::function<int()>;

/// Adds the requested command, or all commands for help or without a command: constructing the
/// flags of all commands takes longer than many commands run.
void add_commands(CLI::App& app, Command& run, std::string_view asked);

struct NamedCommand {
  const char* name;  ///< of the subcommand that `add` adds
  std::function<void(CLI::App& app, Command& run)> add;
};

/// Implements add_commands() for a program with these commands.
inline void add_asked(std::initializer_list<NamedCommand> commands, CLI::App& app, Command& run,
                      std::string_view asked) {
  const auto is_asked = [&](const NamedCommand& command) { return command.name == asked; };
  const auto one = std::find_if(commands.begin(), commands.end(), is_asked);
  if (one != commands.end() && asked != "help") return one->add(app, run);
  for (const NamedCommand& command : commands) command.add(app, run);
}

// each adds its subcommand to `app` and sets `run` if it is requested
void add_identify(CLI::App& app, Command& run);
void add_solve(CLI::App& app, Command& run);
void add_moments(CLI::App& app, Command& run);
void add_payload(CLI::App& app, Command& run);
void add_predict(CLI::App& app, Command& run);
void add_watch(CLI::App& app, Command& run);
void add_report(CLI::App& app, Command& run);
void add_simulate(CLI::App& app, Command& run);
void add_observe(CLI::App& app, Command& run);
void add_check(CLI::App& app, Command& run);
void add_convert(CLI::App& app, Command& run);
void add_distance(CLI::App& app, Command& run);
void add_rows(CLI::App& app, Command& run);
void add_bench(CLI::App& app, Command& run);
void add_bench_streams(CLI::App& bench, Command& run);    ///< to the subcommand bench
void add_bench_precision(CLI::App& bench, Command& run);  ///< the same
void add_info(CLI::App& app, Command& run);
void add_help(CLI::App& app, Command& run);

/// The formatter of every help text.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The error in the command line, and the nearest flag or command.
std::string complaint(const CLI::App* app, const CLI::Error& error);

}  // namespace heft::tools
