// Quantiles of the distributions behind intervals.
#pragma once

#pragma GCC visibility push(default)
namespace heft {

double normal_quantile(double probability);

/// Student's t from the normal quantile: Cornish and Fisher's expansion, right to 1e-4 from ten degrees of
/// freedom on, to a percent from three [Abramowitz, Stegun 1964, 26.7.5].
double student_quantile(double probability, double degrees);

}  // namespace heft
#pragma GCC visibility pop
