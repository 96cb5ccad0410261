#include "pair_distances.hpp"

#include <algorithm>
#include <cmath>

namespace heft {

namespace {

using Eigen::Vector3d;

double floor_distance(const LinkShapes& link, double level, const Eigen::Isometry3d& X) {
  double least = HUGE_VAL;
  for (const Hull& hull : link.hulls)
    least = std::min(least, (X.linear().row(2) * hull.points).minCoeff() + X.translation().z() -
                                hull.radius - level);
  return std::max(0.0, least);
}

}  // namespace

double PairDistances::at_least(int p, const std::vector<Eigen::Isometry3d>& poses, double enough) {
  const CollisionPair& pair = model_.pairs[p];
  const double apart = spheres_apart(model_, pair, poses);
  if (apart >= enough) return apart;
  const LinkShapes& first = model_.links[pair.first];
  const Eigen::Isometry3d& X_first = poses[first.body + 1];
  if (!pair.with_world) {
    const LinkShapes& second = model_.links[pair.second];
    return of_hulls(p, first.hulls, X_first, second.hulls, poses[second.body + 1], enough);
  }
  const WorldSolid& solid = model_.world[pair.second];
  if (solid.is_floor) return floor_distance(first, solid.level, X_first);
  return of_hulls(p, first.hulls, X_first, {&solid.hull, 1}, poses[0], enough);
}

double PairDistances::of_hulls(int p, std::span<const Hull> some, const Eigen::Isometry3d& X_some,
                               std::span<const Hull> others, const Eigen::Isometry3d& X_others,
                               double enough) {
  std::vector<Vector3d>& axes = axes_[p];
  axes.resize(some.size() * others.size(), Vector3d::Zero());
  double least = HUGE_VAL;
  std::size_t place = 0;
  for (const Hull& one : some)
    for (const Hull& other : others) {
      Vector3d& axis = axes[place++];
      const double apart =
          (X_some * one.center - X_others * other.center).norm() - one.reach - other.reach;
      if (apart >= std::min(enough, least)) {
        least = std::min(least, apart);
        continue;
      }
      if (!axis.isZero()) {
        // the plane that parted them last may do
        const double parted = parted_along(axis, one, X_some, other, X_others);
        if (parted >= std::min(enough, least)) {
          least = std::min(least, parted);
          continue;
        }
      }
      const Parting parting = hull_distance(one, X_some, other, X_others);
      if (parting.distance > 0) axis = parting.axis;
      least = std::min(least, parting.distance);
      if (least <= 0) return 0;
    }
  return least;
}

}  // namespace heft
