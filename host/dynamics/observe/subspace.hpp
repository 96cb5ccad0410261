// Growing subspaces: every rank of the structural analysis is the size of an orthonormal basis
// (FORMULAS 5).
//
// A candidate is added if its remainder outside the basis exceeds the tolerance, longest remainder
// first: a short remainder amplifies the rounding error of its candidate and would spread it to all
// later ones. Candidates are not normalized, which would turn rounding errors into directions.
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
  /// Returns orthonormal columns, dimension x rank, in the order in which they were added.
  auto basis() const { return basis_.leftCols(rank_); }

 private:
  void append(Eigen::VectorXd direction);

  Eigen::MatrixXd basis_;  // columns beyond rank_ are reserved
  Eigen::Index dimension_;
  Eigen::Index rank_ = 0;
  double tolerance_;
};

/// Cl({O}, B): extends a subspace until it is invariant under every operator; operators have norm
/// about one.
void close_under(const std::vector<Eigen::MatrixXd>& operators, Subspace& subspace);

}  // namespace heft::identifiability
