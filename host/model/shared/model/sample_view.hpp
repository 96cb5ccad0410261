// The bridge between the nouns (Samples, RegressorPlan) and the flat views that kernels read.
#pragma once

#include <vector>

#include "heft/base/result.hpp"
#include "heft/core/sample_view.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// View of all samples; a fixed base stands still under the robot's gravity.
core::SampleView sample_view(const RegressorPlan& plan, const Samples& samples);

/// Per channel, the coefficients of its row (torque excluded) for parameters x of the layout: W x, gathered.
using ChannelCoefficients = std::vector<std::vector<double>>;
ChannelCoefficients channel_coefficients(const RegressorPlan& plan, const Eigen::VectorXd& parameters);

}  // namespace heft
#pragma GCC visibility pop
