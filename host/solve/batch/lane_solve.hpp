// A pack of problems from load to answer: ADMM where it is asked for, then the interior point method for the
// lanes without an answer.
#pragma once

#include "host/solve/batch/lane_admm.hpp"
#include "host/solve/batch/lane_interior_point.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

inline void solve_packs(const LaneShape& shape, const LaneProblem* problems, int count,
                        const LaneOptions& options, LaneAnswer* answers) {
  LaneObjective objective(shape);
  LaneAdmm admm(shape, objective);
  LaneInteriorPoint interior_point(shape, objective);
  for (int first = 0; first < count; first += kPack) {
    const int used = count - first < kPack ? count - first : kPack;
    const LaneProblem* lane[kPack];
    // empty lanes repeat the first problem
    for (int l = 0; l < kPack; ++l) lane[l] = &problems[first + (l < used ? l : 0)];
    objective.load(lane);
    if (options.max_admm_iterations > 0) {
      admm.load(lane);
      admm.run(options, used, answers + first);
    }
    if (options.max_newton_steps > 0) interior_point.run(lane, options, used, answers + first);
  }
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
