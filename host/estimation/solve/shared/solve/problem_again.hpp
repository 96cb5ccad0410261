// Further problems of data that a problem was made of.
#pragma once

#include "heft/solve/problem.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Does what make_problem does, for normal equations that it has accepted with another prior or
/// other constraints: they are not checked again.
Result<Problem> make_problem_again(const ParameterLayout& layout, const NormalEquations& equations,
                                   const Prior& prior, const Constraints& constraints);

}  // namespace heft
#pragma GCC visibility pop
