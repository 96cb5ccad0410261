// What the search minimizes so that nothing meets: the augmented Lagrangian of the distances of
// spheres at the samples of a motion,
//
//   (200 / N) sum ([max(0, l + mu g)]^2 - l^2) / (2 mu),      g = (wanted - distance) / kLength
//
// One object is used by one thread at a time.
#pragma once

#include <Eigen/Core>

#include "clearance/sphere_distances.hpp"

namespace heft::excite {

/// l of every constraint at every sample, and which groups of constraints have any that is not
/// zero.
struct ClearanceMultipliers {
  Eigen::MatrixXd values;                                        ///< constraints x samples
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> in_groups;  ///< groups x samples
};

class ClearanceTerm {
 public:
  /// `wanted`: the distance of spheres that every group of `pairs` keeps [m].
  ClearanceTerm(const SpherePairs& pairs, Eigen::VectorXd wanted, int num_samples);

  ClearanceMultipliers no_multipliers() const;

  /// The sum above at the first num_samples rows of positions; adds its derivatives to
  /// `by_position` if that is given.
  double value(const Eigen::ArrayXXd& position, const ClearanceMultipliers& multipliers, double mu,
               Eigen::ArrayXXd* by_position);

  /// l <- max(0, l + mu g).
  void raise(const Eigen::ArrayXXd& position, double mu, ClearanceMultipliers& multipliers);

  /// The largest of all g.
  double worst(const Eigen::ArrayXXd& position);

 private:
  static constexpr double kLength = 0.1;  ///< [m] that weighs as much as all of another limit

  double excess(const SpherePairs::Group& group, int g, int constraint) const {
    return (wanted_[g] - distances_.distance(group, constraint)) / kLength;
  }

  const SpherePairs& pairs_;
  Eigen::VectorXd wanted_;
  int num_samples_;
  SphereDistances distances_;
};

}  // namespace heft::excite
