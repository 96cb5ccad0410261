// Can the constraints be met at all? If not, which ones contradict each other?
#pragma once

#include <string>
#include <vector>

#include "heft/solve/problem.hpp"

namespace heft::solver {

struct Feasibility {
  bool infeasible = false;  ///< proven by multipliers, see phase_one
  /// Least relaxation t that makes all constraints hold, in scaled units; < 0: room to spare.
  double needed = 0;
  std::vector<std::string> conflicts;  ///< constraints with a multiplier, bodies' own included
};

/// Solves the elastic problem
///   minimize t   subject to   F y + g + t unit in K,   t >= -1
/// Where the least t is positive, its multipliers lambda in K* are a proof (Farkas) that no y can
/// do:
///   F'lambda = 0,   g'lambda < 0
Feasibility phase_one(const Problem& problem);

}  // namespace heft::solver
