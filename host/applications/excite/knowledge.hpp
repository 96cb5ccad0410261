// Uncertainty of a robot's parameters after a motion, and after repetitions of it: information
// grows in proportion to duration.
//
// With M0^-1 = C C', B = W C and B'GB = U L U', the covariance after f repetitions is C U (1 + f
// L)^-1 U' C'.
#pragma once

#include "design_problem.hpp"

namespace heft::excite {

class Knowledge {
 public:
  /// G of the motion in structural columns, lower triangle.
  Knowledge(const Information& information, const Eigen::MatrixXd& G);

  /// Returns the standard deviations of all parameters after `times` repetitions; 0: before the
  /// motion.
  Eigen::VectorXd deviations(double times) const;
  /// tr(covariance of structural columns . T), T symmetric.
  double variance_of_task(const Eigen::MatrixXd& T, double times) const;
  /// Returns the covariance of structural columns.
  Eigen::MatrixXd structural_covariance(double times) const;

 private:
  Eigen::ArrayXd shares(double times) const { return 1 / (1 + times * gains_.array()); }

  Eigen::VectorXd gains_;              ///< L
  Eigen::MatrixXd parameters_, rows_;  ///< C U, and W C U
};

/// Fills the information part of a design: log det, parameters, torques, and the benefit of a
/// longer motion.
void put_knowledge(const DesignProblem& problem, const Eigen::MatrixXd& G,
                   const ExciteOptions& options, Design& design);

}  // namespace heft::excite
