// Error bars of base quantities together with the noise that they come from.
#pragma once

#include <vector>

#include "block_noise.hpp"
#include "heft/uncertainty/uncertainty.hpp"

namespace heft {

/// Error bars, and the noise for the spread of other functionals.
struct BarsAndNoise {
  ErrorBars bars;
  BlockNoise noise;
};

/// Returns what error_bars returns, and the noise.
Result<BarsAndNoise> bars_and_noise(const std::vector<NormalEquations>& blocks,
                                    const BaseQuantities& quantities,
                                    const ErrorBarOptions& options);

}  // namespace heft
