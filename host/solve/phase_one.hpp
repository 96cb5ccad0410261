// Can the constraints be met at all? If not, which ones contradict each other?
#pragma once

#include <string>
#include <vector>

#include "heft/problem.hpp"

namespace heft::solver {

struct Feasibility {
  bool infeasible = false;  ///< proven by multipliers, see phase_one
  double needed = 0;  ///< least relaxation that makes all constraints hold, scaled units; < 0: room to spare
  std::vector<std::string> conflicts;  ///< constraints with a multiplier, bodies' own included
};

/// Elastic problem: minimise t subject to F y + g + t unit in K, t >= -1. Where the least t is positive, its
/// multipliers are a proof (Farkas): F'lambda = 0 and g'lambda < 0 with lambda in K*, so no y can do.
Feasibility phase_one(const Problem& problem);

}  // namespace heft::solver
