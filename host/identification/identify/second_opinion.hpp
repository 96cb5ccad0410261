// Solves for the certified answer a second time on a chart (heft/solve/solve.hpp), and compares
// both.
#pragma once

#include "heft/identify/estimate.hpp"

namespace heft {

/// Errors: those of solve_on_chart.
Result<SecondOpinion> second_opinion(const Problem& problem, const Certificate& certificate,
                                     ChartKind chart);

}  // namespace heft
