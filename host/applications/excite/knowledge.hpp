// What is known of a robot after a motion, and after the same kind of motion for longer:
// information grows in proportion.
//
// With M0^-1 = C C', B = W C and B'GB = U L U' the covariance after f times the motion is C U (1 +
// f L)^-1 U' C'.
#pragma once

#include "ground.hpp"

namespace heft::excite {

class Knowledge {
 public:
  /// G of the motion in structural columns, lower triangle.
  Knowledge(const Information& information, const Eigen::MatrixXd& G);

  /// Standard deviations of all parameters after `times` the motion; 0: before it.
  Eigen::VectorXd deviations(double times) const;
  /// tr(covariance of structural columns . T), T symmetric.
  double variance_of_task(const Eigen::MatrixXd& T, double times) const;
  /// Covariance of structural columns.
  Eigen::MatrixXd structural_covariance(double times) const;

 private:
  Eigen::ArrayXd shares(double times) const { return 1 / (1 + times * gains_.array()); }

  Eigen::VectorXd gains_;              ///< L
  Eigen::MatrixXd parameters_, rows_;  ///< C U, and W C U
};

/// The part of a design that says what a motion tells: log det, parameters, torques, and how much
/// longer would tell more.
void put_knowledge(const Ground& ground, const Eigen::MatrixXd& G, const ExciteOptions& options,
                   Design& design);

}  // namespace heft::excite
