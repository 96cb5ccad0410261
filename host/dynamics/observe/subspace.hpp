// Growing subspaces: every rank of the structural analysis is the size of an orthonormal basis
// (FORMULAS 5).
//
// A candidate joins if what the basis leaves of it is longer than the tolerance, and the longest
// joins first: a short rest carries the rounding of its candidate magnified, and would spread it to
// all that come later. Candidates are not scaled to unit length: that would turn rounding noise
// into directions.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace heft::identifiability {

class Subspace {
 public:
  Subspace(Eigen::Index dimension, double tolerance)
      : basis_(dimension, 0), dimension_(dimension), tolerance_(tolerance) {}

  /// Extends the subspace by the span of the columns, which have length about one or less.
  void add_columns(const Eigen::MatrixXd& candidates);

  Eigen::Index rank() const { return rank_; }
  Eigen::Index dimension() const { return dimension_; }
  /// Orthonormal columns, dimension x rank, in the order in which they joined.
  auto basis() const { return basis_.leftCols(rank_); }

 private:
  void append(Eigen::VectorXd direction);

  Eigen::MatrixXd basis_;  // columns beyond rank_ are room to grow
  Eigen::Index dimension_;
  Eigen::Index rank_ = 0;
  double tolerance_;
};

/// Cl({O}, B): extends a subspace until it is invariant under every operator; operators have norm
/// about one.
void close_under(const std::vector<Eigen::MatrixXd>& operators, Subspace& subspace);

}  // namespace heft::identifiability
