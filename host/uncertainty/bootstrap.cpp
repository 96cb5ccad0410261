#include "bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"

namespace heft {

namespace {

/// How often each of the blocks is drawn, as many draws as there are blocks.
std::vector<int> draw(std::size_t num_blocks, RandomStream& random) {
  std::vector<int> counts(num_blocks);
  for (std::size_t k = 0; k < num_blocks; ++k)
    counts[static_cast<std::size_t>(random.uniform() * static_cast<double>(num_blocks))] += 1;
  return counts;
}

NormalEquations resample(const std::vector<NormalEquations>& blocks, const std::vector<int>& counts) {
  NormalEquations sum{Eigen::MatrixXd::Zero(blocks[0].G.rows(), blocks[0].G.cols()),
                      Eigen::VectorXd::Zero(blocks[0].b.size())};
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (counts[k] == 0) continue;
    sum.G += counts[k] * blocks[k].G;
    sum.b += counts[k] * blocks[k].b;
    sum.tau2 += counts[k] * blocks[k].tau2;
    sum.num_rows += counts[k] * blocks[k].num_rows;
  }
  return sum;
}

}  // namespace

Result<Eigen::MatrixXd> bootstrap(const ParameterLayout& layout, const std::vector<NormalEquations>& blocks,
                                  const Prior& prior, const Constraints& constraints, const Solving& solving,
                                  int num_resamples) {
  RandomStream random(1);
  std::vector<std::vector<int>> draws;
  for (int k = 0; k < num_resamples; ++k) draws.push_back(draw(blocks.size(), random));
  const auto make = [&](int k) {
    return make_problem(layout, resample(blocks, draws[static_cast<std::size_t>(k)]), prior, constraints);
  };
  const Progress progress = [&](const std::string&, double fraction) {
    return !solving.progress || solving.progress("intervals", fraction);
  };
  HEFT_TRY(solutions,
           solving.executor.solve_made("intervals", num_resamples, make, solving.options, progress));
  Eigen::MatrixXd answers(layout.num_parameters(), num_resamples);
  Eigen::Index num_solved = 0;
  for (const Solution& solution : solutions)
    if (solution.status == SolveStatus::optimal)
      answers.col(num_solved++) = solution.x.head(layout.num_parameters());
  return answers.leftCols(num_solved).eval();
}

Interval percentile_interval(const Eigen::VectorXd& sample, double confidence) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double fraction) {
    const double place = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
  };
  return {at(0.5 * (1 - confidence)), at(0.5 * (1 + confidence))};
}

}  // namespace heft
