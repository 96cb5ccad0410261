// Expands columns, known torques and wrenches to the joints of one robot.
#include "heft/setup/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base_unknowns.hpp"
#include "contacts.hpp"
#include "files/name_hint.hpp"
#include "joint_columns.hpp"
#include "setup/load.hpp"
#include "setup/payload.hpp"
#include "wrenches.hpp"

namespace heft {

namespace {

using core::Feature;

/// An expression in a joint's own q, qd, qdd and load as one in those of the robot: q -> q3.
std::string of_joint(const std::string& expression, int index_from_1) {
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string text;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at;
    while (end < expression.size() && is_name(expression[end])) ++end;
    if (end == at) {
      text += expression[at++];
      continue;
    }
    const std::string word = expression.substr(at, end - at);
    const bool is_own = word == "q" || word == "qd" || word == "qdd" || word == "load";
    text += is_own ? word + std::to_string(index_from_1) : word;
    at = end;
  }
  return text;
}

class Expander {
 public:
  Expander(const Robot& robot, const std::vector<Channel>& channels, const ModelOptions& options,
           std::vector<double> load_inertia)
      : robot_(robot),
        channels_(channels),
        options_(options),
        load_inertia_(std::move(load_inertia)) {}

  Result<int> channel_of(const std::string& joint, const std::string& where) const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      if (channels_[c].name == joint) return static_cast<int>(c);
      names.push_back(channels_[c].name);
    }
    return Error{where, "the robot has no joint '" + joint + "'",
                 name_hint(joint, names, "its joints are")};
  }

  Result<Done> add(const ColumnSpec& spec) {
    HEFT_TRY(kind, kind_of(spec, options_.kinds));
    return kind->is_expression && spec.each_joint.empty() ? add_expression(*kind, spec)
                                                          : add_per_joint(*kind, spec);
  }

  /// Places the wrenches and adds the columns of their biases.
  Result<Done> add_wrenches(const ModelOptions& options) {
    HEFT_TRY(placed, place_wrenches(robot_, channels_, options));
    wrenches = std::move(placed);
    const bool is_complete = !wrenches.empty() || !options.contacts.empty();
    derived.base_is_free = is_complete && robot_.floating_base;
    for (PlacedWrench& wrench : wrenches)
      for (const Column& column : bias_columns(wrench, channels_, derived))
        HEFT_CHECK(push(column));
    return Done{};
  }

  /// Places the contacts that are projected, with signals for their directions, and adds signals of
  /// measured wrenches.
  Result<Done> add_contacts(const ModelOptions& options) {
    HEFT_TRY(placed, place_contacts(robot_, channels_, options));
    contacts = std::move(placed);
    for (PlacedContact& contact : contacts) add_signals(contact, derived);
    for (PlacedWrench& wrench : wrenches) add_value_signals(wrench, derived);
    return Done{};
  }

  /// Adds the columns of an IMU's unknowns.
  Result<Done> add_base_unknowns(const BaseSource& base) {
    if (!has_imu_unknowns(robot_, options_)) return Done{};
    imu = base_unknowns(channels_, base, load_inertia_, derived);
    for (const Column& column : imu.columns) HEFT_CHECK(push(column));
    return Done{};
  }

  std::vector<Column> columns;
  DerivedSignals derived;
  std::vector<PlacedWrench> wrenches;
  std::vector<PlacedContact> contacts;
  BaseUnknowns imu;

 private:
  Result<Done> add_per_joint(const ColumnKind& kind, const ColumnSpec& spec) {
    std::vector<std::string> joints = spec.joints;
    if (joints.empty())
      for (const Coordinate& coordinate : robot_.coordinates) joints.push_back(coordinate.name);
    const std::vector<JointColumn> forms = joint_columns(kind, spec);
    if (forms.empty())
      return Error{"columns: " + spec.kind, "has no width and no order", "give at least one"};
    for (const std::string& joint : joints) {
      HEFT_TRY(channel, channel_of(joint, "columns: " + spec.kind));
      if (channels_[channel].coordinate < 0)
        return Error{"columns: " + spec.kind, "'" + joint + "' is not a joint",
                     "name a joint of the robot"};
      for (const JointColumn& form : forms) HEFT_CHECK(push(column_of(kind, spec, form, channel)));
    }
    return Done{};
  }

  Column column_of(const ColumnKind& kind, const ColumnSpec& spec, const JointColumn& form,
                   int channel) {
    const int coordinate = channels_[channel].coordinate;
    Column column;
    column.name = form.name + " " + channels_[channel].name;
    column.kind = spec.kind;
    column.unit = robot_.coordinates[coordinate].is_angle ? form.angular_unit : form.linear_unit;
    column.joints = {channels_[channel].name};
    column.nonnegative = form.is_nonnegative;
    column.effect = kind.effect;
    column.terms = {
        {channel, kind.feature_of(form.width), coordinate, form.width > 0 ? form.width : 1.0}};
    if (kind.make_memory)
      remember(column, kind, channel, coordinate, form.width);
    else if (!form.expression.empty())
      enter(column, channel, of_joint(form.expression, coordinate + 1));
    if (kind.effect == ColumnEffect::gain) make_gain(column, spec, channel);
    return column;
  }

  /// Measured torques are divided by the gain that is known so far.
  void make_gain(Column& column, const ColumnSpec& spec, int channel) {
    column.gain_sd = spec.sd;
    column.gain = options_.torque_gain.of(channels_[channel].name, channels_[channel].coordinate);
    if (column.gain != 1) derived.torque_gain[channel] = column.gain;
  }

  Result<Done> add_expression(const ColumnKind& kind, const ColumnSpec& spec) {
    Column column;
    column.name = spec.name;
    column.kind = spec.kind;
    column.unit = spec.unit;
    column.nonnegative = spec.nonnegative;
    column.effect = kind.effect;
    for (const auto& [joint, expression] : spec.rows) {
      HEFT_TRY(channel, channel_of(joint, "columns: " + spec.name));
      column.joints.push_back(joint);
      enter(column, channel, expression);
    }
    return push(column);
  }

  /// Makes a column's term a signal with memory.
  void remember(Column& column, const ColumnKind& kind, int channel, int coordinate, double width) {
    const auto signal = static_cast<int>(derived.signals.size());
    derived.signals.emplace_back();
    derived.signal_names.push_back("columns: " + column.name);
    derived.memories[signal] = {coordinate,
                                [make = kind.make_memory, width] { return make(width); }};
    column.definition = channels_[channel].name + ": memory of " + std::string(kind.name) +
                        " of width " + fmt::format("{:g}", width) + "\n";
    column.terms = {{channel, Feature::signal, signal, 1.0}};
  }

  /// Adds an expression to a column, or replaces the one term that has been the channel's.
  void enter(Column& column, int channel, const std::string& expression) {
    std::erase_if(column.terms, [&](const ColumnTerm& term) { return term.channel == channel; });
    column.definition += channels_[channel].name + ": " + expression + "\n";
    if (holds_load(expression))
      column.constants = load_inertia_;  // loads of other robots: other columns
    const std::string name = "columns: " + column.name;
    const bool is_gain = column.effect == ColumnEffect::gain;
    const int signal = is_gain ? new_signal(expression, name) : signal_of(expression, name);
    if (is_gain) derived.gain_signals[signal] = channel;
    column.terms.push_back({channel, Feature::signal, signal, 1.0});
  }

  Result<Done> push(const Column& column) {
    for (const Column& other : columns)
      if (other.name == column.name)
        return Error{"columns: " + column.name, "is given twice", "remove one of them"};
    if (const std::size_t most = std::max<std::size_t>(256, 16 * channels_.size());
        columns.size() == most)
      return Error{"columns: " + column.name,
                   "is one more than the limit of " + std::to_string(most),
                   "remove some: time and memory grow with the square of their number"};
    columns.push_back(column);
    return Done{};
  }

  /// Equal expressions share one signal, except those of gains.
  int signal_of(const std::string& expression, const std::string& name) {
    for (int signal = 0; signal < std::ssize(derived.signals); ++signal)
      if (derived.signals[signal] == expression && !derived.gain_signals.contains(signal))
        return signal;
    return new_signal(expression, name);
  }

  int new_signal(const std::string& expression, const std::string& name) {
    derived.signals.push_back(expression);
    derived.signal_names.push_back(name);
    return static_cast<int>(derived.signals.size()) - 1;
  }

  const Robot& robot_;
  const std::vector<Channel>& channels_;
  const ModelOptions& options_;
  std::vector<double> load_inertia_;
};

