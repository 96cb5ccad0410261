// Motions by coefficients: what excitation studies try by the thousand. A job takes one instead of
// samples, and the backend evaluates it where it makes the rows; jobs of both kinds go side by
// side. Threads: functions without memory: any number of threads may call them.
#pragma once

#include <cstdint>
#include <variant>

#include "heft/base/result.hpp"
#include "heft/core/motion_view.hpp"
#include "heft/model/fourier_motion.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/spline_motion.hpp"

#pragma GCC visibility push(default)
namespace heft {

using GeneratedMotion = std::variant<FourierMotion, SplineMotion>;

/// Error if samples [begin, begin + count) reach beyond those of the motion, a coefficient is
/// missing or not finite, a spline ends before its samples do, or the plan needs more than a motion
/// gives: that of a base, signals.
Result<Done> check_motion(const RegressorPlan& plan, const GeneratedMotion& motion,
                          std::int64_t begin, std::int64_t count);

/// What the kernels read of a motion that has passed its check, and that stays where it is while
/// they do.
core::MotionView motion_view(const GeneratedMotion& motion);
core::MotionView motion_view(GeneratedMotion&&) = delete;

}  // namespace heft
#pragma GCC visibility pop
