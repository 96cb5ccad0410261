// Inverse of the information of rows about the ten parameters, on its range.
#pragma once

#include <array>

#include "heft/moments/normal_equations.hpp"
#include "methods/one_body.hpp"

namespace heft::payload {

struct InformationInverse {
  Matrix10d value = Matrix10d::Zero();  ///< pseudo-inverse, over directions that the rows determine
  int rank = 0;
  std::array<bool, 10> open = {};  ///< parameters with a component in undetermined directions
};

/// Inverts G over seen_directions of it.
InformationInverse inverse_of(const NormalEquations& equations);

}  // namespace heft::payload
