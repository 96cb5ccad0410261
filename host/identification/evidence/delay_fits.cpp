#include "delay_fits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/wide_product.hpp"

namespace heft {

namespace {

constexpr double kRidge = 1e-8;  ///< of columns that the motion does not distinguish

/// The upper triangle of Y'Y, by panels of columns.
void add_squares(const RowArray& rows, Eigen::MatrixXd& squares) {
  constexpr Eigen::Index kPanel = 16;
  const auto Y = rows.matrix();
  const Eigen::MatrixXd columns = Y;
  for (Eigen::Index first = 0; first < Y.cols(); first += kPanel) {
    const Eigen::Index width = std::min(kPanel, Y.cols() - first);
    squares.block(0, first, first + width, width) +=
        wide_product(Y.leftCols(first + width), columns.middleCols(first, width));
  }
}

}  // namespace

void DelayFits::add(RowArray rows, LaterTorques later) {
  if (later.used.size() == 0) return;
  num_rows_ += later.used.sum();
  RowArray kept = rows.middleRows(later.first, later.used.size());
  if (!(later.used == 1).all()) kept.colwise() *= later.used;
  rows_.push_back(std::move(kept));
  later_.push_back(std::move(later));
}

bool DelayFits::is_determined() const {
  return !rows_.empty() && num_rows_ > 2 * static_cast<double>(rows_.front().cols());
}

void DelayFits::factorize() {
  if (scale_.size() > 0) return;
  const Eigen::Index width = rows_.front().cols();
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(width, width);
  for (const RowArray& rows : rows_) add_squares(rows, squares);
  scale_ = squares.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd scaled = squares.selfadjointView<Eigen::Upper>();
  scaled = (scale_.asDiagonal() * scaled * scale_.asDiagonal()).eval();
  scaled.diagonal().array() += kRidge;
  factor_.compute(scaled);
}

Eigen::ArrayXd DelayFits::torque2() const {
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(later_.front().torque.cols());
  for (const LaterTorques& later : later_)
    sum += later.torque.colwise().squaredNorm().transpose().array();
  return sum;
}

Eigen::ArrayXd DelayFits::left() {
  factorize();
  Eigen::MatrixXd by_torque =
      Eigen::MatrixXd::Zero(rows_.front().cols(), later_.front().torque.cols());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    by_torque += wide_product(rows_[i].matrix(), later_[i].torque);
  // b' A^-1 b = |L^-1 b|^2
  Eigen::MatrixXd explained = scale_.asDiagonal() * by_torque;
  factor_.matrixL().solveInPlace(explained);
  return torque2() - explained.colwise().squaredNorm().transpose().array();
}

Eigen::VectorXd DelayFits::products_with_left(Eigen::Index delay) const {
  Eigen::VectorXd by_torque = Eigen::VectorXd::Zero(rows_.front().cols());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    by_torque += rows_[i].matrix().transpose() * later_[i].torque.col(delay);
  const Eigen::VectorXd x =
      scale_.asDiagonal() * factor_.solve(Eigen::VectorXd(scale_.asDiagonal() * by_torque));
  // what is left of the small term has no torque
  Eigen::VectorXd products = Eigen::VectorXd::Zero(later_.front().torque.cols());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Eigen::VectorXd left = later_[i].torque.col(delay) - rows_[i].matrix() * x;
    products += later_[i].torque.transpose() * left;
  }
  return products;
}

DelayFits::Bounds DelayFits::bounds(Eigen::Index asked, const std::vector<Eigen::Index>& must_reach,
                                    double share) {
  constexpr int kMostVectors = 6;     // then all fits cost about as much
  constexpr double kRounding = 1e-9;  // of the largest squares
  constexpr double kSame = 1e-8;      // a vector's share beside the others: none
  factorize();
  double margin = 0;
  for (const LaterTorques& later : later_)
    margin += kRounding * later.used.sum() * later.largest * later.largest;
  Bounds found;
  const Eigen::Index num_delays = later_.front().torque.cols();
  Eigen::MatrixXd by_vector(num_delays, kMostVectors);  // u_k' t(d)
  Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(num_delays);
  Eigen::Index delay = asked;
  for (int k = 0; k < kMostVectors; ++k) {
    // the products with t(delay), too: what is left of it is its part beside the rows
    Eigen::VectorXd products = products_with_left(delay);
    if (k == 0) found.of_asked = products[asked] + margin;
    const double whole = products[delay];
    products -= by_vector.leftCols(k) * by_vector.row(delay).head(k).transpose();
    if (!(products[delay] > kSame * whole)) break;
    by_vector.col(k) = products / std::sqrt(products[delay]);
    squares += by_vector.col(k).array().square();
    const double enough = share * found.of_asked;
    const auto least =
        std::min_element(must_reach.begin(), must_reach.end(),
                         [&](Eigen::Index a, Eigen::Index b) { return squares[a] < squares[b]; });
    if (least == must_reach.end() || squares[*least] - margin >= enough) break;
    delay = *least;
  }
  found.all = squares - margin;
  return found;
}

}  // namespace heft
