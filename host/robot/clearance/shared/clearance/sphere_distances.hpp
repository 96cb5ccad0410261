// Distances of all pairs of a model by spheres that cover its hulls: smooth in the positions, and
// cheap with their derivatives. For a search; what holds is said by hulls.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "clearance/collision_model.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One of the spheres whose union covers a hull, in the hull's axes.
struct CoverSphere {
  Eigen::Vector3d center;
  double radius;
};

/// Spheres around the parts of a hull that planes across its longest side cut, until none stands
/// out by more than `overhang` or there are `most`.
std::vector<CoverSphere> sphere_cover(const Hull& hull, double overhang = 0.02, int most = 8);

/// Which spheres may meet; made once, read by all.
class SpherePairs {
 public:
  struct Sphere {
    int body;
    Eigen::Vector3d center;
    double radius;
  };
  /// Of one CollisionPair: the constraints begin to end.
  struct Group {
    int pair = 0, begin = 0, end = 0;
    double surplus = 0;  ///< [m] by which spheres stand nearer than hulls do, where these are near
  };
  struct Constraint {
    int first, second;  ///< spheres; the second is of the world if the group's pair is
  };

  SpherePairs() = default;
  explicit SpherePairs(const CollisionModel& model);

  const CollisionModel& model() const { return *model_; }
  const std::vector<Sphere>& spheres() const { return spheres_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  int num_constraints() const { return static_cast<int>(constraints_.size()); }

 private:
  void put_constraints();
  void put_surplus();

  const CollisionModel* model_ = nullptr;  ///< outlives this
  std::vector<Sphere> spheres_;
  std::vector<std::vector<int>> of_link_;  ///< spheres
  std::vector<Group> groups_;
  std::vector<Constraint> constraints_;
};

/// The distances at one posture after another, and the way back from them to the positions. One
/// thread at a time.
class SphereDistances {
 public:
  explicit SphereDistances(const SpherePairs& pairs);

  void set(const Eigen::VectorXd& position);
  /// No more than any distance of the group.
  double least_of(const SpherePairs::Group& group) const;
  double distance(const SpherePairs::Group& group, int constraint) const;
  /// Adds `slope` times the derivative of a distance, which add_gradient then gives.
  void add_slope(const SpherePairs::Group& group, int constraint, double slope);
  /// Adds what add_slope has gathered since `set`, by the positions.
  void add_gradient(Eigen::VectorXd& by_position);

 private:
  const SpherePairs& pairs_;
  std::vector<Eigen::Isometry3d> poses_;
  std::vector<Eigen::Vector3d> centers_, force_, moment_;
  bool has_slopes_ = false;
};

}  // namespace heft
#pragma GCC visibility pop
