#include "signal_columns.hpp"

#include <limits>
#include <sstream>

namespace heft::excite {

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;

constexpr double kStep = 2e-4;          ///< of differences [rad, m and by s and s^2]
constexpr double kDisagreement = 1e-2;  ///< of slopes by two steps, above which a jump or a corner
                                        ///< is in between

/// The expressions of a column's terms in order, from the lines "channel: expression" of its
/// definition.
std::vector<std::string> expressions_of(const RegressorPlan& plan, const Column& column) {
  std::vector<std::string> texts;
  std::istringstream lines(column.definition);
  std::string line;
  for (const ColumnTerm& term : column.terms) {
    if (term.feature != core::Feature::signal) continue;
    const std::string channel = plan.channels[term.channel].name + ": ";
    if (!std::getline(lines, line) || !line.starts_with(channel)) return {};
    texts.push_back(line.substr(channel.size()));
  }
  return texts;
}

}  // namespace

Result<SignalColumns> SignalColumns::make(const RegressorPlan& plan) {
  SignalColumns result;
  std::vector<std::string> texts(static_cast<std::size_t>(plan.num_signals)), names = texts;
  for (const Column& column : plan.layout.columns) {
    const std::vector<std::string> of_column = expressions_of(plan, column);
    std::size_t next = 0;
    for (const ColumnTerm& term : column.terms) {
      if (term.feature != core::Feature::signal) continue;
      names[term.source] = "columns: " + column.name;
      if (next < of_column.size()) texts[term.source] = of_column[next++];
    }
  }
  for (std::size_t s = 0; s < texts.size(); ++s) {
    DerivedSignals derived;
    derived.signals = {texts[s]};
    derived.signal_names = {names[s]};
    auto expression = Expressions::compile(derived, plan.robot, plan.channels, {});
    if (!expression)
      return Error{names[s],
                   expression.error().what + ": a design has no signals other than the motion",
                   "write it in q, qd and qdd of joints, or exclude the column from the design"};
    if (!expression->calls().empty())
      return Error{names[s], "a design has no history for " + expression->calls().front().function,
                   "exclude the column from the design"};
    std::vector<Expressions::MotionInput> inputs = expression->motion_inputs();
    result.signals_.push_back({names[s], std::move(*expression), std::move(inputs)});
  }
  return result;
}

ArrayXXd& SignalColumns::motion(int order) {
  return order == 0 ? samples_.position : order == 1 ? samples_.velocity : samples_.acceleration;
}

ArrayXd SignalColumns::evaluate(Signal& signal) {
  if (!signal.expression.evaluate({}, samples_))
    return ArrayXd::Constant(samples_.size(), std::numeric_limits<double>::quiet_NaN());
  return samples_.signal.col(0);
}

const ArrayXXd& SignalColumns::values(const ArrayXXd& position, const ArrayXXd& velocity,
                                      const ArrayXXd& acceleration) {
  samples_.time = Eigen::VectorXd::Zero(position.rows());
  samples_.position = position;
  samples_.velocity = velocity;
  samples_.acceleration = acceleration;
  values_.resize(position.rows(), static_cast<Eigen::Index>(signals_.size()));
  for (std::size_t s = 0; s < signals_.size(); ++s)
    values_.col(static_cast<Eigen::Index>(s)) = evaluate(signals_[s]);
  return values_;
}

Result<Eigen::VectorXd> SignalColumns::sizes(const MotionSamples& states) {
  const ArrayXXd& all = values(states.position, states.velocity, states.acceleration);
  for (std::size_t s = 0; s < signals_.size(); ++s)
    if (!all.col(static_cast<Eigen::Index>(s)).allFinite())
      return Error{
          signals_[s].column, "is not finite at some states within the limits",
          "keep arguments of log, sqrt, asin, acos and denominators inside their domains, or narrow "
          "limits.position"};
  return Eigen::VectorXd(all.square().colwise().mean().sqrt().transpose().matrix());
}

/// Derivative with respect to one input; zero if a jump or corner lies between the steps, as for a
/// sign at rest.
ArrayXd SignalColumns::slope(Signal& signal, const Expressions::MotionInput& input) {
  auto at = motion(input.order).col(input.coordinate);
  const ArrayXd here = at;
  const auto by_step = [&](double step) -> ArrayXd {
    at = here + step;
    const ArrayXd above = evaluate(signal);
    at = here - step;
    const ArrayXd below = evaluate(signal);
    return (above - below) / (2 * step);
  };
  const ArrayXd wide = by_step(kStep), narrow = by_step(0.5 * kStep);
  at = here;
  const Eigen::Array<bool, Eigen::Dynamic, 1> is_smooth =
      (wide - narrow).abs() <= kDisagreement * wide.abs().max(narrow.abs()).max(1e-6);
  return is_smooth.select((4 * narrow - wide) / 3, ArrayXd::Zero(here.size()));
}

void SignalColumns::add_gradient(const ArrayXXd& by_values, ArrayXXd& by_position,
                                 ArrayXXd& by_velocity, ArrayXXd& by_acceleration) {
  ArrayXXd* const by_motion[] = {&by_position, &by_velocity, &by_acceleration};
  for (std::size_t s = 0; s < signals_.size(); ++s)
    for (const Expressions::MotionInput& input : signals_[s].inputs)
      by_motion[input.order]->col(input.coordinate) +=
          by_values.col(static_cast<Eigen::Index>(s)) * slope(signals_[s], input);
}

}  // namespace heft::excite
