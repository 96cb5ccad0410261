// A shape of several parts with one material each, such as a wooden handle and a steel head.
#pragma once

#include "heft/payload/payload.hpp"
#include "methods/one_body.hpp"

namespace heft::payload {

/// Combines the shapes of the parts. If all densities are given their masses are known; otherwise
/// the data determine them within the limits of each. Error: no parts.
Result<PayloadShape> of_parts(const std::vector<PayloadShape>& parts,
                              const PayloadPriorOptions& options);

/// Returns the shape with the part masses that fit the rows best, each within its limits. Requires
/// at least one part.
PayloadShape with_matched_parts(const PayloadShape& shape, const WeightedSums& sums);

}  // namespace heft::payload
