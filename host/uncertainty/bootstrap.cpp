#include "bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"
#include "heft/solve/solve_batch.hpp"

namespace heft {

namespace {

constexpr int kBatch = 32;  ///< problems in memory at a time: megabytes each for a humanoid

/// Sum of as many blocks as there are, each drawn at random.
NormalEquations resample(const std::vector<NormalEquations>& blocks, RandomStream& random) {
  std::vector<double> counts(blocks.size());
  for (std::size_t k = 0; k < blocks.size(); ++k)
    counts[static_cast<std::size_t>(random.uniform() * static_cast<double>(blocks.size()))] += 1;
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
                                  const Prior& prior, const Constraints& constraints,
                                  const SolveOptions& solving, int num_resamples, const Progress& progress) {
  RandomStream random(1);
  Eigen::MatrixXd answers(layout.num_parameters(), num_resamples);
  Eigen::Index num_solved = 0;
  for (int first = 0; first < num_resamples; first += kBatch) {
    HEFT_CHECK(report_progress(progress, "intervals", static_cast<double>(first) / num_resamples));
    std::vector<Problem> problems;
    for (int i = first; i < std::min(first + kBatch, num_resamples); ++i) {
      HEFT_TRY(problem, make_problem(layout, resample(blocks, random), prior, constraints));
      problems.push_back(std::move(problem));
    }
    HEFT_TRY(solutions, solve_batch(problems, {.solve = solving}));
    for (const Solution& solution : solutions)
      if (solution.status == SolveStatus::optimal)
        answers.col(num_solved++) = solution.x.head(layout.num_parameters());
  }
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
