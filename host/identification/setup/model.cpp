// Expands columns, known torques and wrenches to the joints of one robot.
#include "heft/setup/setup.hpp"

#include <algorithm>
#include <cctype>

#include "base_unknowns.hpp"
#include "files/name_hint.hpp"
#include "setup/load.hpp"
#include "wrenches.hpp"

namespace heft {

namespace {

using core::Feature;

/// Returns the kind of a spec. Error: an unknown kind, which must not pass for a constant offset.
Result<const ColumnKind*> kind_of(const ColumnSpec& spec, std::span<const ColumnKind> kinds) {
  const ColumnKind* kind = find_column_kind(kinds, spec.kind);
  if (!kind)
    return Error{"columns", "unknown column kind '" + spec.kind + "'",
                 name_hint(spec.kind, column_kind_names(kinds), "one of:")};
  return kind;
}

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

/// Converts the unit of an unknown from revolute to prismatic joints: N m s/rad -> N s/m.
std::string sliding(std::string unit) {
  const std::pair<std::string, std::string> changes[] = {
      {"N m", "N"}, {"kg m^2", "kg"}, {"rad", "m"}};
  for (const auto& [from, to] : changes)
    for (std::size_t at = unit.find(from); at != std::string::npos;
         at = unit.find(from, at + to.size()))
      unit.replace(at, from.size(), to);
  return unit;
}

class Expander {
 public:
  Expander(const Robot& robot, const std::vector<Channel>& channels,
           std::span<const ColumnKind> kinds, std::vector<double> load_inertia)
      : robot_(robot), channels_(channels), kinds_(kinds), load_inertia_(std::move(load_inertia)) {}

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
    HEFT_TRY(kind, kind_of(spec, kinds_));
    return kind->is_expression && spec.each_joint.empty() ? add_expression(*kind, spec)
                                                          : add_per_joint(*kind, spec);
  }

  /// Places the wrenches and adds the columns of their biases.
  Result<Done> add_wrenches(const ModelOptions& options) {
    HEFT_TRY(placed, place_wrenches(robot_, channels_, options));
    wrenches = std::move(placed);
    derived.base_is_free = !wrenches.empty() && robot_.floating_base;
    for (PlacedWrench& wrench : wrenches)
      for (const Column& column : bias_columns(wrench, channels_, derived))
        HEFT_CHECK(push(column));
    return Done{};
  }

  /// Adds the columns of an IMU's unknowns.
  Result<Done> add_base_unknowns(const BaseSource& base) {
    if (!robot_.floating_base) return Done{};
    imu = base_unknowns(channels_, base, load_inertia_, derived);
    for (const Column& column : imu.columns) HEFT_CHECK(push(column));
    return Done{};
  }

  std::vector<Column> columns;
  DerivedSignals derived;
  std::vector<PlacedWrench> wrenches;
  BaseUnknowns imu;

 private:
  Result<Done> add_per_joint(const ColumnKind& kind, const ColumnSpec& spec) {
    const std::string& family = spec.each_joint.empty() ? spec.kind : spec.name;
    std::vector<std::string> joints = spec.joints;
    if (joints.empty())
      for (const Coordinate& coordinate : robot_.coordinates) joints.push_back(coordinate.name);
    for (const std::string& joint : joints) {
      HEFT_TRY(channel, channel_of(joint, "columns: " + spec.kind));
      const int coordinate = channels_[channel].coordinate;
      if (coordinate < 0)
        return Error{"columns: " + spec.kind, "'" + joint + "' is not a joint",
                     "name a joint of the robot"};
      Column column;
      column.name = family + " " + joint;
      column.kind = spec.kind;
      column.unit = robot_.coordinates[coordinate].is_angle ? kind.angular_unit : kind.linear_unit;
      column.joints = {joint};
      column.nonnegative = kind.is_nonnegative;
      column.effect = kind.effect;
      column.terms = {{channel, kind.feature_of(spec.tanh_width), coordinate,
                       spec.tanh_width > 0 ? spec.tanh_width : 1.0}};
      if (kind.make_memory) {
        remember(column, kind, channel, coordinate, spec.tanh_width);
      } else if (!spec.each_joint.empty()) {
        column.unit = robot_.coordinates[coordinate].is_angle ? spec.unit : sliding(spec.unit);
        column.nonnegative = spec.nonnegative;
        enter(column, channel, of_joint(spec.each_joint, coordinate + 1));
      }
      HEFT_CHECK(push(column));
    }
    return Done{};
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
                        " of width " + std::to_string(width) + "\n";
    column.terms = {{channel, Feature::signal, signal, 1.0}};
  }

