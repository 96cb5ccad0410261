// Which unknown is where in x = [pi_1 .. pi_nb | extra columns], with names and units; and what the
// extra columns are. Threads: plain values: share them for reading; a thread that changes one must
// own it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heft/core/choices.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

// Unknowns beyond the bodies: friction, offsets, reflected inertia, springs, couplings. A column is
// data, not code: a table of terms, each of which adds one feature of the motion to the row of one
// channel.

/// What a column's unknown stands for. Robot files keep damping and dry friction; excitation takes
/// the unknown's prior size from it; traces show rotor inertia apart from friction.
enum class ColumnEffect { other, damping, dry_friction, offset, rotor_inertia, stiffness };

/// A feature with memory, such as a friction state. It hears every sample of a segment in order, at
/// the full rate, before samples are thinned out; training and held-out logs alike. Motions that
/// are no logs have no order of samples: excitation refuses such columns.
class ColumnMemory {
 public:
  virtual ~ColumnMemory() = default;
  /// Begins a segment.
  virtual void reset() = 0;
  /// Returns what multiplies the unknown at the next sample, `period_s` after the one before.
  virtual double advance(double position, double velocity, double acceleration,
                         double period_s) = 0;
  /// Returns a copy in the same state.
  virtual std::unique_ptr<ColumnMemory> clone() const = 0;
};

struct ColumnKind {
  std::string_view name;  ///< in YAML, JSON and messages
  ColumnEffect effect = ColumnEffect::other;
  core::Feature feature = core::Feature::one;  ///< what the unknown multiplies
  const char* angular_unit = "";               ///< of the unknown at a joint that turns
  const char* linear_unit = "";                ///< at a joint that slides
  bool is_nonnegative = false;                 ///< physics demands the sign
  /// The option tanh_width is accepted; a width above 0 makes tanh(qd / width) of the feature.
  bool has_width = false;
  double default_width = 0;  ///< [rad/s] or [m/s], where a configuration gives none
  /// Feature, unit and sign stand in the spec as expressions instead.
  bool is_expression = false;
  int place_in_menu = 0;  ///< among the kinds that `--columns auto` tries; 0: not tried
  /// Makes the state of a joint's column of such a width; null: the feature has no memory.
  std::unique_ptr<ColumnMemory> (*make_memory)(double width) = nullptr;

  /// The feature of a column of this width.
  core::Feature feature_of(double width) const {
    return has_width && width > 0 ? core::Feature::tanh_velocity : feature;
  }
};

inline constexpr double kCoulombWidth = 0.05;  ///< [rad/s] or [m/s], of tanh where none is given

/// The built-in table.
std::span<const ColumnKind> column_kinds();

/// The kind of this name, or null.
const ColumnKind* find_column_kind(std::span<const ColumnKind> kinds, std::string_view name);

/// The names, in the order of the table.
std::vector<std::string> column_kind_names(std::span<const ColumnKind> kinds);

struct ColumnTerm {
  int channel = 0;                             ///< row that the term enters
  core::Feature feature = core::Feature::one;  ///< what it is made of
  int source = 0;                              ///< coordinate, or column of Samples::signal
  double width = 1;                            ///< tanh(velocity / width), [rad/s] or [m/s]
};

struct Column {
  std::string name;                 ///< e.g. "viscous joint_2"; unique
  std::string kind;                 ///< e.g. "viscous"
  std::string unit;                 ///< of the unknown, e.g. "N m s/rad"
  std::vector<std::string> joints;  ///< the joints it touches, for people and for result.json
  std::string definition;  ///< the expressions behind its sample signals: they tell columns apart
  std::vector<double> constants;  ///< numbers behind them, too: the reference robot of a load, or
                                  ///< none
  std::vector<ColumnTerm> terms;  ///< at most one per channel
  bool nonnegative = false;       ///< physics demands a sign: friction and reflected inertia
  /// The meaning of the unknown; make_parameter_layout fills in that of a built-in kind.
  ColumnEffect effect = ColumnEffect::other;
};

struct ParameterLayout {
  std::vector<std::string> bodies;  ///< bodies with parameters, in robot order
  std::vector<int> body_index;      ///< their index in Robot::bodies
  std::vector<Column> columns;      ///< extra columns

  int num_bodies() const { return static_cast<int>(bodies.size()); }
  int num_columns() const { return static_cast<int>(columns.size()); }
  int num_parameters() const { return core::kNumParameters * num_bodies() + num_columns(); }
  int index(int body, core::Parameter parameter) const {
    return core::kNumParameters * body + parameter;
  }
  int column_index(int column) const { return core::kNumParameters * num_bodies() + column; }

  std::string name(int parameter) const;  ///< "upper_arm.mcx", "viscous joint_2"
  std::string unit(int parameter) const;  ///< "kg m", "N m s/rad"
};

/// The layout of a robot: its bodies with parameters in robot order, massless links of joint chains
/// left out, then the columns as given. Columns are not checked here but in make_regressor_plan.
ParameterLayout make_parameter_layout(const Robot& robot, std::vector<Column> columns);

}  // namespace heft
#pragma GCC visibility pop
