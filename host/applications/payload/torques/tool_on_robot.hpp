// A known tool for weighing by joint torques: part of the robot, with its own uncertainty.
#pragma once

#include "torque_sums.hpp"

namespace heft::payload {

/// Returns the robot that carries `tool` on the link. With base quantities theta of information K,
/// and the contribution R z of the tool's parameters z with covariance C,
///
///   theta + R z has the information (K^-1 + R C R')^-1 = K - K R L (1 + L'R'K R L)^-1 L'R'K
///   C = L L'
///
/// For a robot that counts as exact, only z is used, not C. Errors of tool and robot are treated as
/// independent even if the same robot weighed the tool, which can only widen intervals. Errors: a
/// tool that was calibrated in another frame.
Result<KnownRobot> with_tool(KnownRobot robot, const CarryingLink& link, const KnownTool& tool);

/// Returns the known tool for later runs if the payload stays attached, including a previously
/// known tool; empty if mass or center of mass are undetermined.
std::optional<KnownTool> tool_of(const TorqueFit& fit, const BodyParameters& answer,
                                 const CarryingLink& link, const std::optional<KnownTool>& before);

}  // namespace heft::payload
