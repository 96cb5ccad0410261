// Random problems for tests of batches.
#pragma once

#include <vector>

#include "heft/solve/prior.hpp"
#include "heft/solve/problem.hpp"
#include "tests/solve/test_support.hpp"

namespace heft::test {

struct RandomProblems {
  unsigned seed;
  int num_bodies, num_columns;  ///< of most problems
  int num_rows;                 ///< summed into the normal equations
  double least_prior_weight;    ///< of every other problem; of the rest, 1e-2
  int entropic = -1;            ///< index of the problem whose prior is entropic; -1: none
  double true_column = 0.1;     ///< of the data; below zero, the columns' signs are at their bounds
};

/// Arms of three shapes, data from rich to poor: every fifth has two bodies, every seventh no
/// columns.
inline std::vector<Problem> random_problems(int count, const RandomProblems& kind) {
  Random random(kind.seed);
  std::vector<Problem> problems;
  for (int k = 0; k < count; ++k) {
    const int num_bodies = k % 5 == 4 ? 2 : kind.num_bodies,
              num_columns = k % 7 == 6 ? 0 : kind.num_columns;
    const ParameterLayout layout = make_layout(num_bodies, num_columns);
    const int P = layout.num_parameters();
    std::vector<BodyParameters> references;
    Eigen::VectorXd truth = Eigen::VectorXd::Constant(P, kind.true_column);
    for (int body = 0; body < num_bodies; ++body) {
      references.push_back(random.body());
      truth.segment<10>(10 * body) = random.body();
    }
    const auto equations = random_equations(random, truth, kind.num_rows, P / (1 + k % 3), 0.3);
    PriorOptions options;
    options.weight = k % 2 == 0 ? 1e-2 : kind.least_prior_weight;
    if (k == kind.entropic) options.kind = PriorKind::entropic;
    problems.push_back(*make_problem(layout, equations, *make_prior(layout, references, options)));
  }
  return problems;
}

}  // namespace heft::test
