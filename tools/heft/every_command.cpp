// All commands, in the order of the help.
#include "tools/heft/excite.hpp"
#include "tools/heft/fleet.hpp"

namespace heft::tools {

void add_commands(CLI::App& app, Command& run, std::string_view asked) {
  add_asked({{"identify", add_identify},
             {"solve", add_solve},
             {"moments", add_moments},
             {"payload", add_payload},
             {"excite", add_excite},
             {"fleet", add_fleet},
             {"predict", add_predict},
             {"watch", add_watch},
             {"report", add_report},
             {"simulate", add_simulate},
             {"observe", add_observe},
             {"check", add_check},
             {"convert", add_convert},
             {"distance", add_distance},
             {"rows", add_rows},
             {"bench", add_bench},
             {"info", add_info},
             {"help", add_help}},
            app, run, asked);
}

}  // namespace heft::tools
