#pragma once

namespace heft::sisters {

/// -log10 of the chance that chi-squared of `degrees` >= 1 degrees of freedom is above x >= 0; at most 300.
double chi_squared_improbability(double x, int degrees);

/// About its median, by Wilson and Hilferty.
double chi_squared_median(int degrees);

}  // namespace heft::sisters
