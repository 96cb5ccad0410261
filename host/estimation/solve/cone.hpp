// The product cone K of problem.hpp: projection, distance to the boundary, units.
#pragma once

#include <Eigen/Core>

#include "heft/solve/problem.hpp"

namespace heft::solver {

/// out = prox of the barrier at v: blockwise nearest point of K where t is zero, prox of -t log det
/// where it is positive (FORMULAS 3). t has one entry per 4x4 block. Does not allocate.
void prox(const ConeShape& cone, const Eigen::VectorXd& v, const Eigen::VectorXd& t,
          Eigen::VectorXd& out);

/// Returns the unit of K: identity matrices, (1, 0 .. 0) and ones.
Eigen::VectorXd cone_unit(const ConeShape& cone);

/// Returns the smallest eigenvalue (or value, for a row) of one block of v.
double least_eigenvalue(const ConeShape& cone, int block, const Eigen::VectorXd& v);

/// Returns the smallest eigenvalue over all blocks; +infinity for an empty cone, NaN if v has NaN.
double least_eigenvalue(const ConeShape& cone, const Eigen::VectorXd& v);

/// Returns log det of one matrix block; NaN unless it is positive definite.
double log_det(const ConeShape& cone, int block, const Eigen::VectorXd& v);

}  // namespace heft::solver
