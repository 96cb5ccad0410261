// heft payload --plan: proposes the next poses.
#include <cstdio>
#include <filesystem>

#include "files/whole_file.hpp"
#include "payload/plan.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/payload_flags.hpp"
#include "tools/heft/print.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

int run_payload_plan(const PayloadFlags& flags) {
  const auto input = payload_input_of(flags);
  if (!input) return fail(input.error());
  const auto plan = plan_poses({.logs = logs_of(flags),
                                .on_link = input->on_link,
                                .options = input->options,
                                .num_poses = flags.num_poses});
  if (!plan) return fail(plan.error());
  const std::string path = (std::filesystem::path(flags.out) / "plan.json").string();
  std::vector<std::string> inputs = payload_inputs_of(flags);
  for (const std::string& words : flags.logs)
    for (const std::string& file : files_of_log(words)) inputs.push_back(file);
  if (auto spared = refuse_overwriting_inputs({path}, inputs); !spared) return fail(spared.error());
  if (auto made = make_folder(flags.out); !made) return fail(made.error());
  if (const auto written = write_file_whole(path, plan_json(*plan)); !written)
    return fail(written.error());
  if (!flags.quiet) print(plan_summary(*plan) + "\n");
  std::printf("%s\n", path.c_str());
  return kSuccess;
}

}  // namespace heft::tools
