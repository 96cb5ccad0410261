#include "heft/predict/payload_on_robot.hpp"

#include <algorithm>

#include "heft/config/edge.hpp"
#include "heft/observe/observe.hpp"
#include "heft/payload/by_torques.hpp"
#include "heft/robot/link_place.hpp"
#include "identified_model.hpp"
#include "training/accumulate.hpp"

namespace heft {

namespace {

/// The link's body in the plan's layout.
Result<CarryingLink> carrying_link(const RegressorPlan& plan, const std::string& name) {
  HEFT_TRY(place, find_link(plan.robot, name, "--link " + name));
  const std::vector<int>& bodies = plan.layout.body_index;
  const auto at = std::find(bodies.begin(), bodies.end(), place.body);
  if (at == bodies.end())
    return Error{"--link " + name, "has no inertia of its own", "name the link that its joint carries"};
  return CarryingLink{name, static_cast<int>(at - bodies.begin()), place.X_body_link};
}

Result<KnownRobot> known_robot(const IdentifiedModel& identified, const std::string& where) {
  const RegressorPlan& plan = *identified.model.plan;
  HEFT_TRY(observability, observe(plan.robot, {.channels = false, .sensors = sensors_among(plan.channels)}));
  HEFT_TRY(quantities, base_quantities(observability, plan.layout));
  KnownRobot robot{.plan = identified.model.plan,
                   .parameters = identified.parameters,
                   .residual_rms = identified.residual_rms,
                   .quantities = std::move(quantities),
                   .information = identified.information,
                   .information_times_estimate = identified.information_times_estimate,
                   .no_intervals = identified.no_intervals};
  if (identified.information.size() > 0 && identified.quantities != robot.quantities.names)
    return Error{where, "its base parameters are not those of the URDF beside it",
                 "keep result.json and identified.urdf together, or identify again"};
  return robot;
}

}  // namespace

Result<PayloadResult> weigh_on_robot(const PayloadOnRobot& request) {
  HEFT_TRY(identified, read_identified_model(request.model));
  HEFT_TRY(link, carrying_link(*identified.model.plan, request.link));
  HEFT_TRY(robot, known_robot(identified, request.model));
  GatherOptions gathering = gather_options(identified.configuration, identified.model);
  gathering.conditioning.rows = "torque";
  SampleSource source({request.logs.begin(), request.logs.end()}, identified.model, gathering);
  source.keep_nothing();
  HEFT_TRY(backend, make_backend(identified.configuration.backend));
  HEFT_TRY(data, accumulate(source, identified.model.plan, *backend, request.progress));
  HEFT_TRY(result, weigh_by_torques(robot, link, data, request.options, request.shape, request.methods));
  for (const std::string& words : identified.doubts)
    result.doubts.push_back({"model", true, "the robot's own identification is in doubt: " + words,
                             "look at its page, mend it and identify again"});
  return result;
}

}  // namespace heft
