// The semismooth Newton method of plain problems as the host sees it: one LaneSolver per instruction set, each compiled in an
// object file of its own.
#pragma once

#include <memory>

#include "solve/plain_problem.hpp"

namespace heft::solver {

/// The memory of one thread for problems of one shape.
class PlainSolver {
 public:
  virtual ~PlainSolver() = default;
  virtual void solve(const PlainProblem* problems, int count, const PlainOptions& options,
                     PlainAnswer* answers) = 0;
};

struct LaneSolver {
  const char* name;
  int lanes;
  std::unique_ptr<PlainSolver> (*many)(const PlainShape&);  ///< a lane a problem
  std::unique_ptr<PlainSolver> (*alone)(
      const PlainShape&);  ///< one after the other, lanes along the columns of matrices
};

extern const LaneSolver kLaneSolverAvx512, kLaneSolverAvx2, kLaneSolverBaseline;

/// The widest that this machine runs.
const LaneSolver& lane_solver();

}  // namespace heft::solver
