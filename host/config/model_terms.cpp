// Spells the configured columns and known torques out for the joints of one robot.
#include <algorithm>

#include "heft/configuration.hpp"
#include "host/text/name_hint.hpp"

namespace heft {

namespace {

using core::Feature;

struct KindTraits {
  Feature feature;
  const char* angular_unit;  ///< of the unknown at a joint that turns
  const char* linear_unit;   ///< at a joint that slides
  bool nonnegative;
};

KindTraits traits_of(const ColumnSpec& spec) {
  if (spec.kind == "viscous") return {Feature::velocity, "N m s/rad", "N s/m", true};
  if (spec.kind == "coulomb")
    return {spec.tanh_width > 0 ? Feature::tanh_velocity : Feature::sign_velocity, "N m", "N", true};
  if (spec.kind == "reflected_inertia") return {Feature::acceleration, "kg m^2", "kg", true};
  if (spec.kind == "spring") return {Feature::position, "N m/rad", "N/m", false};
  return {Feature::one, "N m", "N", false};
}

class Expander {
 public:
  Expander(const Robot& robot, const std::vector<Channel>& channels) : robot_(robot), channels_(channels) {}

  Result<int> channel_of(const std::string& joint, const std::string& where) const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      if (channels_[c].name == joint) return static_cast<int>(c);
      names.push_back(channels_[c].name);
    }
    return Error{where, "the robot has no joint '" + joint + "'", name_hint(joint, names, "its joints are")};
  }

  Result<Done> add(const ColumnSpec& spec) {
    return spec.kind == "expression" ? add_expression(spec) : add_per_joint(spec);
  }

  ModelTerms terms;

 private:
  Result<Done> add_per_joint(const ColumnSpec& spec) {
    const KindTraits traits = traits_of(spec);
    std::vector<std::string> joints = spec.joints;
    if (joints.empty())
      for (const Coordinate& coordinate : robot_.coordinates) joints.push_back(coordinate.name);
    for (const std::string& joint : joints) {
      HEFT_TRY(channel, channel_of(joint, "columns: " + spec.kind));
      const int coordinate = channels_[channel].coordinate;
      if (coordinate < 0)
        return Error{"columns: " + spec.kind, "'" + joint + "' is not a joint", "name a joint of the robot"};
      Column column;
      column.name = spec.kind + " " + joint;
      column.kind = spec.kind;
      column.unit = robot_.coordinates[coordinate].is_angle ? traits.angular_unit : traits.linear_unit;
      column.joints = {joint};
      column.nonnegative = traits.nonnegative;
      column.terms = {{channel, traits.feature, coordinate, spec.tanh_width > 0 ? spec.tanh_width : 1.0}};
      HEFT_CHECK(push(column));
    }
    return Done{};
  }

  Result<Done> add_expression(const ColumnSpec& spec) {
    Column column;
    column.name = spec.name;
    column.kind = spec.kind;
    column.unit = spec.unit;
    column.nonnegative = spec.nonnegative;
    for (const auto& [joint, expression] : spec.rows) {
      HEFT_TRY(channel, channel_of(joint, "columns: " + spec.name));
      column.joints.push_back(joint);
      column.definition += joint + ": " + expression + "\n";
      column.terms.push_back({channel, Feature::signal, signal_of(expression, "columns: " + spec.name), 1.0});
    }
    return push(column);
  }

  Result<Done> push(const Column& column) {
    for (const Column& other : terms.columns)
      if (other.name == column.name)
        return Error{"columns: " + column.name, "is given twice", "remove one of them"};
    terms.columns.push_back(column);
    return Done{};
  }

  /// Equal expressions share one signal.
  int signal_of(const std::string& expression, const std::string& name) {
    std::vector<std::string>& signals = terms.derived.signals;
    const auto found = std::find(signals.begin(), signals.end(), expression);
    if (found != signals.end()) return static_cast<int>(found - signals.begin());
    signals.push_back(expression);
    terms.derived.signal_names.push_back(name);
    return static_cast<int>(signals.size()) - 1;
  }

  const Robot& robot_;
  const std::vector<Channel>& channels_;
};

}  // namespace

Result<ModelTerms> expand_model_terms(const Configuration& configuration, const Robot& robot,
                                      const std::vector<Channel>& channels) {
  Expander expander(robot, channels);
  for (const ColumnSpec& spec : configuration.columns) HEFT_CHECK(expander.add(spec));
  for (const auto& [joint, expression] : configuration.known_torque) {
    HEFT_TRY(channel, expander.channel_of(joint, "known_torque"));
    expander.terms.derived.known_torque[channel] = expression;
  }
  return expander.terms;
}

Result<Model> make_model(Robot robot, const Configuration& configuration) {
  const std::vector<Channel> channels = default_channels(robot);
  HEFT_TRY(terms, expand_model_terms(configuration, robot, channels));
  HEFT_TRY(plan, make_regressor_plan(std::move(robot), channels, std::move(terms.columns)));
  return Model{plan, std::move(terms.derived)};
}

}  // namespace heft
