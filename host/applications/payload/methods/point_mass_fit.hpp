// Point-mass discretization of samples: the weight of each sample by its motion, and the sums for
// the solver.
#pragma once

#include "methods.hpp"

namespace heft::payload {

/// Methods pmd and pmd_weighted: write parameters, objective and certificate to `answer`. The bias
/// of weighted least squares, `data`, is subtracted first: the published norms have none. Errors: a
/// shape without points, gravity that is not separate from the acceleration, no convergence.
Result<Done> fit_point_masses(const WrenchSamples& samples, const PayloadOptions& options,
                              const PayloadShape& shape, const PayloadLeastSquares& data,
                              PayloadAnswer& answer);

}  // namespace heft::payload
