// The certified answer looked for once more on a chart (heft/solve/solve.hpp), and how the
// two compare.
#pragma once

#include "heft/identify/estimate.hpp"

namespace heft {

/// Errors: those of solve_on_chart.
Result<SecondOpinion> second_opinion(const Problem& problem, const Certificate& certificate,
                                     ChartKind chart);

}  // namespace heft
