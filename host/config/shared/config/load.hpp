// The load of a joint in expressions: the torque that the rigid bodies of a reference robot need there.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// LoadOptions::inertia, or what stands for it where it is empty: the inertias of the robot's own file.
std::vector<double> load_inertia(const Configuration& configuration, const Robot& robot);

/// The loads of a block of samples, num_samples x num_channels; safe to call from several threads, one call at
/// a time each. `inertia` from load_inertia; error if it is not of this robot.
Result<std::function<Result<Eigen::ArrayXXd>(const Samples& block)>> make_load(
    const Robot& robot, const std::vector<Channel>& channels, const std::vector<double>& inertia);

/// Whether an expression mentions a load.
bool holds_load(const std::string& expression);

}  // namespace heft::config
#pragma GCC visibility pop
