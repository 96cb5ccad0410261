#include "signal/savitzky_golay.hpp"

#include "linalg/factorizations.hpp"

namespace heft {

Eigen::MatrixXd savitzky_golay_projection(int window, int order) {
  const Eigen::VectorXd place = Eigen::VectorXd::LinSpaced(window, -1, 1);
  Eigen::MatrixXd powers(window, order + 1);
  powers.col(0).setOnes();
  for (int k = 1; k <= order; ++k) powers.col(k) = powers.col(k - 1).cwiseProduct(place);
  // an orthonormal basis Q of the polynomials makes the projection Q Q', without normal equations
  const Eigen::MatrixXd basis = Eigen::HouseholderQR<Eigen::MatrixXd>(powers).householderQ() *
                                Eigen::MatrixXd::Identity(window, order + 1);
  return basis * basis.transpose();
}

void smooth_savitzky_golay(const Eigen::MatrixXd& projection, Eigen::Ref<Eigen::ArrayXd> signal,
                           Eigen::ArrayXd& scratch) {
  const Eigen::Index window = projection.rows();
  const Eigen::Index half = window / 2;
  const Eigen::Index n = signal.size();
  scratch.resize(n);
  scratch.head(half) = (projection.topRows(half) * signal.head(window).matrix()).array();
  scratch.tail(half) = (projection.bottomRows(half) * signal.tail(window).matrix()).array();
  // the middle of all windows at once, one weight at a time
  auto middle = scratch.segment(half, n - 2 * half);
  middle.setZero();
  for (Eigen::Index k = 0; k < window; ++k)
    middle += projection(half, k) * signal.segment(k, n - 2 * half);
  signal = scratch;
}

}  // namespace heft