/// Gains that the options know must be positive, and of joints with such a column.
Result<Done> check_gains(const ModelOptions& options, const Robot& robot,
                         const std::vector<Column>& columns) {
  HEFT_CHECK(check_per_joint("load.gain", options.torque_gain, robot));
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const std::string& joint = robot.coordinates[k].name;
    const double gain = options.torque_gain.of(joint, k);
    if (!(gain > 0) || !std::isfinite(gain))
      return Error{"load.gain", "the gain of '" + joint + "' is not positive",
                   "give measured torque / true torque; log.torque_scale can reverse the sign"};
    const bool has_column = std::ranges::any_of(columns, [&](const Column& column) {
      return column.effect == ColumnEffect::gain && column.joints.front() == joint;
    });
    if (gain != 1 && !has_column)
      return Error{"load.gain", "'" + joint + "' has no gain column",
                   "add - gain: {sd: 0.1} to columns, or set log.torque_scale"};
  }
  return Done{};
}

bool needs_load(const DerivedSignals& derived) {
  return std::any_of(derived.signals.begin(), derived.signals.end(), holds_load) ||
         std::any_of(derived.known_torque.begin(), derived.known_torque.end(),
                     [](const auto& known) { return holds_load(known.second); });
}

/// Columns and derived signals, without the loads.
Result<Expander> expanded(const Robot& robot, const std::vector<Channel>& channels,
                          const ModelOptions& options, const std::vector<double>& load_inertia) {
  Expander expander(robot, channels, options, load_inertia);
  for (const ColumnSpec& spec : options.columns) HEFT_CHECK(expander.add(spec));
  HEFT_CHECK(check_gains(options, robot, expander.columns));
  for (const auto& [joint, expression] : options.known_torque) {
    HEFT_TRY(channel, expander.channel_of(joint, "known_torque"));
    expander.derived.known_torque[channel] = expression;
  }
  HEFT_CHECK(expander.add_wrenches(options));
  HEFT_CHECK(expander.add_base_unknowns(options.base));
  HEFT_CHECK(expander.add_contacts(options));  // last: no column refers to their signals
  return expander;
}

