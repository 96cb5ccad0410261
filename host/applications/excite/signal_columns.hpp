// Columns given by expressions in the motion, such as couplings of joints: the factors of their
// unknowns along a motion, and their derivatives. An expression is text without a symbolic
// derivative: slopes are central differences of two steps, extrapolated.
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
  /// Errors name the column: an expression that uses log columns or loads, which a motion lacks; a
  /// missing expression text.
  static Result<SignalColumns> make(const RegressorPlan& plan);

  bool empty() const { return signals_.empty(); }

  /// Returns the rms of every signal over states. Errors name the column whose expression is not
  /// finite at one of them.
  Result<Eigen::VectorXd> sizes(const MotionSamples& states);

  /// Returns samples x signals for a motion, samples x coordinates, which is kept for add_gradient.
  /// NaN where an expression is not finite.
  const Eigen::ArrayXXd& values(const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& velocity,
                                const Eigen::ArrayXXd& acceleration);

  /// Adds the gradient with respect to the last motion, given the gradient with respect to the
  /// values.
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
