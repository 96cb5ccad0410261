#include "hypotheses.hpp"

#include <algorithm>
#include <cmath>

#include "evidence.hpp"

namespace heft::watch {

namespace {

// expected sizes, and the smallest ones that are reported
constexpr double kGain = 0.1, kLeastGain = 0.02;
constexpr double kZero = 0.01, kLeastZero = 0.0015;                // rad
constexpr double kZeroSlide = 0.005, kLeastZeroSlide = 0.0005;     // m
constexpr double kTilt = 0.02, kLeastTilt = 0.003;                 // rad
constexpr double kFriction = 0.3, kLeastFriction = 0.05;           // of the model's
constexpr double kPayload = 0.05, kLeastPayload = 0.005;           // of the robot's mass
constexpr double kReach = 0.1;                                     // m, of a payload's center
constexpr double kInnerLink = -2, kGravity = -3, kGainPrior = -3;  // log priors
constexpr double kStep = 1e-6;                                     // rad or m, of differences

double column_value(const WatchModel& model, ColumnEffect effect, int channel, double* width) {
  const ParameterLayout& layout = model.model.plan->layout;
  double value = 0;
  for (int k = 0; k < layout.num_columns(); ++k) {
    const Column& column = layout.columns[static_cast<std::size_t>(k)];
    if (column.effect != effect) continue;
    for (const ColumnTerm& term : column.terms)
      if (term.channel == channel) {
        value = std::max(value, std::abs(model.parameters[layout.column_index(k)]));
        if (width)
          *width = term.feature == core::Feature::tanh_velocity   ? term.width
                   : term.feature == core::Feature::sign_velocity ? 0
                                                                  : *width;
      }
  }
  return value;
}

bool carries_others(const Robot& robot, int body) {
  return std::any_of(robot.bodies.begin(), robot.bodies.end(),
                     [&](const Body& other) { return other.parent == body && !other.is_rotor; });
}

}  // namespace

Hypotheses::Hypotheses(const WatchModel& model, const std::vector<char>& is_used)
    : plan_(model.model.plan),
      coefficients_(channel_coefficients(*plan_, model.parameters)),
      moved_(plan_) {
  const RegressorPlan& plan = *plan_;
  const Robot& robot = plan.robot;
  const auto num_coordinates = static_cast<std::size_t>(robot.num_coordinates());
  width_.assign(num_coordinates, kCoulombWidth);
  channel_of_.assign(num_coordinates, -1);
  is_dry_.assign(num_coordinates, 0);
  position_.assign(num_coordinates, 0.0);
  for (int c = 0; c < plan.num_channels(); ++c) {
    const int joint = plan.channels[static_cast<std::size_t>(c)].coordinate;
    if (joint < 0 || !is_used[static_cast<std::size_t>(c)]) continue;
    channel_of_[static_cast<std::size_t>(joint)] = c;
  }
  for (int j = 0; j < robot.num_coordinates(); ++j) {
    const int c = channel_of_[static_cast<std::size_t>(j)];
    if (c < 0) continue;
    const std::string& name = robot.coordinates[static_cast<std::size_t>(j)].name;
    const double noise = model.residual_rms[c];
    add_friction(j, c, model);
    add(ChangeKind::offset, j, "offset " + name, {5 * noise}, 0.5 * noise);
    add(ChangeKind::gain, j, "gain " + name, {kGain}, kLeastGain, kGainPrior);
  }
  for (int j = 0; j < robot.num_coordinates(); ++j) {
    const Coordinate& joint = robot.coordinates[static_cast<std::size_t>(j)];
    add(ChangeKind::zero, j, "zero " + joint.name, {joint.is_angle ? kZero : kZeroSlide},
        joint.is_angle ? kLeastZero : kLeastZeroSlide);
  }
  double mass = 0;
  for (int b = 0; b < plan.layout.num_bodies(); ++b)
    mass += std::max(0.0, model.parameters[plan.layout.index(b, core::kMass)]);
  for (int b = 0; b < plan.layout.num_bodies(); ++b) {
    const Body& body =
        robot.bodies[static_cast<std::size_t>(plan.layout.body_index[static_cast<std::size_t>(b)])];
    if (body.is_rotor) continue;
    const double unit = kPayload * mass;
    add(ChangeKind::payload, b, "payload " + body.name,
        {unit, unit * kReach, unit * kReach, unit * kReach}, kLeastPayload * mass,
        carries_others(robot, plan.layout.body_index[static_cast<std::size_t>(b)]) ? kInnerLink
                                                                                   : 0);
    for (int k = 0; k < 4; ++k) {
      std::vector<Entry> entries;
      const int parameter = plan.layout.index(b, static_cast<core::Parameter>(core::kMass + k));
      for (Eigen::SparseMatrix<double>::InnerIterator it(plan.regrouping, parameter); it; ++it)
        for (int c = 0; c < plan.num_channels(); ++c) {
          const std::vector<int>& columns = plan.channel_columns[static_cast<std::size_t>(c)];
          const auto found = std::find(columns.begin(), columns.end(), static_cast<int>(it.row()));
          if (found != columns.end())
            entries.push_back({c, static_cast<int>(found - columns.begin()), it.value()});
        }
      entries_.push_back(std::move(entries));
    }
  }
  const Eigen::Vector3d gravity = robot.gravity;
  if (gravity.norm() > 0) {
    const Eigen::Vector3d one = gravity.unitOrthogonal(), two = gravity.normalized().cross(one);
    for (int i = 0; i < 3; ++i) across_[0][i] = one[i], across_[1][i] = two[i];
    const double unit = kTilt * gravity.norm();
    add(ChangeKind::gravity, 0, "gravity", {unit, unit}, kLeastTilt * gravity.norm(), kGravity);
  }
}

bool Hypotheses::is_reversing(int channel, const double* velocity, const double* acceleration,
                              double reach_s) const {
  const int joint = plan_->channels[static_cast<std::size_t>(channel)].coordinate;
  if (joint < 0 || !is_dry_[static_cast<std::size_t>(joint)]) return false;
  return std::abs(velocity[joint]) <
         2 * width_[static_cast<std::size_t>(joint)] + std::abs(acceleration[joint]) * reach_s;
}

void Hypotheses::add_friction(int joint, int channel, const WatchModel& model) {
  const std::string& name = plan_->robot.coordinates[static_cast<std::size_t>(joint)].name;
  const double noise = model.residual_rms[channel];
  const double dry = column_value(model, ColumnEffect::dry_friction, channel,
                                  &width_[static_cast<std::size_t>(joint)]);
  const double damping = column_value(model, ColumnEffect::damping, channel, nullptr);
  is_dry_[static_cast<std::size_t>(joint)] = dry > 0;
  const double least = std::max(kLeastFriction * dry, 0.2 * noise);
  const int first = num_signatures();
  add(ChangeKind::coulomb, joint, "coulomb " + name, {std::max(kFriction * dry, 2 * noise)}, least);
  add(ChangeKind::viscous, joint, "viscous " + name, {std::max(kFriction * damping, 2 * noise)},
      std::max(kLeastFriction * damping, 0.2 * noise));
  // grease and wear change both; this hypothesis shares their signatures
  list_.push_back({ChangeKind::friction, joint, "coulomb " + name, first, 2, num_sums_, least, 0,
                   static_cast<int>(list_.size()) - 1});
  num_sums_ += watch::num_sums(2);
}

void Hypotheses::add(ChangeKind kind, int index, std::string what, std::vector<double> units,
                     double least, double log_prior) {
  const auto num_sizes = static_cast<int>(units.size());
  list_.push_back(
      {kind, index, std::move(what), num_signatures(), num_sizes, num_sums_, least, log_prior});
  num_sums_ += watch::num_sums(num_sizes);
  unit_.insert(unit_.end(), units.begin(), units.end());
}

void Hypotheses::evaluate(const SampleRows& rows, const double* position, const double* velocity,
                          const double* acceleration, const double* predicted, double* signatures) {
  const int num_channels = plan_->num_channels();
  std::fill(signatures, signatures + num_signatures() * num_channels, 0.0);
  std::copy(position, position + position_.size(), position_.begin());
  std::size_t payload = 0;
  for (const Hypothesis& h : list_) {
    double* const first = signatures + h.first * num_channels;
    const double unit = unit_[static_cast<std::size_t>(h.first)];
    const int own = h.kind == ChangeKind::payload || h.kind == ChangeKind::gravity
                        ? -1
                        : channel_of_[static_cast<std::size_t>(h.index)];
    switch (h.kind) {
      case ChangeKind::coulomb: {
        const double width = width_[static_cast<std::size_t>(h.index)], v = velocity[h.index];
        first[own] =
            unit * (width > 0 ? std::tanh(v / width) : static_cast<double>((v > 0) - (v < 0)));
        break;
      }
      case ChangeKind::viscous:
        first[own] = unit * velocity[h.index];
        break;
      case ChangeKind::friction:
        break;
      case ChangeKind::offset:
        first[own] = unit;
        break;
      case ChangeKind::gain:
        first[own] = unit * predicted[own];
        break;
      case ChangeKind::zero:
        position_[static_cast<std::size_t>(h.index)] = position[h.index] + kStep;
        moved_.evaluate(position_.data(), velocity, acceleration, predicted);
        position_[static_cast<std::size_t>(h.index)] = position[h.index];
        for (int c = 0; c < num_channels; ++c)
          first[c] = -unit / kStep * (moved_.product(c, coefficients_) - predicted[c]);
        break;
      case ChangeKind::payload:
        for (int k = 0; k < h.num_sizes; ++k)
          for (const Entry& entry : entries_[payload++])
            first[k * num_channels + entry.channel] +=
                unit_[static_cast<std::size_t>(h.first + k)] * entry.factor *
                rows.row(entry.channel)[entry.place];
        break;
      case ChangeKind::gravity:
        for (int k = 0; k < 2; ++k) {
          double gravity[3];
          for (int i = 0; i < 3; ++i) gravity[i] = plan_->robot.gravity[i] + across_[k][i];
          moved_.evaluate(position, velocity, acceleration, predicted, gravity);
          for (int c = 0; c < num_channels; ++c)
            first[k * num_channels + c] = unit * (moved_.product(c, coefficients_) - predicted[c]);
        }
        break;
    }
  }
}

}  // namespace heft::watch
