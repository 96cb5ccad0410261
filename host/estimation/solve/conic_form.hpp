// Constraints, prior and layout as one conic form in the physical parameters x, lifted bodies
// included:
//
//   A x + a in K,   E x = e
#pragma once

#include "heft/base/result.hpp"
#include "heft/solve/prior.hpp"
#include "heft/solve/problem.hpp"

namespace heft::solver {

/// Errors: constraints that name unknown bodies or parameters, are not finite, or have lower >
/// upper.
Result<ConicForm> make_conic_form(const ParameterLayout& layout, const NormalEquations& equations,
                                  const Prior& prior, const Constraints& constraints);

/// Returns upper triangular U with U U' = pseudo-inertia of a body:
///   U = [[C, t], [0, s]],   s^2 = m,   s t = h,   C C' = covariance about the center of mass
/// In these coordinates masses and first moments are single variables.
Eigen::Matrix4d upper_factor(const BodyParameters& reference);

/// Returns the matrix of the map pi -> svec(J(pi)).
Eigen::Matrix<double, 10, 10> pseudo_inertia_map();

}  // namespace heft::solver
