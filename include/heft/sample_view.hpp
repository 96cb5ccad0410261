// The bridge between the nouns (Samples, RegressorPlan) and the flat views that kernels read.
#pragma once

#include <vector>

#include "heft/core/sample_view.hpp"
#include "heft/fourier_motion.hpp"
#include "heft/regressor_plan.hpp"
#include "heft/result.hpp"
#include "heft/samples.hpp"

namespace heft {

/// View of all samples; a fixed base stands still under the robot's gravity.
core::SampleView sample_view(const RegressorPlan& plan, const Samples& samples);

/// Error if a motion has not the robot's coordinates, or the plan needs more than a motion gives: that of a base, signals.
Result<Done> check_motion(const RegressorPlan& plan, const FourierMotion& motion);

core::FourierView fourier_view(const FourierMotion& motion);

/// Per channel, the coefficients of its row (torque excluded) for parameters x of the layout: W x, gathered.
using ChannelCoefficients = std::vector<std::vector<double>>;
ChannelCoefficients channel_coefficients(const RegressorPlan& plan, const Eigen::VectorXd& parameters);

}  // namespace heft
