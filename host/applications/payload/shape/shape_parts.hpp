// A shape of several parts, each of one material: a wooden handle, a steel head.
#pragma once

#include "heft/payload/payload.hpp"
#include "methods/one_body.hpp"

namespace heft::payload {

/// Shapes of the parts put together. With all densities their masses are known; else data say what
/// they are, within the limits of each. Error: no parts.
Result<PayloadShape> of_parts(const std::vector<PayloadShape>& parts,
                              const PayloadPriorOptions& options);

/// The shape with its parts as heavy as fits the rows best, each within its limits. There must be
/// parts.
PayloadShape with_matched_parts(const PayloadShape& shape, const WeightedSums& sums);

}  // namespace heft::payload
