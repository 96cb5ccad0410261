// The convex problem of FORMULAS 3 in two coordinate systems, and its constraints.
//
// Physical coordinates, in SI units, from which certificates are computed (ConicForm):
//
//   x = [pi_1 .. pi_nb | extra columns | lifted]
//   A x + a in K,   E x = e
//
// Solver coordinates:
//
//   minimize 1/2 y'Qy + c'y + constant   subject to   F y + g in K
//   x = x_offset + T y
//
// For good conditioning, every body is scaled by congruence with its prior and every extra column
// to unit curvature; then the equalities are eliminated:
//
//   z_i = svec(U_i^-1 J_i U_i^-T),   U_i U_i' = J0_i,   x = S z
//
// K is a product in fixed order: 4x4 semidefinite blocks, 6x6 semidefinite blocks, second-order
// cones, nonnegative rows. Matrices are isometric svec blocks (host/estimation/solve/svec.hpp), so
// inner products of vectors are traces of products of matrices. Threads: safe to call from several
// threads on separate objects; const objects may be shared.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/moments/normal_equations.hpp"
#include "heft/solve/prior.hpp"

#pragma GCC visibility push(default)
namespace heft {

// constraints of the estimate (FORMULAS 3), all convex: linear rows, lengths of linear forms, and
// positive semidefinite matrices that are linear in the parameters

/// The affine form: sum of coefficient * x[index] + constant.
struct AffineForm {
  std::vector<std::pair<int, double>> terms;
  double constant = 0;
};

/// A second-order cone: |tail| <= head, with the Euclidean length of one or more affine forms.
struct SecondOrderConstraint {
  std::string name;
  AffineForm head;
  std::vector<AffineForm> tail;
};

/// Conditions for a body to be physically consistent.
enum class Consistency {
  /// No condition.
  none,
  /// Spatial inertia >= 0 (6x6): mass and energy are not negative [Wensing 2018, Thm 1]; for
  /// comparison.
  semi,
  /// Pseudo-inertia >= 0 (4x4): some mass distribution has these moments [Wensing 2018, Thm 3].
  full,
};

/// Bounds on a linear form: lower <= sum of coefficient * x[index] <= upper; an equality if both
/// are equal.
struct LinearConstraint {
  std::string name;
  std::vector<std::pair<int, double>> terms;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// Requires all mass of the body to lie in the union of ellipsoids, each given by its matrix Q_j of
/// ellipsoid_matrix:
///   J = sum_j J_j
///   J_j >= 0
///   tr(J_j Q_j) >= 0
/// One ellipsoid is a linear row ([Wensing 2018] Thm 4); several lift J to its parts J_j (Cor. 2).
struct BoundingVolume {
  int body = 0;
  std::vector<Eigen::Matrix4d> ellipsoids;
};

/// Requires the center of mass c of the body to lie in an ellipsoid ([Wensing 2018] Eq. 22):
///   (c - center)' shape^-1 (c - center) <= 1
/// This is a second-order cone, |L^-1 (h - m center)| <= m with L L' = shape.
struct ComEllipsoid {
  int body = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d shape = Eigen::Matrix3d::Identity();  ///< [m^2], R diag(squared semi-axes) R'
};

/// All constraints of a problem.
struct Constraints {
  Consistency consistency = Consistency::full;
  /// Lower bound of J relative to the prior: J >= margin * J0. Optimal bodies lie on the boundary
  /// of the cone; the margin keeps them strictly inside, so that simulators accept them after a
  /// change of frame and a round trip through decimal text. A change of frame loses up to four
  /// digits, so 1e-6 leaves six more; the cost is about 1e-8 of the objective.
  double margin = 1e-6;
  bool nonnegative_columns = true;  ///< enforce Column::nonnegative
  std::vector<LinearConstraint> linear;
  std::vector<BoundingVolume> volumes;
  std::vector<ComEllipsoid> com_ellipsoids;
  std::vector<SecondOrderConstraint> second_order;
};

/// Returns the matrix Q of an ellipsoid with center xs [m], semi-axes [m] and axes R. The mass of J
/// can lie in the ellipsoid if and only if tr(J Q) >= 0 ([Wensing 2018] Thm 4; FORMULAS 3).
///   Qs = R diag(squared semi-axes) R'
///   Q  = [[-Qs^-1, Qs^-1 xs], [xs' Qs^-1, 1 - xs' Qs^-1 xs]]
Eigen::Matrix4d ellipsoid_matrix(const Eigen::Vector3d& center, const Eigen::Vector3d& semi_axes,
                                 const Eigen::Matrix3d& R = Eigen::Matrix3d::Identity());

/// Returns lower_kg <= mass of the body <= upper_kg [kg]. `body` is an index among the bodies of
/// the layout, also in the functions below. Infinite bounds have no effect. make_problem rejects a
/// lower bound above the upper one.
LinearConstraint mass_bounds(const ParameterLayout& layout, int body, double lower_kg,
                             double upper_kg);

/// Returns the constraint that the body's mass equals mass_kg.
LinearConstraint fixed_mass(const ParameterLayout& layout, int body, double mass_kg);

/// Returns the constraint that the masses of all bodies of the layout, including rotors, add up to
/// mass_kg: a weighed robot.
LinearConstraint total_mass(const ParameterLayout& layout, double mass_kg);

/// Returns the constraints lower <= center of mass <= upper [m], axis by axis in the body's frame:
/// rows h - lower m >= 0 and upper m - h >= 0.
std::vector<LinearConstraint> com_box(const ParameterLayout& layout, int body,
                                      const Eigen::Vector3d& lower, const Eigen::Vector3d& upper);

/// Returns the constraints that the center of mass is in {c : A c <= b}, one entry of b per row of
/// A: rows b m - A h >= 0.
std::vector<LinearConstraint> com_polytope(const ParameterLayout& layout, int body,
                                           const Eigen::MatrixX3d& A, const Eigen::VectorXd& b);

using RowSparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// The kinds of blocks of a product cone.
enum class ConeKind { psd4, psd6, second_order, row };

/// Shape of the product cone K = (S4+)^num_psd4 x (S6+)^num_psd6 x Q_n1 x Q_n2 .. x (R+)^num_rows
/// with the second-order cones Q_n = {(t, u) in R^n : |u| <= t}.
struct ConeShape {
  static constexpr int kSize4 = 10, kSize6 = 21;  ///< svec lengths

