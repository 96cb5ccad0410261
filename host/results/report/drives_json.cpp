// What result.json says about drives: gains, loads, and friction against speed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conditioning/expressions.hpp"
#include "files/json_text.hpp"
#include "identify/gains.hpp"
#include "moments/channel_scores.hpp"
#include "result_json_parts.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSpeeds = 41;           ///< odd: the middle one is zero
constexpr int kPositions = 25;        ///< eight per period of a third harmonic over a turn
constexpr double kUsualSpeed = 1;     ///< [rad/s] or [m/s], of joints without a limit
constexpr double kUsualTravel = 0.5;  ///< [m], likewise

double highest_speed(const Coordinate& joint) {
  return std::isfinite(joint.max_velocity) && joint.max_velocity > 0 ? joint.max_velocity
                                                                     : kUsualSpeed;
}

/// One joint at a range of speeds at a position of its own, the others at rest at zero.
Samples moving(const Robot& robot, int coordinate, double position) {
  Samples samples;
  samples.time = Eigen::ArrayXd::LinSpaced(kSpeeds, 0, 1);
  for (Eigen::ArrayXXd* array : {&samples.position, &samples.velocity, &samples.acceleration})
    array->setZero(kSpeeds, robot.num_coordinates());
  const double speed = highest_speed(robot.coordinates[static_cast<std::size_t>(coordinate)]);
  samples.position.col(coordinate).setConstant(position);
  samples.velocity.col(coordinate) = Eigen::ArrayXd::LinSpaced(kSpeeds, -speed, speed);
  samples.velocity(kSpeeds / 2, coordinate) = 0;
  if (robot.floating_base) samples.base_motion.setZero(kSpeeds, 9);
  return samples;
}

/// Positions over the range of a joint, or over a turn or [m] of one without limits.
Eigen::ArrayXd positions_of(const Coordinate& joint) {
  const bool has_range = std::isfinite(joint.lower) && std::isfinite(joint.upper) &&
                         joint.lower < joint.upper &&
                         joint.upper - joint.lower <= 2 * std::numbers::pi;
  const double reach = joint.is_angle ? std::numbers::pi : kUsualTravel;
  return Eigen::ArrayXd::LinSpaced(kPositions, has_range ? joint.lower : -reach,
                                   has_range ? joint.upper : reach);
}

Eigen::ArrayXd feature_of(const ColumnTerm& term, const Samples& s) {
  switch (term.feature) {
    case core::Feature::one:
      return Eigen::ArrayXd::Ones(s.size());
    case core::Feature::position:
      return s.position.col(term.source);
    case core::Feature::velocity:
      return s.velocity.col(term.source);
    case core::Feature::acceleration:
      return s.acceleration.col(term.source);
    case core::Feature::sign_velocity:
      return s.velocity.col(term.source).sign();
    case core::Feature::tanh_velocity:
      return (s.velocity.col(term.source) / term.width).tanh();
    case core::Feature::signal:
      break;
  }
  return s.signal.col(term.source);
}

/// Signals without those that do not depend on the speed: memories, biases of wrenches, errors of
/// an IMU.
std::vector<std::string> signals_of_motion(const Identification& identification) {
  std::vector<std::string> signals = identification.setup.model.derived.signals;
  std::ranges::replace(signals, std::string(), std::string("0"));
  return signals;
}

/// Whether expressions need nothing but motion and load.
bool need_no_log(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  DerivedSignals derived{.signals = signals_of_motion(identification)};
  derived.load = [](const Samples&) -> Result<Eigen::ArrayXXd> { return Eigen::ArrayXXd(); };
  return Expressions::compile(derived, plan.robot, plan.channels, {}) &&
         std::ssize(derived.signals) >= plan.num_signals;
}

/// Torque of the columns of one channel, without gains and springs. Compiles only the expressions
/// of this channel, and only once: a humanoid has thousands of points and a hundred expressions.
class FrictionCurves {
 public:
  FrictionCurves(const Identification& identification, int channel)
      : of_(identification), channel_(channel) {
    const std::vector<std::string> signals = signals_of_motion(identification);
    DerivedSignals derived;
    derived.load = [this](const Samples& block) -> Result<Eigen::ArrayXXd> {
      return Eigen::ArrayXXd::Constant(block.size(), plan().num_channels(), load_).eval();
    };
    const ParameterLayout& layout = plan().layout;
    for (int k = 0; k < layout.num_columns(); ++k) {
      const Column& column = layout.columns[static_cast<std::size_t>(k)];
      if (column.effect == ColumnEffect::gain || column.effect == ColumnEffect::stiffness) continue;
      for (ColumnTerm term : column.terms) {
        if (term.channel != channel) continue;
        if (term.feature == core::Feature::signal) {
          derived.signals.push_back(signals[static_cast<std::size_t>(term.source)]);
          term.source = static_cast<int>(derived.signals.size()) - 1;
        }
        terms_.emplace_back(layout.column_index(k), term);
      }
    }
    if (auto compiled = Expressions::compile(derived, plan().robot, plan().channels, {}))
      expressions_ = std::move(*compiled);
  }
  FrictionCurves(const FrictionCurves&) = delete;
  FrictionCurves& operator=(const FrictionCurves&) = delete;

  int channel() const { return channel_; }
  const RegressorPlan& plan() const { return of_.plan(); }

