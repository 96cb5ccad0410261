// Distances of all pairs of a model from spheres that cover its hulls: smooth in the positions,
// with cheap derivatives. For searches; results are verified with hulls.
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

/// Returns spheres around the parts of a hull, which is cut by planes across its longest side until
/// no sphere protrudes by more than `overhang` or there are `most`.
std::vector<CoverSphere> sphere_cover(const Hull& hull, double overhang = 0.02, int most = 8);

/// Pairs of spheres that can collide; made once, read by all threads.
class SpherePairs {
 public:
  struct Sphere {
    int body;
    Eigen::Vector3d center;
    double radius;
  };
  /// Constraints begin to end belong to one CollisionPair.
  struct Group {
    int pair = 0, begin = 0, end = 0;
    double surplus = 0;  ///< [m] by which sphere distances are below hull distances where these are
                         ///< small
  };
  struct Constraint {
    int first, second;  ///< indices of spheres; the second belongs to the world if the group's pair
                        ///< does
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

  const CollisionModel* model_ = nullptr;  ///< must outlive this object
  std::vector<Sphere> spheres_;
  std::vector<std::vector<int>> of_link_;  ///< spheres
  std::vector<Group> groups_;
  std::vector<Constraint> constraints_;
};

/// Distances at one posture at a time, and their gradients with respect to the positions. Used by
/// one thread at a time.
class SphereDistances {
 public:
  explicit SphereDistances(const SpherePairs& pairs);

  void set(const Eigen::VectorXd& position);
  /// Returns a lower bound of all distances of the group.
  double least_of(const SpherePairs::Group& group) const;
  double distance(const SpherePairs::Group& group, int constraint) const;
  /// Adds `slope` times the derivative of a distance to the result of add_gradient.
  void add_slope(const SpherePairs::Group& group, int constraint, double slope);
  /// Adds the sum from add_slope since `set` to the gradient with respect to the positions.
  void add_gradient(Eigen::VectorXd& by_position);

 private:
  const SpherePairs& pairs_;
  std::vector<Eigen::Isometry3d> poses_;
  std::vector<Eigen::Vector3d> centers_, force_, moment_;
  bool has_slopes_ = false;
};

}  // namespace heft
#pragma GCC visibility pop
