// Eigendecomposition of many small symmetric matrices at once: one matrix per SIMD lane, cyclic Jacobi
// rotations.
//
// A lane that has converged stands still, so a block's result does not depend on its neighbours.
#pragma once

namespace heft::solver {

inline constexpr int kLanes = 8;  ///< doubles in an AVX-512 register; two AVX2 or four SSE registers

/// kLanes symmetric 4x4 matrices, structure of arrays: entry k of svec order (column-wise lower triangle,
/// without the factor sqrt 2) of lane l at matrix[k][l].
struct alignas(64) SymmetricLanes {
  double matrix[10][kLanes];
};

/// Eigenvalues d[i][l] (unordered) and unit eigenvectors, vector[4 * i + r][l] = component r of the i-th.
struct alignas(64) EigenLanes {
  double value[4][kLanes];
  double vector[16][kLanes];
};

/// A = V diag(d) V' to rounding error for finite matrices; NaN in a lane stays in that lane.
void symmetric_eigen(const SymmetricLanes& A, EigenLanes& result);

/// out_i = V diag(f(d)) V' with f(d) = (d + sqrt(d^2 + 4 t_i)) / 2 for `count` svec blocks of length 10 in a
/// row. t_i = 0 is the nearest positive semidefinite matrix (Frobenius), t_i > 0 the prox of -t_i log det.
/// `in` may be `out`.
void prox_blocks4(const double* in, const double* t, int count, double* out);

}  // namespace heft::solver
