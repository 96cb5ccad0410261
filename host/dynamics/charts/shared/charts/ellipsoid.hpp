// Whether mass inside an ellipsoid can form a body, with the margin and the point masses that form
// it. FORMULAS 4; [Wensing, Kim, Slotine 2018], Thm 4 and Fig. 3.
//
//   S = {x : (x - xs)' Qs^-1 (x - xs) <= 1},
//     Q = [[-Qs^-1, Qs^-1 xs], [xs' Qs^-1, 1 - xs' Qs^-1 xs]]
//
//   J >= 0 and tr(J Q) >= 0   <=>   some mass within S has the moments J
//
// Q is ellipsoid_matrix of heft/solve/problem.hpp. Threads: stateless; safe to call from several
// threads.
#pragma once

#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns tr(J Q) / m = 1 - (c - xs)' Qs^-1 (c - xs) - tr(Qs^-1 Sigma_c) / m, with Sigma_c the
/// second moments about the center of mass: 1 for a point mass at the center of S, 0 if all mass
/// must be on its surface, negative if mass must be outside; NaN for a massless body.
double ellipsoid_margin(const BodyParameters& parameters, const Eigen::Matrix4d& Q);

/// A point mass.
struct PointMass {
  double mass = 0;                                  ///< [kg]
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< [m]
};

/// Returns at most four point masses within S that have the moments of the body: with J = F F',
/// columns of F are rotated in pairs until v_i' Q v_i = tr(J Q) / 4 for all [Sturm, Zhang 2003];
/// then v_i is the mass v_i4^2 at (v_i1, v_i2, v_i3) / v_i4, all at one level of S. Error: a body
/// that is impossible, is massless, or does not fit in S.
Result<std::vector<PointMass>> masses_within(const BodyParameters& parameters,
                                             const Eigen::Matrix4d& Q);

}  // namespace heft
#pragma GCC visibility pop
