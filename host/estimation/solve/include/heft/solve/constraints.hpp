// What the answer must obey besides fitting the data (FORMULAS 3). All of it is convex: linear
// rows, lengths of linear forms, and matrices linear in the parameters that must be positive
// semidefinite. Threads: plain values: share them for reading; a thread that changes one must own
// it.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "heft/model/parameter_layout.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// sum of coefficient * x[index] + constant.
struct AffineForm {
  std::vector<std::pair<int, double>> terms;
  double constant = 0;
};

/// |tail| <= head, the Euclidean length of one or more affine forms: a second-order cone.
struct SecondOrderConstraint {
  std::string name;
  AffineForm head;
  std::vector<AffineForm> tail;
};

/// What makes a body physical.
enum class Consistency {
  /// Nothing is asked.
  none,
  /// Spatial inertia >= 0 (6x6): mass and energy are not negative [Wensing 2018, Thm 1]; for
  /// comparison.
  semi,
  /// Pseudo-inertia >= 0 (4x4): some distribution of mass has these moments [Wensing 2018, Thm 3].
  full,
};

/// lower <= sum of coefficient * x[index] <= upper; an equality where both are equal.
struct LinearConstraint {
  std::string name;
  std::vector<std::pair<int, double>> terms;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// All mass of the body lies in the union of ellipsoids, each given by its matrix Q_j of
/// ellipsoid_matrix:
///   J = sum_j J_j
///   J_j >= 0
///   tr(J_j Q_j) >= 0
/// One ellipsoid is a linear row ([Wensing 2018] Thm 4); several lift J to its parts J_j (Cor. 2).
struct BoundingVolume {
  int body = 0;
  std::vector<Eigen::Matrix4d> ellipsoids;
};

/// The center of mass c of the body lies in an ellipsoid ([Wensing 2018] Eq. 22):
///   (c - center)' shape^-1 (c - center) <= 1
/// which is a second-order cone, |L^-1 (h - m center)| <= m with L L' = shape.
struct ComEllipsoid {
  int body = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d shape = Eigen::Matrix3d::Identity();  ///< [m^2], R diag(squared semi-axes) R'
};

struct Constraints {
  Consistency consistency = Consistency::full;
  /// Least allowed J relative to the prior: J >= margin * J0. Optimal bodies lie on the boundary of
  /// the cone; this keeps them strictly inside, so that simulators accept them after a change of
  /// frame and a round trip through decimal text. A change of frame loses up to four digits, so
  /// 1e-6 leaves six more; it costs about 1e-8 of the objective.
  double margin = 1e-6;
  bool nonnegative_columns = true;  ///< enforce Column::nonnegative
  std::vector<LinearConstraint> linear;
  std::vector<BoundingVolume> volumes;
  std::vector<ComEllipsoid> com_ellipsoids;
  std::vector<SecondOrderConstraint> second_order;
};

/// Q of an ellipsoid with center xs [m], semi-axes [m] and axes R: the mass of J can lie in it if
/// and only if tr(J Q) >= 0 ([Wensing 2018] Thm 4; FORMULAS 3).
///   Qs = R diag(squared semi-axes) R'
///   Q  = [[-Qs^-1, Qs^-1 xs], [xs' Qs^-1, 1 - xs' Qs^-1 xs]]
Eigen::Matrix4d ellipsoid_matrix(const Eigen::Vector3d& center, const Eigen::Vector3d& semi_axes,
                                 const Eigen::Matrix3d& R = Eigen::Matrix3d::Identity());

/// lower_kg <= mass of the body <= upper_kg [kg]. `body` is an index among the bodies of the
/// layout, here and below; an infinite bound is none. make_problem refuses a lower bound above the
/// upper one.
LinearConstraint mass_bounds(const ParameterLayout& layout, int body, double lower_kg,
                             double upper_kg);

/// The mass of the body equals mass_kg.
LinearConstraint fixed_mass(const ParameterLayout& layout, int body, double mass_kg);

/// The masses of all bodies of the layout, rotors included, add up to mass_kg: a robot on a scale.
LinearConstraint total_mass(const ParameterLayout& layout, double mass_kg);

/// lower <= center of mass <= upper [m], axis by axis in the body's frame: rows h - lower m >= 0
/// and upper m - h >= 0.
std::vector<LinearConstraint> com_box(const ParameterLayout& layout, int body,
                                      const Eigen::Vector3d& lower, const Eigen::Vector3d& upper);

/// Center of mass in {c : A c <= b}, one entry of b per row of A: rows b m - A h >= 0.
std::vector<LinearConstraint> com_polytope(const ParameterLayout& layout, int body,
                                           const Eigen::MatrixX3d& A, const Eigen::VectorXd& b);

}  // namespace heft
#pragma GCC visibility pop
