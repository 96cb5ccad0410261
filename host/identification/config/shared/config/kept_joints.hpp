// Check of joints.keep.
#pragma once

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Errors: an unknown joint in joints.keep, with near misses, or one that is also in
/// joints.exclude.
Result<Done> check_kept_joints(const Configuration& configuration, const Robot& robot);

}  // namespace heft::config
#pragma GCC visibility pop
