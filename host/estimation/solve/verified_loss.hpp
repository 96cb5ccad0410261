// Upper bound on the loss by strong convexity, 1/2 r'Q^-1 r with Q = S'HS, from a factorization in
// double precision whose rounding errors are bounded. A fifth of the time of one in long double.
//
//   M = D Q D with unit diagonal, computed in double:   |M - DQD| <= e1
//   Cholesky of M - s succeeds:                         M - s >= -e2        [Rump 2006]
//   hence                                               DQD >= (s - e1 - e2) =: floor > 0
//   any y, rho = D r - DQD y:   r'Q^-1 r = y'(D r) + y'rho + rho'(DQD)^-1 rho
//                                       <= y'(D r) + y'rho + |rho|^2 / floor
//
// y solves the factored system, so that its errors only widen the bound. rho is computed from the
// exact Q in long double; d >= its rounding error adds 2 d (|rho| + d) / floor + 2 d |y|.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>

#include "heft/solve/problem.hpp"

namespace heft::solver {

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

struct VerifiedLoss {
  long double loss = 0;
  double condition = 0;  ///< of the scaled Hessian, from its Cholesky factor
};

/// Returns a bound that exceeds 1/2 r'Q^-1 r by at most a thousandth of it, a millionth unless Q is
/// nearly singular; nothing if double precision does not suffice for a proof. `H` is the Hessian
/// with entries that are correct to three roundings, `times_Q` multiplies by the exact S'HS.
std::optional<VerifiedLoss> verified_loss(
    const Eigen::MatrixXd& H, const RowSparseMatrix& S, const LongVector& r,
    const std::function<LongVector(const LongVector&)>& times_Q);

}  // namespace heft::solver
