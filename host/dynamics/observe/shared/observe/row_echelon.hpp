// Reduced row echelon form: the most readable basis of a row space.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft::identifiability {

/// A matrix in reduced row echelon form.
struct RowEchelon {
  Eigen::MatrixXd rows;     ///< rank x columns; every pivot column is a unit vector
  std::vector<int> pivots;  ///< pivot column of every row, increasing
};

/// Returns the reduced row echelon form by Gauss-Jordan elimination with row pivoting. Rows must
/// have a norm of about one; a remainder below the tolerance counts as zero.
RowEchelon reduced_row_echelon(Eigen::MatrixXd rows, double tolerance);

/// Returns the nearest number with six digits if rounding explains the difference; otherwise the
/// coefficient itself.
double cleaned(double coefficient);

}  // namespace heft::identifiability
#pragma GCC visibility pop
