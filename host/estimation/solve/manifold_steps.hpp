// Steps of a solver on the manifold of physically consistent bodies, in coordinates without
// singularities.
//
// The manifold's own steps rotate the principal axes (dm, dc, db, dL;
// heft/core/manifold_chart.hpp). If two entries of L are equal, rotating between them has no
// effect, and if they are nearly equal a small change of the body is a large rotation: a solver
// crawls there, and priors are often round. A step here is (du, dc, ds, dl), relative to the point:
//
//   m <- m exp(du),   c <- c + dc,   Sigma_c <- R D exp(E) D R',   D = diag(L)^(1/2),
//   E = diag(dl) + sum_k ds_k (e_i e_j' + e_j e_i'), (k, i, j) cyclic
//
// and R and L of the next point are eigenvectors and eigenvalues. To first order it is the rotation
// db_k = sqrt(L_i L_j) ds_k / (L_j - L_i); the points are the same. No step leaves the physically
// consistent bodies, and near an optimum on their boundary it is a Newton step in the exponent.
#pragma once

#include "heft/charts/chart.hpp"

namespace heft::manifold_steps {

ChartJacobian jacobian(const Eigen::VectorXd& point);

/// sum_k g_k d^2 x_k / dstep^2.
Eigen::Matrix<double, 10, 10> bend(const Eigen::VectorXd& point, const BodyParameters& g);

Eigen::VectorXd moved(const Eigen::VectorXd& point, const Eigen::Matrix<double, 10, 1>& step);

}  // namespace heft::manifold_steps
