// Distances between the hulls of pairs over a sequence of postures.
#pragma once

#include <span>
#include <vector>

#include "clearance/collision_model.hpp"

namespace heft {

/// Caches the most recent separating planes, which usually separate again. Threads: one at a time.
class PairDistances {
 public:
  /// The model and its pairs must outlive this object.
  explicit PairDistances(const CollisionModel& model) : model_(model), axes_(model.pairs.size()) {}

  /// Returns a lower bound on the distance of the pair with this index: the distance itself, 0 in
  /// collision, or any bound that is at least `enough`.
  double at_least(int p, const std::vector<Eigen::Isometry3d>& poses, double enough);

 private:
  double of_hulls(int p, std::span<const Hull> some, const Eigen::Isometry3d& X_some,
                  std::span<const Hull> others, const Eigen::Isometry3d& X_others, double enough);

  const CollisionModel& model_;
  std::vector<std::vector<Eigen::Vector3d>> axes_;  ///< normals of the planes, in base axes
};

}  // namespace heft