  /// Adds an expression to a column, or replaces the one term that has been the channel's.
  void enter(Column& column, int channel, const std::string& expression) {
    std::erase_if(column.terms, [&](const ColumnTerm& term) { return term.channel == channel; });
    column.definition += channels_[channel].name + ": " + expression + "\n";
    if (holds_load(expression))
      column.constants = load_inertia_;  // loads of other robots: other columns
    column.terms.push_back(
        {channel, Feature::signal, signal_of(expression, "columns: " + column.name), 1.0});
  }

  Result<Done> push(const Column& column) {
    for (const Column& other : columns)
      if (other.name == column.name)
        return Error{"columns: " + column.name, "is given twice", "remove one of them"};
    if (const std::size_t most = std::max<std::size_t>(256, 16 * channels_.size());
        columns.size() == most)
      return Error{"columns: " + column.name, "would be one more than " + std::to_string(most),
                   "time and memory grow with the square of their number: remove some"};
    columns.push_back(column);
    return Done{};
  }

  /// Equal expressions share one signal.
  int signal_of(const std::string& expression, const std::string& name) {
    std::vector<std::string>& signals = derived.signals;
    const auto found = std::find(signals.begin(), signals.end(), expression);
    if (found != signals.end()) return static_cast<int>(found - signals.begin());
    signals.push_back(expression);
    derived.signal_names.push_back(name);
    return static_cast<int>(signals.size()) - 1;
  }

  const Robot& robot_;
  const std::vector<Channel>& channels_;
  std::span<const ColumnKind> kinds_;
  std::vector<double> load_inertia_;
};

bool needs_load(const DerivedSignals& derived) {
  return std::any_of(derived.signals.begin(), derived.signals.end(), holds_load) ||
         std::any_of(derived.known_torque.begin(), derived.known_torque.end(),
                     [](const auto& known) { return holds_load(known.second); });
}

/// Columns and derived signals, without the loads.
Result<Expander> expanded(const Robot& robot, const std::vector<Channel>& channels,
                          const ModelOptions& options, const std::vector<double>& load_inertia) {
  Expander expander(robot, channels, options.kinds, load_inertia);
  for (const ColumnSpec& spec : options.columns) HEFT_CHECK(expander.add(spec));
  for (const auto& [joint, expression] : options.known_torque) {
    HEFT_TRY(channel, expander.channel_of(joint, "known_torque"));
    expander.derived.known_torque[channel] = expression;
  }
  HEFT_CHECK(expander.add_wrenches(options));
  HEFT_CHECK(expander.add_base_unknowns(options.base));
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
  if (base.frame.empty() || !robot.floating_base) return Eigen::Isometry3d::Identity();
  const std::string where = "base.frame: '" + base.frame + "'";
  HEFT_TRY(place, find_link(robot, base.frame, where));
  if (place.body != 0)
    return Error{where, "moves against the root link '" + robot.bodies.front().name + "'",
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
  HEFT_TRY(plan, make_regressor_plan(std::move(robot), channels, std::move(terms.columns)));
  model.plan = std::move(plan);
  for (const PlacedWrench& wrench : terms.wrenches)
    model.derived.functions.push_back(wrench_function(model.plan, wrench));
  return model;
}

}  // namespace heft
