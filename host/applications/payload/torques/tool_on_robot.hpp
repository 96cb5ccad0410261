// A known tool by joint torques: it is part of the robot, as sure as it is known.
#pragma once

#include "torque_sums.hpp"

namespace heft::payload {

/// The robot that carries `tool` on the link. With base quantities theta of information K, and R z
/// what the tool's parameters z, of covariance C, add to them,
///
///   theta + R z has the information (K^-1 + R C R')^-1 = K - K R L (1 + L'R'K R L)^-1 L'R'K
///   C = L L'
///
/// Of a robot that is taken for exact only z counts, not C. Errors of tool and robot count as
/// independent, those of a tool that the same robot weighed too: intervals become wider by it, not
/// narrower. Errors: a tool that was calibrated in another frame.
Result<KnownRobot> with_tool(KnownRobot robot, const CarryingLink& link, const KnownTool& tool);

/// What a later run knows if the payload stays on, beside a tool that was known before; none if
/// mass or center of mass are open.
std::optional<KnownTool> tool_of(const TorqueFit& fit, const BodyParameters& answer,
                                 const CarryingLink& link, const std::optional<KnownTool>& before);

}  // namespace heft::payload