  /// At `load`; empty if it is not finite.
  Eigen::ArrayXd torque(double load, Samples samples) {
    if (!expressions_) return {};
    load_ = load;
    const auto num_calls = static_cast<Eigen::Index>(expressions_->calls().size());
    if (!expressions_->evaluate(Eigen::ArrayXXd(kSpeeds, 0), samples,
                                Eigen::ArrayXXd::Zero(kSpeeds, num_calls)))
      return {};
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(kSpeeds);
    for (const auto& [index, term] : terms_)
      sum += of_.answer().parameters[index] * feature_of(term, samples);
    return sum;
  }

 private:
  const Identification& of_;
  int channel_;
  double load_ = 0;
  std::vector<std::pair<Eigen::Index, ColumnTerm>> terms_;  ///< index of the parameter
  std::optional<Expressions> expressions_;
};

/// Whether a column of a channel may depend on the position, beside springs.
bool may_depend_on_position(const ParameterLayout& layout, int channel) {
  return std::ranges::any_of(layout.columns, [&](const Column& column) {
    return column.effect != ColumnEffect::stiffness &&
           std::ranges::any_of(column.terms, [&](const ColumnTerm& term) {
             return term.channel == channel && (term.feature == core::Feature::signal ||
                                                term.feature == core::Feature::position);
           });
  });
}

/// Torque of one joint at one load, relative to that at rest at position zero.
struct CurvesOfJoint {
  double load = 0;
  Eigen::ArrayXd at_zero;             ///< empty: unknown
  std::vector<double> position;       ///< empty: no dependence on it
  std::vector<Eigen::ArrayXd> there;  ///< by position

  bool changes() const { return (at_zero != 0).any(); }
  bool is_alike(const CurvesOfJoint& other) const {
    const auto are_equal = [](const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
      return a.size() == b.size() && (a == b).all();
    };
    return are_equal(at_zero, other.at_zero) && std::ranges::equal(there, other.there, are_equal);
  }
};

CurvesOfJoint curves_of(FrictionCurves& curves, double load) {
  const RegressorPlan& plan = curves.plan();
  const int coordinate = plan.channels[static_cast<std::size_t>(curves.channel())].coordinate;
  CurvesOfJoint found{.load = load,
                      .at_zero = curves.torque(load, moving(plan.robot, coordinate, 0))};
  if (found.at_zero.size() == 0) return found;
  const double rest = found.at_zero[kSpeeds / 2];
  found.at_zero -= rest;
  if (!may_depend_on_position(plan.layout, curves.channel())) return found;
  for (const double position :
       positions_of(plan.robot.coordinates[static_cast<std::size_t>(coordinate)])) {
    const Eigen::ArrayXd there = curves.torque(load, moving(plan.robot, coordinate, position));
    if (there.size() == 0) continue;
    found.position.push_back(position);
    found.there.push_back(there - rest);
  }
  if (std::ranges::all_of(found.there, [&](const Eigen::ArrayXd& torque) {
        return (torque == found.at_zero).all();
      })) {
    found.position.clear();
    found.there.clear();
  }
  return found;
}

}  // namespace

Json gains_json(const Identification& identification) {
  Json list = Json::array();
  for (const DriveGain& gain : drive_gains(identification))
    list.push_back(
        {{"joint", gain.joint},
         {"value", gain.value},
         {"interval", gain.interval ? Json{gain.interval->lower, gain.interval->upper} : Json()},
         {"identifiable", gain.is_identifiable}});
  return list;
}

std::vector<double> load_rms(const Identification& identification) {
  const Moments& moments = identification.data.moments;
  const RegressorPlan& plan = identification.plan();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rms(static_cast<std::size_t>(plan.num_channels()), nan);
  const bool mixes = moments.plan->num_channels() != plan.num_channels();
  if (mixes || moments.plan->whitened_from || moments.is_summed()) return rms;
  const auto size = core::kNumParameters * plan.layout.num_bodies();
  Eigen::VectorXd bodies = identification.answer().parameters;
  bodies.tail(bodies.size() - size).setZero();
  for (int c = 0; c < plan.num_channels(); ++c) {
    const double rows = moments.num_rows[static_cast<std::size_t>(c)];
    if (rows > 0)
      rms[static_cast<std::size_t>(c)] =
          std::sqrt(std::max(0.0, bodies.dot(channel_scores(moments, c, bodies).predicted)) / rows);
  }
  return rms;
}

Json friction_curves_json(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  const std::vector<double> loads = load_rms(identification);
  Json list = Json::array();
  if (!need_no_log(identification)) return list;
  for (int c = 0; c < plan.num_channels(); ++c) {
    const Channel& channel = plan.channels[static_cast<std::size_t>(c)];
    if (channel.coordinate < 0) continue;
    const Samples samples = moving(plan.robot, channel.coordinate, 0);
    const auto speed = samples.velocity.col(channel.coordinate);
    const auto add = [&](double load, const Eigen::ArrayXd& torque) {
      list.push_back({{"joint", channel.name},
                      {"speed", std::vector<double>(speed.begin(), speed.end())},
                      {"torque", std::vector<double>(torque.begin(), torque.end())},
                      {"load", load}});
    };
    const auto add_all = [&](const CurvesOfJoint& curves) {
      if (curves.changes()) add(curves.load, curves.at_zero);
      for (std::size_t k = 0; k < curves.position.size(); ++k) {
        add(curves.load, curves.there[k]);
        list.back()["position"] = curves.position[k];
      }
    };
    FrictionCurves of_channel(identification, c);
    const CurvesOfJoint unloaded = curves_of(of_channel, 0);
    add_all(unloaded);
    const double load = loads[static_cast<std::size_t>(c)];
    if (!std::isfinite(load)) continue;
    if (const CurvesOfJoint loaded = curves_of(of_channel, load); !loaded.is_alike(unloaded))
      add_all(loaded);
  }
  return list;
}

}  // namespace heft
