// What result.json says about drives: gains, loads, and friction against speed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "conditioning/expressions.hpp"
#include "files/json_text.hpp"
#include "identify/gains.hpp"
#include "moments/channel_scores.hpp"
#include "result_json_parts.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSpeeds = 41;        ///< odd: the middle one is zero
constexpr double kUsualSpeed = 1;  ///< [rad/s] or [m/s], of joints without a limit

double highest_speed(const Coordinate& joint) {
  return std::isfinite(joint.max_velocity) && joint.max_velocity > 0 ? joint.max_velocity
                                                                     : kUsualSpeed;
}

/// One joint at a range of speeds, the others at rest, all at zero.
Samples moving(const Robot& robot, int coordinate) {
  Samples samples;
  samples.time = Eigen::ArrayXd::LinSpaced(kSpeeds, 0, 1);
  for (Eigen::ArrayXXd* array : {&samples.position, &samples.velocity, &samples.acceleration})
    array->setZero(kSpeeds, robot.num_coordinates());
  const double speed = highest_speed(robot.coordinates[static_cast<std::size_t>(coordinate)]);
  samples.velocity.col(coordinate) = Eigen::ArrayXd::LinSpaced(kSpeeds, -speed, speed);
  samples.velocity(kSpeeds / 2, coordinate) = 0;
  return samples;
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

/// The curves of an identification whose expressions need nothing but motion and load.
class FrictionCurves {
 public:
  explicit FrictionCurves(const Identification& identification) : of_(identification) {}

  /// Torque that depends on the speed of a channel's joint, at `load`; empty if an expression needs
  /// a column of the log.
  std::vector<double> torque(int channel, double load, Samples& samples) const {
    const RegressorPlan& plan = of_.plan();
    DerivedSignals derived{.signals = of_.setup.model.derived.signals};
    // memories, biases of wrenches and errors of an IMU do not depend on the speed
    std::ranges::replace(derived.signals, std::string(), std::string("0"));
    derived.load = [&](const Samples& block) -> Result<Eigen::ArrayXXd> {
      return Eigen::ArrayXXd::Constant(block.size(), plan.num_channels(), load).eval();
    };
    auto expressions = Expressions::compile(derived, plan.robot, plan.channels, {});
    if (!expressions || std::ssize(derived.signals) < plan.num_signals) return {};
    const auto num_calls = static_cast<Eigen::Index>(expressions->calls().size());
    if (!expressions->evaluate(Eigen::ArrayXXd(kSpeeds, 0), samples,
                               Eigen::ArrayXXd::Zero(kSpeeds, num_calls)))
      return {};
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(kSpeeds);
    const Eigen::VectorXd& x = of_.answer().parameters;
    for (int k = 0; k < plan.layout.num_columns(); ++k) {
      const Column& column = plan.layout.columns[static_cast<std::size_t>(k)];
      if (column.effect == ColumnEffect::gain) continue;
      for (const ColumnTerm& term : column.terms)
        if (term.channel == channel)
          sum += x[plan.layout.column_index(k)] * feature_of(term, samples);
    }
    sum -= sum[kSpeeds / 2];
    return {sum.begin(), sum.end()};
  }

 private:
  const Identification& of_;
};

bool changes(const std::vector<double>& torque) {
  return std::ranges::any_of(torque, [](double value) { return value != 0; });
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
  const FrictionCurves curves(identification);
  const std::vector<double> loads = load_rms(identification);
  Json list = Json::array();
  for (int c = 0; c < plan.num_channels(); ++c) {
    const int coordinate = plan.channels[static_cast<std::size_t>(c)].coordinate;
    if (coordinate < 0) continue;
    Samples samples = moving(plan.robot, coordinate);
    if (plan.robot.floating_base) samples.base_motion.setZero(kSpeeds, 9);
    const std::vector<double> speed(samples.velocity.col(coordinate).begin(),
                                    samples.velocity.col(coordinate).end());
    const auto add = [&](double load, const std::vector<double>& torque) {
      list.push_back({{"joint", plan.channels[static_cast<std::size_t>(c)].name},
                      {"speed", speed},
                      {"torque", torque},
                      {"load", load}});
    };
    const std::vector<double> unloaded = curves.torque(c, 0, samples);
    if (changes(unloaded)) add(0, unloaded);
    const double load = loads[static_cast<std::size_t>(c)];
    if (!std::isfinite(load)) continue;
    const std::vector<double> loaded = curves.torque(c, load, samples);
    if (loaded != unloaded && changes(loaded)) add(load, loaded);
  }
  return list;
}

}  // namespace heft
