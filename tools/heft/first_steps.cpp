// The commands of the program that ./quickstart builds. It leaves out payload, watch, excite,
// fleet and bench, which take as long to compile as the rest.
#include "tools/heft/command.hpp"

namespace heft::tools {

namespace {

NamedCommand missing(const char* name) {
  return {
      name, [name](CLI::App& app, Command& run) {
        CLI::App* command = app.add_subcommand(name, "not in this program for first steps");
        command->prefix_command();  // any further arguments
        command->callback([&run, name] {
          run = [name] {
            return fail({std::string("heft ") + name, "is not part of this program for first steps",
                         "build the complete program, build/heft, with cmake --build build"});
          };
        });
      }};
}

}  // namespace

void add_commands(CLI::App& app, Command& run, std::string_view asked) {
  add_asked({{"identify", add_identify},
             {"solve", add_solve},
             {"moments", add_moments},
             {"predict", add_predict},
             {"report", add_report},
             {"simulate", add_simulate},
             {"observe", add_observe},
             {"check", add_check},
             {"convert", add_convert},
             {"distance", add_distance},
             {"rows", add_rows},
             {"info", add_info},
             {"help", add_help},
             missing("payload"),
             missing("watch"),
             missing("excite"),
             missing("fleet"),
             missing("bench")},
            app, run, asked);
}

}  // namespace heft::tools