std::vector<double> load_inertia_of(const ModelOptions& options, const Robot& robot) {
  return options.load_inertia.empty() ? inertia_of_file(robot) : options.load_inertia;
}

}  // namespace

Result<std::vector<Column>> make_columns(const Robot& robot, const std::vector<Channel>& channels,
                                         const ModelOptions& options) {
  HEFT_TRY(terms, expanded(robot, channels, options, load_inertia_of(options, robot)));
  return std::move(terms.columns);
}

Result<const ColumnKind*> kind_of(const ColumnSpec& spec, std::span<const ColumnKind> kinds) {
  const ColumnKind* kind = find_column_kind(kinds, spec.kind);
  if (!kind)
    return Error{"columns", "unknown column kind '" + spec.kind + "'",
                 name_hint(spec.kind, column_kind_names(kinds), "one of:")};
  return kind;
}

bool has_imu_unknowns(const Robot& robot, const ModelOptions& options) {
  return robot.floating_base && (options.base.bias || options.base.rotation);
}

bool has_gain(const ModelOptions& options) {
  return std::ranges::any_of(options.columns, [&](const ColumnSpec& spec) {
    const ColumnKind* kind = find_column_kind(options.kinds, spec.kind);
    return kind && kind->effect == ColumnEffect::gain;
  });
}

Result<std::vector<Channel>> model_channels(const Robot& robot, const ModelOptions& options) {
  std::vector<Channel> channels = default_channels(robot);
  HEFT_TRY(sensors, sensor_channels(robot, options.sensors));
  for (const Channel& sensor : sensors)
    for (const Channel& channel : channels)
      if (channel.name == sensor.name)
        return Error{"sensors", "two channels are called '" + sensor.name + "'",
                     "give the sensor another name"};
  channels.insert(channels.end(), sensors.begin(), sensors.end());
  return channels;
}

Result<Eigen::Isometry3d> base_frame_pose(const Robot& robot, const BaseSource& base) {
  if (!robot.floating_base && base != BaseSource())
    return Error{"base", "is set, but the robot has a fixed base",
                 "set robot: {floating_base: true}, or remove base"};
  if (base.frame.empty()) return Eigen::Isometry3d::Identity();
  const std::string where = "base.frame: '" + base.frame + "'";
  HEFT_TRY(place, find_link(robot, base.frame, where));
  if (place.body != 0)
    return Error{where, "moves relative to the root link '" + robot.bodies.front().name + "'",
                 "name the root link, or a link that is fixed to it"};
  return place.X_body_link;
}

Result<Model> make_model(Robot robot, const ModelOptions& options) {
  HEFT_TRY(channels, model_channels(robot, options));
  HEFT_TRY(X_root_frame, base_frame_pose(robot, options.base));
  std::vector<double> load_inertia = load_inertia_of(options, robot);
  HEFT_TRY(terms, expanded(robot, channels, options, load_inertia));
  Model model{.derived = std::move(terms.derived)};
  model.derived.X_root_frame = X_root_frame;
  if (needs_load(model.derived)) {
    HEFT_TRY(load, make_load(robot, channels, load_inertia));
    model.derived.load = std::move(load);
    model.load_inertia = load_inertia;
  }
  if (!terms.imu.columns.empty()) {
    HEFT_TRY(load, make_load(robot, channels, load_inertia));
    model.derived.functions.push_back(
        base_unknowns_function(terms.imu, options.base, X_root_frame, load));
    model.load_inertia = load_inertia;
  }
  HEFT_TRY(payloads, make_payloads(robot, channels, options.payloads));
  model.payloads = std::move(payloads);
  HEFT_TRY(plan, make_regressor_plan(std::move(robot), channels, std::move(terms.columns)));
  model.plan = std::move(plan);
  for (const PlacedWrench& wrench : terms.wrenches) {
    model.derived.functions.push_back(wrench_function(model.plan, wrench));
    model.feet.push_back(signals_of(wrench));
  }
  for (std::size_t k = 0; k < terms.contacts.size(); ++k)
    model.feet.push_back(signals_of(terms.contacts[k], static_cast<int>(k)));
  if (!terms.contacts.empty()) HEFT_CHECK(project_contacts(terms.contacts, options, model));
  return model;
}

}  // namespace heft
