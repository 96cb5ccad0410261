// The bridge between the nouns (Samples, GeneratedMotion, RegressorPlan) and the flat views that
// kernels read.
#pragma once

#include <vector>

#include "heft/base/result.hpp"
#include "heft/core/motion_view.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/model/generated_motion.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// View of all samples; a fixed base stands still under the robot's gravity.
core::SampleView sample_view(const RegressorPlan& plan, const Samples& samples);

/// What the kernels read of a motion that has passed its check, and that stays where it is while
/// they do.
core::MotionView motion_view(const GeneratedMotion& motion);
core::MotionView motion_view(GeneratedMotion&&) = delete;

/// Per channel, the coefficients of its row (torque excluded) for parameters x of the layout: W x,
/// gathered.
using ChannelCoefficients = std::vector<std::vector<double>>;
ChannelCoefficients channel_coefficients(const RegressorPlan& plan,
                                         const Eigen::VectorXd& parameters);

/// Ten parameters of every body in its kernel frame, in the order of core::Parameter: those of the
/// entries that it keeps, which its rows have for coefficients; the others are zero.
std::vector<double> kept_bodies(const RegressorPlan& plan, const ChannelCoefficients& coefficients);

}  // namespace heft
#pragma GCC visibility pop
