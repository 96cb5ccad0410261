// The inverse of what rows tell about the ten parameters, where they tell anything.
#pragma once

#include <array>

#include "heft/moments/normal_equations.hpp"
#include "methods/one_body.hpp"

namespace heft::payload {

struct InformationInverse {
  Matrix10d value = Matrix10d::Zero();  ///< pseudo-inverse, over what the rows see
  int rank = 0;
  std::array<bool, 10> open = {};  ///< parameters with a part in directions that the rows leave
                                   ///< open
};

/// Of G, seen_directions of it.
InformationInverse inverse_of(const NormalEquations& equations);

}  // namespace heft::payload
