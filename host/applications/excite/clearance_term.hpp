// Clearance term of the search: the augmented Lagrangian of the distances between spheres at the
// samples of a motion,
//
//   (200 / N) sum ([max(0, l + mu g)]^2 - l^2) / (2 mu),      g = (wanted - distance) / kLength
//
// Threads: one object is used by one thread at a time.
#pragma once

#include <Eigen/Core>

#include "clearance/sphere_distances.hpp"

namespace heft::excite {

/// Multiplier l of every constraint at every sample, and the groups of constraints with a nonzero
/// one.
struct ClearanceMultipliers {
  Eigen::MatrixXd values;                                        ///< constraints x samples
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> in_groups;  ///< groups x samples
};

class ClearanceTerm {
 public:
  /// `wanted`: minimum distance between the spheres of every group of `pairs` [m].
  ClearanceTerm(const SpherePairs& pairs, Eigen::VectorXd wanted, int num_samples);

  ClearanceMultipliers no_multipliers() const;

  /// Returns the sum above at the first num_samples rows of positions; adds its derivatives to
  /// `by_position` if given.
  double value(const Eigen::ArrayXXd& position, const ClearanceMultipliers& multipliers, double mu,
               Eigen::ArrayXXd* by_position);

  /// l <- max(0, l + mu g).
  void raise(const Eigen::ArrayXXd& position, double mu, ClearanceMultipliers& multipliers);

  /// Returns the largest g.
  double worst(const Eigen::ArrayXXd& position);

 private:
  static constexpr double kLength = 0.1;  ///< [m]; a violation of this size weighs as much as 100 %
                                          ///< of another limit

  double excess(const SpherePairs::Group& group, int g, int constraint) const {
    return (wanted_[g] - distances_.distance(group, constraint)) / kLength;
  }

  const SpherePairs& pairs_;
  Eigen::VectorXd wanted_;
  int num_samples_;
  SphereDistances distances_;
};

}  // namespace heft::excite
