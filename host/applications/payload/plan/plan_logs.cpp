// Plans poses from the logs of recorded ones.
#include "heft/payload/payload.hpp"
#include "payload/plan.hpp"

namespace heft {

namespace {

Result<WrenchSamples> poses_of(const PlanRequest& request) {
  std::vector<WrenchSamples> poses;
  for (const Log& log : request.logs) {
    PayloadLog about;
    HEFT_TRY(read, request.on_link
                       ? read_wrench_log(log, *request.on_link, request.options.sensor, about)
                       : read_wrench_log(log, request.options.sensor, about));
    poses.push_back(std::move(read));
  }
  if (poses.empty()) return WrenchSamples{.moves = false};
  return concatenated(poses);
}

/// The mass by which first moments are divided: known, or estimated from the poses.
double mass_of(const WrenchSamples& taken, PayloadOptions options) {
  if (options.limits.known_mass > 0) return options.limits.known_mass;
  if (taken.size() == 0) return PlanOptions{}.mass;
  options.limits = {};  // least squares have no prior
  const auto fit = fit_payload(taken, options, {}, PayloadMethod::wls);
  return fit && fit->parameters[core::kMass] > 1e-3 ? fit->parameters[core::kMass]
                                                    : PlanOptions{}.mass;
}

}  // namespace

Result<PosePlan> plan_poses(const PlanRequest& request) {
  HEFT_TRY(taken, poses_of(request));
  const SensorOptions& sensor = request.options.sensor;
  return plan_poses(taken,
                    {.mass = mass_of(taken, request.options),
                     .gravity = sensor.gravity.value_or(kUsualGravity),
                     .num_poses = request.num_poses},
                    request.on_link, sensor);
}

}  // namespace heft
