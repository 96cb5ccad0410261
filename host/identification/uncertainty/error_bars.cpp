#include <Eigen/SparseCore>
#include <algorithm>
#include <limits>

#include "bars_and_noise.hpp"
#include "half_widths.hpp"
#include "linalg/is_finite.hpp"
#include "linalg/seen_directions.hpp"
#include "linalg/sparse_congruence.hpp"

namespace heft {

namespace {

Result<Done> check(const std::vector<NormalEquations>& blocks, const BaseQuantities& quantities,
                   const ErrorBarOptions& options) {
  if (!(options.confidence > 0) || !(options.confidence < 1))
    return Error{"confidence", "must be between 0 and 1", "the default is 0.95"};
  if (!(options.rank_cut > 0) || !(options.rank_cut < 1))
    return Error{"rank_cut", "must be between 0 and 1", "the default is 1e-7"};
  if (static_cast<int>(blocks.size()) < std::max(2, options.min_blocks))
    return Error{"intervals",
                 "only " + std::to_string(blocks.size()) + " blocks, " +
                     std::to_string(options.min_blocks) + " are needed",
                 "divide the log into more blocks, or record longer"};
  const Eigen::Index P = quantities.E.rows();
  if (!quantities.E.allFinite())
    return Error{"intervals", "a quantity is not finite", "check the robot's geometry"};
  for (const NormalEquations& block : blocks) {
    if (block.G.rows() != P || block.G.cols() != P || block.b.size() != P)
      return Error{"intervals", "blocks and quantities belong to different layouts",
                   "compute both with the same plan"};
    if (!is_finite(block.G) || !is_finite(block.b))
      return Error{"intervals", "the moments of a block are not finite",
                   "check the samples for NaN"};
  }
  return Done{};
}

}  // namespace

Result<BarsAndNoise> bars_and_noise(const std::vector<NormalEquations>& blocks,
                                    const BaseQuantities& quantities,
                                    const ErrorBarOptions& options) {
  HEFT_CHECK(check(blocks, quantities, options));
  const Eigen::MatrixXd& E = quantities.E;
  const Eigen::Index size = E.cols();
  NormalEquations all = blocks.front();
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    all.G += blocks[k].G;
    all.b += blocks[k].b;
  }
  const Eigen::SparseMatrix<double> picked = E.sparseView();  // a body's parameters each
  const Eigen::MatrixXd H = sparse_congruence(all.G, picked);
  const Eigen::VectorXd b = picked.transpose() * all.b;
  // eigenvalues are squares of singular values
  const SeenDirections seen = seen_directions(H, options.rank_cut * options.rank_cut);
  const Eigen::MatrixXd inverse = seen.inverse();

  ErrorBars result;
  result.num_blocks = static_cast<int>(blocks.size());
  for (const bool is_open : seen.open) result.is_determined.push_back(!is_open);
  result.unseen = seen.unseen;
  result.estimate = inverse * b;
  const Eigen::VectorXd parameters = E * result.estimate;
  Eigen::MatrixXd scores(E.rows(), std::ssize(blocks));
  for (std::size_t k = 0; k < blocks.size(); ++k)
    scores.col(static_cast<Eigen::Index>(k)) = blocks[k].b - blocks[k].G * parameters;
  scores = (picked.transpose() * scores).eval();
  const Eigen::MatrixXd by_block = inverse * scores;
  const double num_blocks = result.num_blocks;
  result.covariance = by_block * by_block.transpose() * (num_blocks / (num_blocks - 1));
  const double worth_one = by_block.cwiseProduct(scores).sum() * num_blocks / (num_blocks - 1) /
                           static_cast<double>(seen.rank());
  result.information = Eigen::MatrixXd::Zero(size, size);
  if (worth_one > 0) result.information = H / worth_one;
  BlockNoise noise(blocks, picked, seen.root, parameters);
  const Spread spread = noise.spread(picked * inverse, quantities.num_columns);
  result.calibration = noise.calibration();
  result.separate_fits = noise.separate_fits();
  result.per_score = (picked * inverse).transpose();
  result.standard_error = spread.variance.cwiseSqrt();
  result.degrees = spread.degrees;
  for (Eigen::Index k = 0; k < size; ++k)
    if (!result.is_determined[k])
      result.standard_error[k] = std::numeric_limits<double>::infinity();
  result.half_width = half_widths(Eigen::VectorXd::Zero(size), result.standard_error,
                                  result.degrees, options.confidence);
  return BarsAndNoise{std::move(result), std::move(noise)};
}

Result<ErrorBars> error_bars(const std::vector<NormalEquations>& blocks,
                             const BaseQuantities& quantities, const ErrorBarOptions& options) {
  HEFT_TRY(both, bars_and_noise(blocks, quantities, options));
  return std::move(both.bars);
}

Result<ErrorBars> error_bars(const std::vector<Moments>& blocks,
                             const Eigen::VectorXd& channel_weights,
                             const BaseQuantities& quantities, const ErrorBarOptions& options) {
  std::vector<NormalEquations> equations;
  for (const Moments& block : blocks) {
    if (channel_weights.size() != block.plan->num_channels())
      return Error{"intervals", "channel weights and moments belong to different plans",
                   "use the same plan"};
    equations.push_back(normal_equations(block, channel_weights));
  }
  return error_bars(equations, quantities, options);
}

}  // namespace heft
