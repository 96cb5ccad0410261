#pragma once

namespace heft::population {

/// Returns -log10 of the probability that chi-squared with `degrees` >= 1, not necessarily an
/// integer, exceeds x >= 0; at most 300.
double chi_squared_improbability(double x, double degrees);

/// Returns the approximate median, and the standard normal deviate of x [Wilson, Hilferty 1931].
double chi_squared_median(double degrees);
double chi_squared_deviate(double x, double degrees);

}  // namespace heft::population
