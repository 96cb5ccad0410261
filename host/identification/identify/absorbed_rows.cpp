#include "absorbed_rows.hpp"

#include <algorithm>
#include <cstdint>

#include "heft/moments/moments.hpp"
#include "heft/moments/normal_equations.hpp"
#include "heft/solve/least_squares.hpp"
#include "heft/uncertainty/uncertainty.hpp"
#include "linalg/factorizations.hpp"

namespace heft {

namespace {

/// Sums of the stretches by kind. Stretches and logs are in the order of reading.
Result<std::vector<Moments>> moments_by_kind(const TrainingData& data,
                                             const std::vector<int>& kind_of_log, int num_kinds) {
  std::vector<Moments> sums(static_cast<std::size_t>(num_kinds), zero_moments(data.plan));
  std::size_t log = 0;
  std::int64_t left = data.logs.empty() ? 0 : data.logs.front().num_samples;
  for (const MomentStretch& stretch : data.stretches) {
    for (std::int64_t remaining = stretch.num_samples; remaining > 0;) {
      while (left == 0 && log + 1 < data.logs.size()) left = data.logs[++log].num_samples;
      const bool is_last = log + 1 >= data.logs.size();
      const std::int64_t here = is_last ? remaining : std::min(remaining, left);
      Moments part = stretch.moments;
      if (here < stretch.num_samples)
        scale(part, static_cast<double>(here) / static_cast<double>(stretch.num_samples));
      HEFT_CHECK(add(sums[static_cast<std::size_t>(kind_of_log[log])], part));
      remaining -= here;
      left -= is_last ? 0 : here;
    }
  }
  return sums;
}

/// Pseudo-inverse of G on the directions that least squares retain.
Eigen::MatrixXd inverse_of_data(const Eigen::MatrixXd& G, int rank) {
  const Eigen::VectorXd length = G.diagonal().cwiseMax(0).cwiseSqrt();
  const Eigen::VectorXd scale = (length.array() > 0).select(length.cwiseInverse(), 0.0);
  const Eigen::MatrixXd scaled = scale.asDiagonal() * G * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
  const Eigen::MatrixXd root =
      scale.asDiagonal() * solver.eigenvectors().rightCols(rank) *
      solver.eigenvalues().tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
  return root * root.transpose();
}

}  // namespace

Result<Eigen::MatrixXd> absorbed_rows(const TrainingData& data, const std::vector<int>& kind_of_log,
                                      int num_kinds, const Setup& setup,
                                      const EstimationOptions& options,
                                      const Eigen::VectorXd& parameters) {
  const int num_channels = data.plan->num_channels();
  Eigen::MatrixXd absorbed = Eigen::MatrixXd::Zero(num_channels, num_kinds);
  if (data.is_compact()) return absorbed;
  HEFT_TRY(fit, fit_weighted(data.moments, options.weighting_passes, options.rank_cut));
  const NormalEquations all = normal_equations(data.moments, fit.channel_weights);
  Eigen::MatrixXd inverse;
  if (options.is_least_squares() || !setup.prior.has_weight()) {
    inverse = inverse_of_data(all.G, fit.weighted.rank);
  } else {
    // noise does not change per_score
    HEFT_TRY(of_prior, prior_error(data.plan->layout, all, setup.prior, parameters, 0));
    inverse = std::move(of_prior.per_score);
  }
  HEFT_TRY(sums, moments_by_kind(data, kind_of_log, num_kinds));
  for (int k = 0; k < num_kinds; ++k)
    for (int c = 0; c < num_channels; ++c) {
      const Eigen::VectorXd weight =
          fit.channel_weights[c] * Eigen::VectorXd::Unit(num_channels, c);
      absorbed(c, k) =
          normal_equations(sums[static_cast<std::size_t>(k)], weight).G.cwiseProduct(inverse).sum();
    }
  return absorbed;
}

}  // namespace heft
