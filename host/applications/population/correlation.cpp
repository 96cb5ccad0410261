// Estimates the number of correlated rows worth one, pooled over a population (FORMULAS 10). For
// noise of covariance kappa s^2 G_b in the scores of blocks that are independent of each other,
//
//   E sum_b s_b' G^+ s_b = kappa (rank G - sum_b tr (G^+ G_b)^2),   s_b = b_b - G_b G^+ b
//
// because the estimate has absorbed its share of every block's noise.
#include <algorithm>
#include <cmath>

#include "linalg/seen_directions.hpp"
#include "population/population.hpp"

namespace heft {

namespace {

constexpr double kRankCut = 1e-10;  ///< of eigenvalues, columns scaled to one

}  // namespace

double pooled_rows_worth_one(const std::vector<std::vector<NormalEquations>>& blocks) {
  double scatter = 0, freedom = 0;
  for (const auto& robot : blocks) {
    if (robot.size() < 2) continue;
    NormalEquations all = robot.front();
    for (std::size_t k = 1; k < robot.size(); ++k) all.G += robot[k].G, all.b += robot[k].b;
    const Eigen::MatrixXd W = seen_directions(all.G, kRankCut).root;  // G^+ = W W'
    const Eigen::VectorXd x = W * (W.transpose() * all.b);
    freedom += static_cast<double>(W.cols());
    for (const NormalEquations& block : robot) {
      scatter += (W.transpose() * (block.b - block.G * x)).squaredNorm();
      freedom -= (W.transpose() * block.G * W).squaredNorm();
    }
  }
  return freedom > 0.5 && std::isfinite(scatter) ? std::max(1.0, scatter / freedom) : 1.0;
}

}  // namespace heft
