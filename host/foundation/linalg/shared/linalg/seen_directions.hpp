// What a positive semidefinite matrix of information sees, and its inverse there.
#pragma once

#include <Eigen/Core>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Variables are scaled to a diagonal of ones before a direction is looked at, so that units do not
/// decide.
struct SeenDirections {
  Eigen::MatrixXd root;    ///< n x rank: W W' is the pseudo-inverse
  Eigen::MatrixXd unseen;  ///< n x (n - rank): directions that are not seen, in units of the
                           ///< variables, of length 1
  std::vector<bool> open;  ///< of every variable: whether one of these has a part in it

  Eigen::Index rank() const { return root.cols(); }
  Eigen::MatrixXd inverse() const { return root * root.transpose(); }
};

/// Directions whose eigenvalue is above `cut` of the largest: what is below is rounding. Reads the
/// lower triangle and the diagonal.
SeenDirections seen_directions(const Eigen::MatrixXd& information, double cut);

}  // namespace heft
#pragma GCC visibility pop
