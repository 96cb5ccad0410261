// The same problem at several prior weights: the curve from which a weight is chosen.
// Threads: any number of threads may call, each with objects of its own; what is const may be shared.
#pragma once

#include <vector>

#include "heft/solve/problem.hpp"
#include "heft/solve/solve_batch.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct WeightSweep {
  std::vector<Problem> problems;    ///< one per weight
  std::vector<Solution> solutions;  ///< in the same order
};

/// Problems that differ in nothing but Prior::weight share a shape, so the weights run side by side in the
/// lanes of solve_batch. Fails on a weight that is not above zero and finite, on a prior of kind none, and
/// where make_problem does.
Result<WeightSweep> sweep_weights(const ParameterLayout& layout, const NormalEquations& equations,
                                  const Prior& prior, const Constraints& constraints,
                                  const std::vector<double>& weights, const BatchOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
