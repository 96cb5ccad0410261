#include "identify/observe_experiments.hpp"

#include <algorithm>
#include <cmath>

#include "heft/observe/observe.hpp"
#include "model/poses.hpp"

namespace heft {

namespace {

using Functional = std::vector<BodyParameters>;  ///< one vector per body

/// Whether every change of the parameters that no measurement detects leaves a linear function of
/// them unchanged.
bool is_determined(const Observability& seen, const Functional& functional) {
  constexpr double kCancels = 1e-6;
  for (const Combination& change : seen.null_basis) {
    double sum = 0, size = 0;
    for (const Term& term : change) {
      const ObservedParameter& p = seen.parameters[static_cast<std::size_t>(term.parameter)];
      const double part =
          term.coefficient * functional[static_cast<std::size_t>(p.body)].dot(p.direction);
      sum += part;
      size += std::abs(part);
    }
    if (std::abs(sum) > kCancels * size) return false;
  }
  return true;
}

Functional mass_of(const Robot& robot, int body) {
  Functional mass(static_cast<std::size_t>(robot.num_bodies()), BodyParameters::Zero());
  mass[static_cast<std::size_t>(body)][core::kMass] = 1;
  return mass;
}

Functional whole_mass(const Robot& robot) {
  Functional mass(static_cast<std::size_t>(robot.num_bodies()), BodyParameters::Zero());
  for (BodyParameters& of_body : mass) of_body[core::kMass] = 1;
  return mass;
}

/// A component of the first moment of all bodies with all coordinates at zero, in the root link.
Functional whole_moment(const Robot& robot, int axis) {
  Functional moment;
  for (const Eigen::Isometry3d& X : body_poses(robot, {})) {
    BodyParameters of_body = BodyParameters::Zero();
    of_body[core::kMass] = X.translation()[axis];
    of_body.segment<3>(core::kMcx) = X.linear().row(axis).transpose();
    moment.push_back(of_body);
  }
  return moment;
}

ObservableExperiment described(const Robot& robot, const Observability& seen) {
  ObservableExperiment found{
      .experiment = {}, .logged = {}, .num_base = seen.num_base, .links = {}};
  found.whole_mass = is_determined(seen, whole_mass(robot));
  found.whole_com = found.whole_mass;
  for (int axis = 0; axis < 3; ++axis)
    found.whole_com = found.whole_com && is_determined(seen, whole_moment(robot, axis));
  for (int body = 0; body < robot.num_bodies(); ++body)
    if (is_determined(seen, mass_of(robot, body)))
      found.links.push_back(robot.bodies[static_cast<std::size_t>(body)].name);
  return found;
}

/// The robot with its root link held: without parameters of the root.
Robot held_at_root(Robot robot) {
  robot.floating_base = false;
  return robot;
}

}  // namespace

Result<ObservableExperiments> observe_experiments(const Robot& robot, bool gravity) {
  ObservableExperiments result{.experiments = {}, .root = robot.bodies.front().name};
  const auto add = [&](const Robot& seen_robot, bool is_static, const char* name,
                       const char* logged) -> Result<Done> {
    HEFT_TRY(seen, observe(seen_robot,
                           {.gravity = gravity, .static_only = is_static, .channels = false}));
    ObservableExperiment found = described(robot, seen);
    found.experiment = name;
    found.logged = logged;
    found.friction = !is_static;
    result.experiments.push_back(std::move(found));
    return Done{};
  };
  HEFT_CHECK(add(held_at_root(robot), false, "hung", "joint torques"));
  HEFT_CHECK(add(robot, true, "stance", "joint torques, foot forces, IMU"));
  HEFT_CHECK(add(robot, false, "steps", "joint torques, foot forces, IMU"));
  for (const ObservableExperiment& experiment : result.experiments)
    if (std::ranges::find(experiment.links, result.root) != experiment.links.end())
      result.is_root_determined = true;
  return result;
}

}  // namespace heft
