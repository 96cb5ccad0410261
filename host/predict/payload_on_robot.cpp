#include "heft/predict/payload_on_robot.hpp"

#include <algorithm>

#include "files/name_hint.hpp"
#include "heft/config/edge.hpp"
#include "heft/observe/observe.hpp"
#include "heft/payload/by_torques.hpp"
#include "heft/robot/robot_document.hpp"
#include "identified_model.hpp"
#include "training/accumulate.hpp"

namespace heft {

namespace {

/// The body that is the link, or that it is fixed to.
Result<CarryingLink> carrying_link(const RegressorPlan& plan, const std::string& name) {
  std::vector<std::string> known;
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const Body& body =
        plan.robot.bodies[static_cast<std::size_t>(plan.layout.body_index[static_cast<std::size_t>(i)])];
    if (body.is_rotor) continue;
    CarryingLink link{.name = name, .body = i};
    if (body.name == name) return link;
    known.push_back(body.name);
    known.insert(known.end(), body.merged_links.begin(), body.merged_links.end());
    if (std::find(body.merged_links.begin(), body.merged_links.end(), name) == body.merged_links.end())
      continue;
    HEFT_TRY(document, parse_robot_document(plan.robot.source, plan.robot.source_text));
    HEFT_TRY(pose, document->pose(name, body.name));
    link.X_body_link = pose;
    return link;
  }
  return Error{"--link " + name, "is no link that the robot moves", name_hint(name, known, "it moves ")};
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
