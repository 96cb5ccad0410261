// heft payload --plan: which poses to take next.
#include <cstdio>
#include <filesystem>

#include "files/whole_file.hpp"
#include "heft/payload/plan.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/payload_flags.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

Result<WrenchSamples> poses_so_far(const PayloadFlags& flags, const PayloadInput& input) {
  std::vector<WrenchSamples> logs;
  for (const std::string& path : flags.logs) {
    PayloadLog about;
    HEFT_TRY(read, input.on_link ? read_wrench_log(path, *input.on_link, input.options.sensor, about)
                                 : read_wrench_log(path, input.options.sensor, about));
    logs.push_back(std::move(read));
  }
  if (logs.empty()) return WrenchSamples{.moves = false};
  return concatenated(logs);
}

/// The mass that a first moment is divided by: known, or as the poses have it.
double mass_of(const WrenchSamples& taken, const PayloadOptions& options) {
  if (options.limits.known_mass > 0) return options.limits.known_mass;
  if (taken.size() == 0) return PlanOptions{}.mass;
  const auto fit = fit_payload(taken, options, {}, PayloadMethod::wls);
  return fit && fit->parameters[core::kMass] > 1e-3 ? fit->parameters[core::kMass] : PlanOptions{}.mass;
}

}  // namespace

int run_payload_plan(const PayloadFlags& flags) {
  const auto input = payload_input_of(flags);
  if (!input) return fail(input.error());
  const auto taken = poses_so_far(flags, *input);
  if (!taken) return fail(taken.error());
  const auto plan = plan_poses(*taken,
                               {.mass = mass_of(*taken, input->options),
                                .gravity = input->options.sensor.gravity,
                                .num_poses = flags.num_poses},
                               input->on_link, input->options.sensor);
  if (!plan) return fail(plan.error());
  const std::string path = (std::filesystem::path(flags.out) / "plan.json").string();
  std::vector<std::string> inputs = flags.logs;
  inputs.insert(inputs.end(), {flags.config, flags.robot, flags.known_tool});
  if (auto spared = refuse_overwriting_inputs({path}, inputs); !spared) return fail(spared.error());
  std::error_code failure;
  std::filesystem::create_directories(flags.out, failure);
  if (failure)
    return fail(
        {flags.out, "cannot be made: " + failure.message(), "choose a directory that you may write to"});
  if (const auto written = write_file_whole(path, plan_json(*plan)); !written) return fail(written.error());
  std::printf("%s\n%s\n", plan_summary(*plan).c_str(), path.c_str());
  return kSuccess;
}

}  // namespace heft::tools