  int num_psd4 = 0;
  int num_psd6 = 0;
  int num_rows = 0;
  std::vector<int> second_order = {};  ///< n of every Q_n, two or more

  int num_second_order() const { return static_cast<int>(second_order.size()); }
  int psd6_begin() const { return kSize4 * num_psd4; }
  int second_order_begin() const { return psd6_begin() + kSize6 * num_psd6; }
  int rows_begin() const;
  int size() const { return rows_begin() + num_rows; }
  int first_second_order() const { return num_psd4 + num_psd6; }  ///< index among the blocks
  int first_row() const { return first_second_order() + num_second_order(); }  ///< the same
  int num_blocks() const { return first_row() + num_rows; }
  ConeKind block_kind(int block) const;
  int block_begin(int block) const;
  int block_size(int block) const;
  /// Returns the barrier parameter of K, where a second-order cone counts 1 and has the product
  /// (s'z, s0 z1 + z0 s1).
  int degree() const { return 4 * num_psd4 + 6 * num_psd6 + num_second_order() + num_rows; }
};

/// The constraints in physical parameters, extended by the lifted bodies of unions of ellipsoids.
struct ConicForm {
  int num_parameters = 0;        ///< length of x without the lifted part
  int num_lifted = 0;            ///< number of bodies appended to x, ten numbers each
  std::vector<int> lifted_body;  ///< for each lifted body, the body that it is a part of

  ConeShape cone;
  RowSparseMatrix A;
  Eigen::VectorXd a;
  std::vector<std::string> block_names;      ///< name per block of K: "physical link_3", "mass of
                                             ///< link_2 <= 3"
  std::vector<int> block_body;               ///< body whose own J is the block, else -1
  std::vector<Eigen::MatrixXd> block_scale;  ///< congruence factor of a matrix block, 1x1 unit of a
                                             ///< second-order cone; empty for rows

  RowSparseMatrix E;
  Eigen::VectorXd e;
  std::vector<std::string> equality_names;

  int size() const { return num_parameters + 10 * num_lifted; }
};

/// The convex problem in physical and solver coordinates.
struct Problem {
  // physical coordinates
  ParameterLayout layout;
  NormalEquations data;
  Prior prior;
  Consistency consistency = Consistency::full;
  ConicForm physical;

  // solver coordinates
  Eigen::MatrixXd Q;
  Eigen::VectorXd c;
  double constant = 0;
  ConeShape cone;
  RowSparseMatrix F;
  Eigen::VectorXd g;
  double barrier_weight = 0;  ///< entropic prior: - barrier_weight * log det of the marked blocks
  std::vector<bool> has_barrier;      ///< one per 4x4 block
  bool is_strongly_convex = false;    ///< Q is positive definite in working precision
  bool has_orthonormal_rows = false;  ///< F F' = 1: every slack is one variable, as in a plain
                                      ///< problem
  Eigen::VectorXd start;              ///< the prior in solver coordinates

  // maps between the coordinates
  RowSparseMatrix S;  ///< x = S z: congruence per body, curvature per extra column, before the
                      ///< elimination
  RowSparseMatrix T;
  Eigen::VectorXd x_offset;
  Eigen::VectorXd row_scale;  ///< physical row = row_scale * solver row, for the rows of K

  int num_unseen = 0;  ///< without a prior: number of directions of x that the data do not
                       ///< determine
  std::vector<std::string> notes;  ///< notes for readers of the result

  /// Replaces the data and keeps the scales; allocates no memory with the metric prior. Errors:
  /// those of validate_entries() (definiteness of G is not checked); a problem with eliminated
  /// equalities, or data that no longer affect a column, for which a new problem must be made.
  Result<Done> update(const NormalEquations& equations);

  int num_variables() const { return static_cast<int>(c.size()); }

  /// Returns the objective without barrier terms, dimensionless.
  double quadratic(const Eigen::VectorXd& y) const;
  /// Returns the physical parameters including the lifted part.
  Eigen::VectorXd extended_parameters(const Eigen::VectorXd& y) const;
};

/// Makes a problem in both coordinate systems. Errors: invalid normal equations, constraints on
/// parameters that do not exist, numbers that are not finite, contradictory equalities (the error
/// names them).
Result<Problem> make_problem(const ParameterLayout& layout, const NormalEquations& equations,
                             const Prior& prior, const Constraints& constraints = {});

}  // namespace heft
#pragma GCC visibility pop
