// Directions that a positive semidefinite information matrix determines, and its inverse there.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Determined and undetermined directions. Variables are scaled to a unit diagonal first, so that
/// units have no influence.
struct SeenDirections {
  Eigen::MatrixXd root;    ///< n x rank: W W' is the pseudo-inverse
  Eigen::MatrixXd unseen;  ///< n x (n - rank): undetermined directions of length 1, in units of the
                           ///< variables
  std::vector<bool> open;  ///< per variable: whether an undetermined direction involves it

  Eigen::Index rank() const { return root.cols(); }
  Eigen::MatrixXd inverse() const { return root * root.transpose(); }
};

/// Computes the directions with eigenvalues above `cut` of the largest; smaller ones are rounding.
/// Reads the lower triangle and the diagonal.
SeenDirections seen_directions(const Eigen::MatrixXd& information, double cut);

}  // namespace heft
#pragma GCC visibility pop
