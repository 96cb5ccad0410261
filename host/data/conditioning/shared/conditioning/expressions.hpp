// Expressions in the state of the robot and in log columns: known torques to subtract, and signals
// for columns.
//
// Names: q1, qd1, qdd1 .. or q_<joint>, qd_<joint>, qdd_<joint> (characters that names cannot
// contain become '_'), load1 .. or load_<joint> (DerivedSignals::load), and log columns by their
// own names unless one of these names hides them. Functions: sin cos tan asin acos atan atan2 sinh
// cosh tanh exp log (natural) log10 sqrt abs sign min max pow; operators + - * / ^, comparisons,
// ?:; pi. With memory, at the log's full rate: lag(x, seconds), filter(x, hertz), hysteresis(x,
// width).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conditioning/memory_functions.hpp"
#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/robot.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Compiled expressions of one log.
class Expressions {
 public:
  /// Compiles expressions. Errors name the expression: syntax, unknown names (with near misses), a
  /// channel that does not exist.
  static Result<Expressions> compile(const DerivedSignals& derived, const Robot& robot,
                                     const std::vector<Channel>& channels,
                                     const std::vector<std::string>& header);
  Expressions(Expressions&&) noexcept;
  Expressions& operator=(Expressions&&) noexcept;
  ~Expressions();

  /// Returns the header columns in use, in the order that `evaluate` expects.
  const std::vector<int>& log_columns() const;

  /// Returns the signals with memory, which `evaluate` sets to zero.
  const std::map<int, MemorySignal>& memories() const;

  /// Returns the divisor of a channel's measured torque: DerivedSignals::torque_gain, or 1.
  double torque_gain(int channel) const;

  /// Returns the calls of functions with memory, in the order of the columns of `memory`.
  const std::vector<MemoryCall>& calls() const;

  /// Returns the longest lag in an expression [s], and what contains it; 0 without one.
  std::pair<double, std::string> longest_lag() const;

  /// Returns the input of a call at every row, from the states, `logged` and the values of earlier
  /// calls. `load` is that of load_of_calls(). Error: a value that is not finite.
  Result<Eigen::ArrayXd> input_of_call(int call, const Eigen::ArrayXXd& logged,
                                       const Samples& block, const Eigen::ArrayXXd& load,
                                       const Eigen::ArrayXXd& memory);
  /// Returns the loads of the block if the input of a call contains one, otherwise nothing.
  Result<Eigen::ArrayXXd> load_of_calls(const Samples& block) const;

  /// A derivative of a coordinate that an expression uses: 0 position, 1 velocity, 2 acceleration.
  struct MotionInput {
    int order, coordinate;
  };
  std::vector<MotionInput> motion_inputs() const;

  /// Computes known_torque (empty without one) and signal of `block` from its conditioned
  /// states, from `logged`, rows x log_columns, from `memory`, rows x calls, and from
  /// BlockInputs::orientation. Errors: a value that is not finite, with its time; those of
  /// functions.
  Result<Done> evaluate(const Eigen::ArrayXXd& logged, Samples& block,
                        const Eigen::ArrayXXd& memory = {},
                        const Eigen::ArrayXXd& orientation = {});

 private:
  struct State;
  explicit Expressions(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
#pragma GCC visibility pop
