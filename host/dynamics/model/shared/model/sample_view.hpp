// Converts Samples, GeneratedMotion and RegressorPlan to the flat views that kernels read.
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

/// Returns a view of all samples; a fixed base is at rest under the robot's gravity.
core::SampleView sample_view(const RegressorPlan& plan, const Samples& samples);

/// Returns a view of a motion that has passed check_motion; the motion must outlive the view.
core::MotionView motion_view(const GeneratedMotion& motion);
core::MotionView motion_view(GeneratedMotion&&) = delete;

/// Coefficients of every channel's row (without torque) for parameters x of the layout: the entries
/// of W x.
using ChannelCoefficients = std::vector<std::vector<double>>;
/// Returns the coefficients for parameters x.
ChannelCoefficients channel_coefficients(const RegressorPlan& plan,
                                         const Eigen::VectorXd& parameters);

/// Returns ten parameters of every body in its kernel frame, in the order of core::Parameter: for
/// entries that the body keeps, the coefficients of its rows; otherwise zero.
std::vector<double> kept_bodies(const RegressorPlan& plan, const ChannelCoefficients& coefficients);

}  // namespace heft
#pragma GCC visibility pop
