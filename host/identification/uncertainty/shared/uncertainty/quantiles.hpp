// Quantiles of the distributions used for intervals.
#pragma once

#pragma GCC visibility push(default)
namespace heft {

/// Returns the quantile of the standard normal distribution.
double normal_quantile(double probability);

/// Returns the quantile of Student's t for a probability in (0, 1) and any positive number of
/// degrees of freedom (otherwise infinite); from a hundred degrees of freedom on by the
/// Cornish-Fisher expansion [Abramowitz, Stegun 1964, 26.7.1 and 26.7.5].
double student_quantile(double probability, double degrees);

}  // namespace heft
#pragma GCC visibility pop
