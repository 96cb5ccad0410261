// When contacts act: flags, thresholds of forces, or the residual forces of a reference robot with
// hysteresis; widened by a margin.
#pragma once

#include <vector>

#include "contacts.hpp"
#include "setup/load.hpp"

namespace heft {

/// Torque of a reference robot for a block of samples (make_load).
using ReferenceTorque = std::function<Result<Eigen::ArrayXXd>(const Samples& block)>;

/// What decides whether contacts act.
struct ContactJudge {
  std::vector<PlacedContact> contacts;
  std::vector<bool> is_joint;  ///< per channel: the torque of a joint
  ReferenceTorque reference;   ///< for automatic states
  double weight = 0;           ///< of the reference robot [N]

  /// Sets level signals to 0 or 1, and the directions of contacts that do not act to zero. Errors:
  /// those of the reference.
  Result<Done> operator()(Samples& around, const std::vector<bool>& measured) const;
};

}  // namespace heft
