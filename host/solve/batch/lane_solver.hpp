// The lane kernels as the host sees them: one LaneSolver per instruction set, each compiled in an object file of its
// own.
#pragma once

#include <memory>

#include "solve/plain_problem.hpp"

namespace heft::solver {

/// The memory of one thread for problems of one shape.
class LanePacks {
 public:
  virtual ~LanePacks() = default;
  /// Solves `count` problems, as many side by side as there are lanes.
  virtual void solve(const PlainProblem* problems, int count, const PlainOptions& options,
                     PlainAnswer* answers) = 0;
};

struct LaneSolver {
  const char* name;
  int lanes;
  std::unique_ptr<LanePacks> (*make_packs)(const PlainShape&);
};

extern const LaneSolver kLaneSolverAvx512, kLaneSolverAvx2, kLaneSolverBaseline;

}  // namespace heft::solver
