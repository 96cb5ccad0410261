// The identified parameters by body of the robot.
#pragma once

#include <vector>

#include "heft/identify/estimate.hpp"

namespace heft {

/// Returns the identified parameters of every body of the robot; bodies without parameters keep
/// their (zero) prior.
inline std::vector<BodyParameters> identified_bodies(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  std::vector<BodyParameters> parameters;
  for (const Body& body : plan.robot.bodies) parameters.push_back(body.prior);
  for (int i = 0; i < plan.layout.num_bodies(); ++i)
    parameters[plan.layout.body_index[i]] =
        identification.answer().parameters.segment<core::kNumParameters>(core::kNumParameters * i);
  return parameters;
}

}  // namespace heft
