// Steps of a solver on the manifold of possible bodies, in coordinates that have no singular places.
//
// The manifold's own steps turn the principal axes (dm, dc, db, dL; heft/core/manifold_chart.hpp). Where two of L are equal the
// turn between them moves nothing, and where they are nearly equal a small change of the body is a large turn: a solver crawls
// there, and priors are often round. A step here is (dm, dc, ds, dL) with ds_k what the moment's product between axes i and j
// becomes, (k, i, j) cyclic:
//
//   Sigma_c <- R (diag(L + dL) + sum_k ds_k (e_i e_j' + e_j e_i')) R'
//
// and R and L of the next point are its eigenvectors and eigenvalues. To first order it is the turn db_k = ds_k / (L_j - L_i);
// the points are the same. A step takes at most nine tenths of the mass, and of the moments in any direction: from zero there is
// no way back, and on the way to an optimum on the boundary nine tenths a step are enough.
#pragma once

#include "heft/charts/chart.hpp"

namespace heft::manifold_steps {

ChartJacobian jacobian(const Eigen::VectorXd& point);

/// sum_k g_k d^2 x_k / dstep^2: of m and c alone, Sigma_c is linear.
Eigen::Matrix<double, 10, 10> bend(const Eigen::VectorXd& point, const BodyParameters& g);

Eigen::VectorXd moved(const Eigen::VectorXd& point, const Eigen::Matrix<double, 10, 1>& step);

}  // namespace heft::manifold_steps
