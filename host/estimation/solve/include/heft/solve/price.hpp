// What physics costs: how much worse the fit is because bodies must be real, which bodies and
// bounds pay, and which channels carry it. A high price is a diagnosis: a channel that is not a
// torque, or a wrong model. Threads: any number of threads may call, each with objects of its own;
// what is const may be shared.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/solve/problem.hpp"
#include "heft/solve/solution.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct ConstraintPrice {
  std::string name;  ///< "physical link_3", "mass of link_2 <= 3"
  int body = -1;     ///< of the body's own constraint, else -1
  double price = 0;  ///< objective saved per unit of relaxation, in units of the prior: tr(S J0) of
                     ///< a body
};

struct PriceOfPhysics {
  double objective = 0;                      ///< with the constraints, pure numbers
  double unconstrained_objective = 0;        ///< equalities and held bodies kept
  double relative = 0;                       ///< of the unconstrained residual cost
  std::vector<ConstraintPrice> constraints;  ///< dearest first; idle ones have price 0
  std::vector<double> channel_cost;  ///< weighted squared residual per channel over all rows,
                                     ///< constrained
  std::vector<double> unconstrained_channel_cost;
};

/// `channels` are the normal equations of every channel, weighted like the problem's; may be empty.
/// Fails for the entropic prior, which has no unconstrained optimum, and for normal equations of
/// another size.
Result<PriceOfPhysics> price_of_physics(const Problem& problem, const Solution& solution,
                                        const std::vector<NormalEquations>& channels = {});

}  // namespace heft
#pragma GCC visibility pop
