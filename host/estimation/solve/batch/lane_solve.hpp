// Components of a LaneSolver, for the object file of an instruction set.
#pragma once

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

}  // namespace heft::solver::HEFT_SOLVE_TARGET
