// Point-mass discretisation of samples: how much a sample's motion counts, and the sums that the
// solver takes.
#pragma once

#include "methods.hpp"

namespace heft::payload {

/// Methods pmd and pmd_weighted, into parameters, objective and certificate of `answer`. A bias is
/// taken off as weighted least squares, `data`, have it: the published norms know none. Errors: a
/// shape without points, gravity that is not known apart from the acceleration, no convergence.
Result<Done> fit_point_masses(const WrenchSamples& samples, const PayloadOptions& options,
                              const PayloadShape& shape, const PayloadLeastSquares& data,
                              PayloadAnswer& answer);

}  // namespace heft::payload
