// The load of a joint in expressions: the torque that the rigid bodies of a reference robot need at
// that joint.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the inertias of the robot's own file, ten numbers per body of its layout.
std::vector<double> inertia_of_file(const Robot& robot);

/// Returns a function that computes the loads of a block of samples, num_samples x num_channels;
/// safe to call from several threads, one call at a time per thread. Error: `inertia` does not have
/// ten numbers per body of the layout.
Result<std::function<Result<Eigen::ArrayXXd>(const Samples& block)>> make_load(
    const Robot& robot, const std::vector<Channel>& channels, const std::vector<double>& inertia);

/// Returns whether an expression contains a load.
bool holds_load(const std::string& expression);

}  // namespace heft
#pragma GCC visibility pop
