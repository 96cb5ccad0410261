// Whether ten numbers are a body, and the nearest one inside.
// Threads: functions without memory: any number of threads may call them.
#pragma once

#include <optional>

#include "heft/base/enum_names.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class BodyStatus {
  ok,          ///< the pseudo-inertia is positive definite
  boundary,    ///< it is singular, within rounding: rods, plates, points, no mass
  impossible,  ///< no distribution of mass has these moments
};

template <>
struct EnumNames<BodyStatus> {
  static constexpr EnumName<BodyStatus> kList[] = {{BodyStatus::ok, "ok"},
                                                   {BodyStatus::boundary, "boundary"},
                                                   {BodyStatus::impossible, "impossible"}};
};

/// From the second moments of mass about the center of mass, L_1 <= L_2 <= L_3 [kg m^2], which
/// rounding blurs by 64 eps of those about the origin: beyond that, L_1 > 0 is ok and L_1 < 0
/// impossible. A body without mass is on the boundary if it has no first moments and its second
/// ones are those of a limit, impossible otherwise; so is what is not finite.
BodyStatus status_of(const BodyParameters& parameters);

/// The body with the same mass and center whose moments L are raised to 1e-10 of the largest, and
/// to m (1 um)^2: inside, by as little as a chart needs. Of a body that is ok, itself. Nothing if
/// there is no mass, or if the body is impossible.
std::optional<BodyParameters> inside(const BodyParameters& parameters);

}  // namespace heft
#pragma GCC visibility pop
