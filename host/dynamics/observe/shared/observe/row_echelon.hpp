// Reduced row echelon form: of all bases of a row space the one that people can read.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft::identifiability {

struct RowEchelon {
  Eigen::MatrixXd rows;     ///< rank x columns; every pivot column is a unit vector
  std::vector<int> pivots;  ///< pivot column of every row, increasing
};

/// Gauss-Jordan elimination with row pivoting. Rows have length about one; what elimination leaves
/// of a row counts as zero up to the tolerance.
RowEchelon reduced_row_echelon(Eigen::MatrixXd rows, double tolerance);

/// A coefficient as it was meant: the nearest number of six digits if rounding can explain the
/// difference.
double cleaned(double coefficient);

}  // namespace heft::identifiability
#pragma GCC visibility pop
