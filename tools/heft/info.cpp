#include "heft/executor/executor.hpp"
#include "tools/heft/command.hpp"

namespace heft::tools {

void add_info(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("info", "version, backends, and why one is missing");
  command->callback([&run] {
    run = [] {
      std::printf("heft %s\n", HEFT_VERSION);
      for (const std::string& line : backend_inventory()) std::printf("backend %s\n", line.c_str());
      return kSuccess;
    };
  });
}

}  // namespace heft::tools
