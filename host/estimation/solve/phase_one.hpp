// Determines whether the constraints are feasible, and otherwise which ones contradict each other.
#pragma once

#include <string>
#include <vector>

#include "heft/solve/problem.hpp"

namespace heft::solver {

struct Feasibility {
  bool infeasible = false;  ///< proven by multipliers, see phase_one
  /// Smallest relaxation t that makes all constraints feasible, in scaled units; < 0: strictly
  /// feasible.
  double needed = 0;
  std::vector<std::string> conflicts;  ///< constraints with a multiplier, including bodies' own
};

/// Solves the elastic problem
///   minimize t   subject to   F y + g + t unit in K,   t >= -1
/// If the smallest t is positive, its multipliers lambda in K* prove infeasibility (Farkas):
///   F'lambda = 0,   g'lambda < 0
Feasibility phase_one(const Problem& problem);

}  // namespace heft::solver
