// How far the hulls of a pair are apart, at one posture after another.
#pragma once

#include <span>
#include <vector>

#include "clearance/collision_model.hpp"

namespace heft {

/// Remembers the planes that parted hulls last, which mostly part them again. One thread at a time.
class PairDistances {
 public:
  /// The model, and its pairs, outlive this.
  explicit PairDistances(const CollisionModel& model) : model_(model), axes_(model.pairs.size()) {}

  /// The distance of the pair with this index, no more than it is, 0 if they meet; or, if it is no
  /// less than `enough`, any number from that on below it.
  double at_least(int p, const std::vector<Eigen::Isometry3d>& poses, double enough);

 private:
  double of_hulls(int p, std::span<const Hull> some, const Eigen::Isometry3d& X_some,
                  std::span<const Hull> others, const Eigen::Isometry3d& X_others, double enough);

  const CollisionModel& model_;
  std::vector<std::vector<Eigen::Vector3d>> axes_;  ///< of the planes, in base axes
};

}  // namespace heft
