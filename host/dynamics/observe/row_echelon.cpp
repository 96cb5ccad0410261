#include "observe/row_echelon.hpp"

#include <algorithm>
#include <cmath>

namespace heft::identifiability {

RowEchelon reduced_row_echelon(Eigen::MatrixXd rows, double tolerance) {
  RowEchelon echelon;
  Eigen::Index rank = 0;
  for (Eigen::Index column = 0; column < rows.cols() && rank < rows.rows(); ++column) {
    Eigen::Index pivot;
    const double largest = rows.col(column).tail(rows.rows() - rank).cwiseAbs().maxCoeff(&pivot);
    if (!(largest > tolerance)) {
      rows.col(column).tail(rows.rows() - rank).setZero();
      continue;
    }
    rows.row(rank).swap(rows.row(rank + pivot));
    rows.row(rank) /= rows(rank, column);
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      if (const double factor = rows(i, column); i != rank && factor != 0) {
        rows.row(i) -= factor * rows.row(rank);
        rows(i, column) = 0;
      }
    echelon.pivots.push_back(static_cast<int>(column));
    ++rank;
  }
  echelon.rows = rows.topRows(rank);
  return echelon;
}

double cleaned(double coefficient) {
  if (coefficient == 0 || !std::isfinite(coefficient)) return coefficient;
  // a power of ten at least one, so that dividing by it rounds to the decimal fraction itself
  const double scale =
      std::pow(10.0, std::max(0.0, 5 - std::floor(std::log10(std::abs(coefficient)))));
  const double rounded = std::round(coefficient * scale) / scale;
  return std::abs(rounded - coefficient) <= 1e-10 * std::abs(coefficient) ? rounded : coefficient;
}

}  // namespace heft::identifiability
