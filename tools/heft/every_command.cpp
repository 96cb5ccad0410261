// All commands, in the order of the help.
#include "tools/heft/excite.hpp"
#include "tools/heft/fleet.hpp"

namespace heft::tools {

void add_commands(CLI::App& app, Command& run) {
  add_identify(app, run);
  add_solve(app, run);
  add_moments(app, run);
  add_payload(app, run);
  add_excite(app, run);
  add_fleet(app, run);
  add_predict(app, run);
  add_report(app, run);
  add_simulate(app, run);
  add_observe(app, run);
  add_check(app, run);
  add_convert(app, run);
  add_distance(app, run);
  add_rows(app, run);
  add_bench(app, run);
  add_info(app, run);
  add_help(app, run);
}

}  // namespace heft::tools
