#include "bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"
#include "solve/problem_again.hpp"
#include "solve/solve_resampled.hpp"

namespace heft {

namespace {

constexpr const char* kPurpose = "intervals";

/// Number of times that each block is drawn, with as many draws as blocks: blocks x resamples.
Eigen::MatrixXi drawn(std::size_t num_blocks, int num_resamples) {
  RandomStream random(1);
  Eigen::MatrixXi counts =
      Eigen::MatrixXi::Zero(static_cast<Eigen::Index>(num_blocks), num_resamples);
  for (int k = 0; k < num_resamples; ++k)
    for (std::size_t draw = 0; draw < num_blocks; ++draw)
      counts(static_cast<Eigen::Index>(random.uniform() * static_cast<double>(num_blocks)), k) += 1;
  return counts;
}

template <class Counts>
NormalEquations resample(const std::vector<NormalEquations>& blocks, const Counts& counts) {
  NormalEquations sum{Eigen::MatrixXd::Zero(blocks[0].G.rows(), blocks[0].G.cols()),
                      Eigen::VectorXd::Zero(blocks[0].b.size())};
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const int count = counts[static_cast<Eigen::Index>(k)];
    if (count == 0) continue;
    sum.G += count * blocks[k].G;
    sum.b += count * blocks[k].b;
    sum.tau2 += count * blocks[k].tau2;
    sum.num_rows += count * blocks[k].num_rows;
  }
  return sum;
}

/// Returns the solutions without the columns of failed resamples.
Eigen::MatrixXd solved_columns(const Eigen::MatrixXd& answers) {
  std::vector<Eigen::Index> solved;
  for (Eigen::Index k = 0; k < answers.cols(); ++k)
    if (answers.col(k).allFinite()) solved.push_back(k);
  return answers(Eigen::all, solved);
}

}  // namespace

Result<Eigen::MatrixXd> bootstrap(const ParameterLayout& layout,
                                  const std::vector<NormalEquations>& blocks, const Prior& prior,
                                  const Constraints& constraints, const Solving& solving,
                                  int num_resamples) {
  const Eigen::MatrixXi draws = drawn(blocks.size(), num_resamples);
  const Progress progress = [&](const std::string&, double fraction) {
    return !solving.progress || solving.progress(kPurpose, fraction);
  };
  const Eigen::VectorXi once = Eigen::VectorXi::Ones(draws.rows());
  // sums of blocks that error bars have accepted
  HEFT_TRY(whole, make_problem_again(layout, resample(blocks, once), prior, constraints));
  HEFT_TRY(resampled, solving.executor.solve_resampled(kPurpose, whole, blocks, draws,
                                                       solving.options, progress));
  Eigen::MatrixXd& answers = resampled.x;
  std::vector<int> left;
  for (int k = 0; k < num_resamples; ++k)
    if (!resampled.solved[static_cast<std::size_t>(k)]) left.push_back(k);
  const auto make = [&](int k) {
    return make_problem(layout, resample(blocks, draws.col(left[static_cast<std::size_t>(k)])),
                        prior, constraints);
  };
  HEFT_TRY(solutions, solving.executor.solve_made(kPurpose, static_cast<int>(left.size()), make,
                                                  solving.options, progress));
  for (std::size_t k = 0; k < left.size(); ++k)
    if (solutions[k].status == SolveStatus::optimal)
      answers.col(left[k]) = solutions[k].x.head(layout.num_parameters());
  return solved_columns(answers);
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
