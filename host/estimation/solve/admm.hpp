// Operator splitting for Problem (alternating direction method of multipliers).
#pragma once

#include "heft/solve/solve.hpp"

namespace heft::solver {

/// minimize 1/2 y'Qy + c'y (+ barrier) subject to F y + g = s in K, as the fixed point of one
/// variable v:
///   s  = prox(v)                          nearest point of the cone;
///                                         lambda = rho (s - v) lies in K*
///   y  = (Q + rho F'F)^-1 (rho F'(2 s - v - g) - c)
///   v <- v + relaxation (F y + g - s)     through Anderson acceleration
/// Starts from the prior. Stops by the gap of duality.hpp. Does not allocate while the penalty is
/// constant.
Solution solve_admm(const Problem& problem, const SolveOptions& options);

}  // namespace heft::solver
