// Objective of a design: functions of G, the information of its rows in structural columns, with
// their derivatives (FORMULAS 9). All are minimized, and in nats: log det, or logarithms of
// variances and condition numbers.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "information.hpp"

namespace heft::excite {

class Objective {
 public:
  virtual ~Objective() = default;
  /// Returns the value at G, of which only the lower triangle is read. `slope`, if given, receives
  /// the symmetric derivative: a change dG changes the value by tr(slope dG). Infinite where G is
  /// not valid information.
  virtual double value(const Eigen::MatrixXd& G, Eigen::MatrixXd* slope) const = 0;
};

/// `task`: for ExcitationObjective::i, the mean over states of sum_c s_c^-2 Y'Y. `excitable`: for e
/// and condition, the directions that rows of this robot can have, structural columns x directions,
/// orthonormal in the metric of the precision.
std::unique_ptr<Objective> make_objective(ExcitationObjective kind, const Information& information,
                                          const Eigen::MatrixXd& task,
                                          const Eigen::MatrixXd& excitable);

/// Returns log det M of all parameters, including the prior information.
double log_det(const Information& information, const Eigen::MatrixXd& G);

}  // namespace heft::excite
