// The commands of the program that ./quickstart builds: from a robot and a log to its page. The wings (payload, excite, fleet)
// and what measures the house take as long to compile as all else.
#include "tools/heft/command.hpp"

namespace heft::tools {

namespace {

void add_missing(CLI::App& app, Command& run, const char* name) {
  CLI::App* command = app.add_subcommand(name, "not in this program of first steps");
  command->prefix_command();  // whatever follows
  command->callback([&run, name] {
    run = [name] {
      return fail({std::string("heft ") + name, "is not in this program, which is for first steps",
                   "cmake --build build makes build/heft, which has all commands"});
    };
  });
}

}  // namespace

void add_commands(CLI::App& app, Command& run) {
  add_identify(app, run);
  add_solve(app, run);
  add_moments(app, run);
  add_predict(app, run);
  add_report(app, run);
  add_simulate(app, run);
  add_observe(app, run);
  add_check(app, run);
  add_convert(app, run);
  add_distance(app, run);
  add_rows(app, run);
  add_info(app, run);
  add_help(app, run);
  for (const char* name : {"payload", "excite", "fleet", "bench"}) add_missing(app, run, name);
}

}  // namespace heft::tools
