#include "information.hpp"

#include <algorithm>

#include "linalg/seen_directions.hpp"

namespace heft::payload {

InformationInverse inverse_of(const NormalEquations& equations) {
  constexpr double kRankCut = 1e-12;  // relative size of eigenvalues due to rounding
  const SeenDirections seen = seen_directions(equations.G, kRankCut);
  InformationInverse inverse{.value = seen.inverse(), .rank = static_cast<int>(seen.rank())};
  std::copy(seen.open.begin(), seen.open.end(), inverse.open.begin());
  return inverse;
}

}  // namespace heft::payload
