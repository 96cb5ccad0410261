// What every fault promises, told from the derivatives of the residual alone: which of many are worth a search.
//
// With r the weighted residuals of the answer, d their derivatives by the size s of a fault and Y the rows, the objective is
// close to
//
//   1/2 |r + d s - Y dx|^2 + prior,   least over dx:   g s + 1/2 h s^2,   g = d'r,   h = d'd - (Y'd)' H^-1 (Y'd)
//
// with H the Hessian of the problem, cones left aside: they only make it promise more. One pass over the rows serves all
// faults: no sums of products, no solving.
#pragma once

#include <vector>

#include "profile.hpp"

namespace heft {

struct Promise {
  double size = 0;  ///< at which the objective would be least, within the fault's range
  double fall = 0;  ///< by which it would fall
};

/// One a fault, in their order. `answer` and `problem` are those of Profile::explain_as_it_is. Errors: the backend's.
Result<std::vector<Promise>> scan(const Profile& profile, const Faults& faults, const Explained& answer,
                                  const Problem& problem);

}  // namespace heft
