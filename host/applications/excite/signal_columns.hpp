// Columns by expressions in the motion, such as couplings of joints: what multiplies their unknowns
// along a motion, and how that changes with it. An expression is a text, which has no derivative:
// slopes are central differences of two steps, extrapolated.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "conditioning/expressions.hpp"
#include "heft/excite/options.hpp"
#include "heft/model/regressor_plan.hpp"

namespace heft::excite {

class SignalColumns {
 public:
  /// Errors name the column: an expression in what a motion does not have, columns of a log or
  /// loads; a text that is lost.
  static Result<SignalColumns> make(const RegressorPlan& plan);

  bool empty() const { return signals_.empty(); }

  /// The rms of every signal over states. Errors name the column whose expression is not finite at
  /// one of them.
  Result<Eigen::VectorXd> sizes(const MotionSamples& states);

  /// Of a motion, samples x coordinates, which is kept for add_gradient: samples x signals. Not a
  /// number where an expression is not finite.
  const Eigen::ArrayXXd& values(const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& velocity,
                                const Eigen::ArrayXXd& acceleration);

  /// Adds, by what a number changes with the values, what it changes with the motion of the last of
  /// them.
  void add_gradient(const Eigen::ArrayXXd& by_values, Eigen::ArrayXXd& by_position,
                    Eigen::ArrayXXd& by_velocity, Eigen::ArrayXXd& by_acceleration);

 private:
  struct Signal {
    std::string column;
    Expressions expression;
    std::vector<Expressions::MotionInput> inputs;
  };
  Eigen::ArrayXd evaluate(Signal& signal);
  Eigen::ArrayXd slope(Signal& signal, const Expressions::MotionInput& input);
  Eigen::ArrayXXd& motion(int order);

  std::vector<Signal> signals_;
  Samples samples_;
  Eigen::ArrayXXd values_;
};

}  // namespace heft::excite
