// Components of a LaneSolver, for the object file of an instruction set.
#pragma once

#include <cmath>
#include <cstddef>

#include "lane_semismooth.hpp"
#include "lane_solver.hpp"
#include "lane_sums.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

template <class Side>
class PlainSolverOf final : public PlainSolver {
 public:
  explicit PlainSolverOf(const PlainShape& shape) : semismooth_(shape) {}

  void solve(const PlainProblem* problems, int count, const PlainOptions& options,
             PlainAnswer* answers) override {
    semismooth_.run(problems, count, options, answers);
  }

 private:
  LaneSemismooth<Side> semismooth_;
};

template <class Side>
std::unique_ptr<PlainSolver> make_plain_solver(const PlainShape& shape) {
  return std::make_unique<PlainSolverOf<Side>>(shape);
}

/// LaneSolver::is_positive_definite
inline bool is_positive_definite(const double* A, std::ptrdiff_t stride, int size) {
  constexpr int kTile = Alone::kTile;
  if (size == 0) return true;
  LowerTiles<Alone> L(size);
  for (int j = 0; j < size; ++j) {
    for (int I = j / kTile; I < L.num_tiles(); ++I) {
      const double* const from = A + j * stride + I * kTile;
      double* const to = reinterpret_cast<double*>(L.tile(I, j / kTile) + j % kTile);
      for (int r = 0; r < kTile && I * kTile + r < size; ++r) to[r] = from[r];
    }
  }
  cholesky(L, L);
  return std::isfinite(L.at(size - 1, size - 1));  // after a pivot that is not positive, all is NaN
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
