#include "heft/uncertainty/error_bars.hpp"

#include <cmath>
#include <limits>

#include "linalg/symmetric_eigen.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft {

namespace {

/// Inverse on the directions of a positive semidefinite matrix that are not lost, and which quantities those
/// leave out.
struct SeenInverse {
  Eigen::MatrixXd inverse;
  std::vector<bool> is_determined;
  Eigen::MatrixXd unseen;  ///< directions left out, in units of the quantities
};

SeenInverse seen_inverse(const Eigen::MatrixXd& H, double rank_cut) {
  const Eigen::Index size = H.rows();
  Eigen::VectorXd scale(size);  // units and magnitudes of the quantities decide nothing
  for (Eigen::Index k = 0; k < size; ++k) scale[k] = H(k, k) > 0 ? 1 / std::sqrt(H(k, k)) : 0;
  const Eigen::MatrixXd scaled = scale.asDiagonal() * H * scale.asDiagonal();
  const SymmetricEigen<Eigen::Dynamic> eigen(scaled);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const double smallest = rank_cut * rank_cut * values.maxCoeff();

  SeenInverse result{
      {}, std::vector<bool>(size), Eigen::MatrixXd(size, (values.array() <= smallest).count())};
  Eigen::MatrixXd roots(size, size - result.unseen.cols());
  Eigen::Index num_unseen = 0, num_seen = 0;
  Eigen::VectorXd unseen = Eigen::VectorXd::Zero(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Eigen::VectorXd direction = eigen.eigenvectors().col(i);
    if (values[i] > smallest) {
      roots.col(num_seen++) = scale.cwiseProduct(direction) / std::sqrt(values[i]);
    } else {
      unseen += direction.cwiseAbs2();
      // a quantity without a trace in the data is a direction by itself
      result.unseen.col(num_unseen++) =
          (scale.array() > 0).select(scale.cwiseProduct(direction), direction).normalized();
    }
  }
  result.inverse = roots * roots.transpose();
  // eigenvectors carry rounding of eps over the gap: a share of 1e-6 is more than that and less than any real
  // one
  for (Eigen::Index k = 0; k < size; ++k) result.is_determined[k] = unseen[k] <= 1e-6 && scale[k] > 0;
  return result;
}

Result<Done> check(const std::vector<NormalEquations>& blocks, const BaseQuantities& quantities,
                   const ErrorBarOptions& options) {
  if (!(options.confidence > 0) || !(options.confidence < 1))
    return Error{"confidence", "must be between 0 and 1", "the default is 0.95"};
  if (!(options.rank_cut > 0) || !(options.rank_cut < 1))
    return Error{"rank_cut", "must be between 0 and 1", "the default is 1e-7"};
  if (static_cast<int>(blocks.size()) < std::max(2, options.min_blocks))
    return Error{"error bars",
                 "only " + std::to_string(blocks.size()) + " blocks, " + std::to_string(options.min_blocks) +
                     " are needed",
                 "divide the log into more blocks, or record longer"};
  const Eigen::Index P = quantities.E.rows();
  if (!quantities.E.allFinite())
    return Error{"error bars", "a quantity is not finite", "check the robot's geometry"};
  for (const NormalEquations& block : blocks) {
    if (block.G.rows() != P || block.G.cols() != P || block.b.size() != P)
      return Error{"error bars", "blocks and quantities belong to different layouts",
                   "make both with the same plan"};
    if (!block.G.allFinite() || !block.b.allFinite())
      return Error{"error bars", "the moments of a block are not finite", "look for NaN in the samples"};
  }
  return Done{};
}

}  // namespace

Result<ErrorBars> error_bars(const std::vector<NormalEquations>& blocks, const BaseQuantities& quantities,
                             const ErrorBarOptions& options) {
  HEFT_CHECK(check(blocks, quantities, options));
  const Eigen::MatrixXd& E = quantities.E;
  const Eigen::Index size = E.cols();
  NormalEquations all = blocks.front();
  for (std::size_t k = 1; k < blocks.size(); ++k) {
    all.G += blocks[k].G;
    all.b += blocks[k].b;
  }
  const Eigen::MatrixXd H = E.transpose() * all.G * E;
  const Eigen::VectorXd b = E.transpose() * all.b;
  const SeenInverse seen = seen_inverse(0.5 * (H + H.transpose()), options.rank_cut);

  ErrorBars result;
  result.num_blocks = static_cast<int>(blocks.size());
  result.is_determined = seen.is_determined;
  result.unseen = seen.unseen;
  result.estimate = seen.inverse * b;
  const Eigen::VectorXd parameters = E * result.estimate;
  Eigen::MatrixXd scores(E.rows(), std::ssize(blocks));
  for (std::size_t k = 0; k < blocks.size(); ++k)
    scores.col(static_cast<Eigen::Index>(k)) = blocks[k].b - blocks[k].G * parameters;
  scores = (E.transpose() * scores).eval();
  const Eigen::MatrixXd scatter = scores * scores.transpose();
  const double num_blocks = result.num_blocks;
  result.covariance = seen.inverse * scatter * seen.inverse * (num_blocks / (num_blocks - 1));
  const double seen_directions = static_cast<double>(size - result.unseen.cols());
  const double worth_one = (seen.inverse * scatter).trace() * num_blocks / (num_blocks - 1) / seen_directions;
  result.information = Eigen::MatrixXd::Zero(size, size);
  if (worth_one > 0) result.information = (0.5 / worth_one) * (H + H.transpose());
  result.standard_error = result.covariance.diagonal().cwiseMax(0).cwiseSqrt();
  for (Eigen::Index k = 0; k < size; ++k)
    if (!result.is_determined[k]) result.standard_error[k] = std::numeric_limits<double>::infinity();
  result.half_width =
      student_quantile(0.5 * (1 + options.confidence), num_blocks - 1) * result.standard_error;
  return result;
}

Result<ErrorBars> error_bars(const std::vector<Moments>& blocks, const Eigen::VectorXd& channel_weights,
                             const BaseQuantities& quantities, const ErrorBarOptions& options) {
  std::vector<NormalEquations> equations;
  for (const Moments& block : blocks) {
    if (channel_weights.size() != block.plan->num_channels())
      return Error{"error bars", "channel weights and moments belong to different plans",
                   "use the same plan"};
    equations.push_back(normal_equations(block, channel_weights));
  }
  return error_bars(equations, quantities, options);
}

}  // namespace heft
