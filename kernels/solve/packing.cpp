#include "packing.hpp"

#include <algorithm>
#include <cstddef>

namespace heft::cuda {

namespace {

/// Entry (i, j) in the order of the kernels, padded with the unit matrix.
double padded_entry(const solver::PlainProblem& problem, int n, int i, int j) {
  if (i >= n || j >= n) return i == j;
  return problem.sign[i] * problem.sign[j] *
         problem.Q[static_cast<std::ptrdiff_t>(problem.order[i]) * n + problem.order[j]];
}

}  // namespace

ProblemShape problem_shape(const solver::PlainShape& shape) {
  return {shape.num_variables, shape.num_conic, shape.num_psd4};
}

void pack(const solver::PlainProblem& problem, const ProblemShape& shape, double* memory) {
  const PackedProblem packed(shape, memory);
  const int n = shape.num_variables;
  const TiledMatrix Q{packed.Q, shape.num_tiles()};
  std::fill_n(packed.Q, Q.size(), 0.0);
  for (int I = 0; I < Q.num_tiles; ++I) {
    for (int J = 0; J <= I; ++J) {
      double* const tile = Q.tile(I, J);
      for (int r = 0; r < kTileSize; ++r) {
        for (int c = 0; c < kTileSize; ++c)
          tile[kTileSize * c + r] = padded_entry(problem, n, kTileSize * I + r, kTileSize * J + c);
      }
    }
  }
  const auto vector = [&](const double* from, double* to) {
    std::fill(std::copy_n(from, n, to), to + shape.padded(), 0.0);
  };
  vector(problem.c, packed.c);
  vector(problem.shift, packed.shift);
  vector(problem.ridge, packed.weight);
  vector(problem.ridge_center, packed.center);
  packed.scalars[0] = problem.constant;
  packed.scalars[1] = problem.least_cost;
  packed.scalars[2] = problem.penalty;
}

void unpack(double* memory, const ProblemShape& shape, solver::PlainAnswer& answer) {
  const PackedAnswer packed(shape, memory);
  answer.converged = packed.scalars[0] == 1;
  answer.steps = static_cast<int>(packed.scalars[1]);
  if (!answer.converged) return;
  answer.objective = packed.scalars[2];
  answer.gap = packed.scalars[3];
  std::copy_n(packed.y, shape.num_variables, answer.y);
  std::copy_n(packed.lambda, shape.num_conic, answer.lambda);
}

}  // namespace heft::cuda
