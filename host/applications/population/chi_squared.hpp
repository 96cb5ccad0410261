#pragma once

namespace heft::population {

/// -log10 of the chance that chi-squared of `degrees` >= 1, which need not be whole, is above x >=
/// 0; at most 300.
double chi_squared_improbability(double x, double degrees);

/// About its median, and the standard normal deviate that x is [Wilson, Hilferty 1931].
double chi_squared_median(double degrees);
double chi_squared_deviate(double x, double degrees);

}  // namespace heft::population
