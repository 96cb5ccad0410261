#include "heft/config/module_options.hpp"
#include "watch/watcher.hpp"

namespace heft {

Result<WatchModel> watch_model(const IdentifiedModel& identified) {
  const Configuration& configuration = identified.configuration;
  const RegressorPlan& plan = *identified.model.plan;
  constexpr char kWhere[] = "heft watch";
  if (plan.robot.floating_base)
    return Error{kWhere, "does not support a moving base",
                 "identify the robot on a fixed base, or use heft predict --external-torque"};
  if (!configuration.sensors.empty())
    return Error{kWhere, "does not support sensors", "identify again without `sensors`"};
  if (!configuration.wrenches.empty())
    return Error{kWhere, "does not support measured wrenches", "identify again without `wrenches`"};
  if (!configuration.contacts.empty())
    return Error{kWhere, "does not support contacts", "identify again without `contacts`"};
  if (plan.num_signals > 0)
    return Error{kWhere, "does not support gains and columns with expressions or memory",
                 "identify again with columns viscous, coulomb and offset"};
  if (!configuration.known_torque.empty())
    return Error{kWhere, "does not support known torques", "identify again without `known_torque`"};
  SetupOptions options = setup_options(configuration);
  // the prior is the identified robot, not its former robot file
  options.prior.references.clear();
  options.prior.unknown.clear();
  if (options.prior.kind == PriorKind::none) options.prior.kind = PriorKind::metric;
  HEFT_TRY(setup, make_setup(identified.model, options.prior, options.constraints));
  const EstimationOptions estimation = estimation_options(configuration);
  return WatchModel{.model = identified.model,
                    .parameters = identified.parameters,
                    .residual_rms = identified.residual_rms,
                    .prior = std::move(setup.prior),
                    .constraints = std::move(setup.constraints),
                    .lowpass_hz = configuration.conditioning.lowpass_hz,
                    .solve = {.gap_tolerance = estimation.solve.gap_tolerance}};
}

}  // namespace heft
