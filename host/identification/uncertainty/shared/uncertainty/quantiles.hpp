// Quantiles of the distributions behind intervals.
#pragma once

#pragma GCC visibility push(default)
namespace heft {

double normal_quantile(double probability);

/// Of Student's t, probability in (0, 1), any number of degrees of freedom above 0 (else infinite):
/// the place where its distribution has that probability; from a hundred degrees on Cornish and
/// Fisher's expansion [Abramowitz, Stegun 1964, 26.7.1 and 26.7.5].
double student_quantile(double probability, double degrees);

}  // namespace heft
#pragma GCC visibility pop
