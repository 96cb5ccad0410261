// The order of the unknowns in x = [pi_1 .. pi_nb | extra columns], with names and units, and the
// definition of the extra columns. Threads: plain values; concurrent reads are safe, a writer needs
// exclusive access.
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

/// The physical meaning of a column's unknown. Column::effect decides what robot files store
/// (damping and dry friction), the size that excitation expects of the unknown, the part of rotors
/// in traces, and which columns checks, doubts and the summary are about.
enum class ColumnEffect { other, damping, dry_friction, offset, rotor_inertia, stiffness, gain };

/// A feature with memory, such as a friction state. It advances over every sample of a segment in
/// order, at the full rate, before decimation, in both training and held-out logs. Candidate
/// motions have no history: excitation refuses such columns.
class ColumnMemory {
 public:
  virtual ~ColumnMemory() = default;
  /// Starts a segment.
  virtual void reset() = 0;
  /// Returns the factor of the unknown at the next sample, `period_s` after the previous one.
  virtual double advance(double position, double velocity, double acceleration,
                         double period_s) = 0;
  /// Returns a copy in the same state.
  virtual std::unique_ptr<ColumnMemory> clone() const = 0;
};

/// The option of a kind beside `joints`, by its name in YAML.
enum class ColumnOption {
  tanh_width,  ///< of the velocity, for kinds with ColumnKind::has_width
  sd,          ///< standard deviation of the unknown before the data: of a gain
  order,       ///< highest multiple of the position: several columns per joint
  width,       ///< of the position, for kinds with a memory
  widths,      ///< several of these: one column each
};

/// One kind of columns. Configuration, setup, selection and missing_terms of the diagnostics read
/// the table of kinds; code behind the setup reads Column::effect.
struct ColumnKind {
  std::string_view name;  ///< in YAML, JSON and messages
  ColumnEffect effect = ColumnEffect::other;
  core::Feature feature = core::Feature::one;  ///< factor of the unknown
  const char* angular_unit = "";               ///< of the unknown of a revolute joint
  const char* linear_unit = "";                ///< of a prismatic joint
  bool is_nonnegative = false;                 ///< the unknown cannot be negative
  /// Accepts the option tanh_width; with a width above 0 the feature is tanh(qd / width).
  bool has_width = false;
  double default_width = 0;  ///< [rad/s] or [m/s], without tanh_width; [rad] or [m] of `width`
  /// The spec gives feature, unit and sign as expressions.
  bool is_expression = false;
  int place_in_menu = 0;  ///< order in which `--columns auto` tries kinds; 0: never
  /// Makes the state of a joint's column with this width; null: the feature has no memory.
  std::unique_ptr<ColumnMemory> (*make_memory)(double width) = nullptr;
  /// Factor of the unknown in the joint's own q, qd, qdd and load, in place of the feature; empty:
  /// the feature.
  std::string_view expression = {};
  ColumnOption option = ColumnOption::tanh_width;  ///< what has_width or the kind's columns need

  /// Returns the feature of a column with this width.
  core::Feature feature_of(double width) const {
    return has_width && width > 0 ? core::Feature::tanh_velocity : feature;
  }
};

inline constexpr double kCoulombWidth = 0.05;  ///< [rad/s] or [m/s], default of tanh_width

/// Returns the built-in table.
std::span<const ColumnKind> column_kinds();

/// Returns the kind with this name, or null.
const ColumnKind* find_column_kind(std::span<const ColumnKind> kinds, std::string_view name);

/// Returns the names, in the order of the table.
std::vector<std::string> column_kind_names(std::span<const ColumnKind> kinds);

/// One term of a Column: adds a feature of the motion to the row of one channel.
struct ColumnTerm {
  int channel = 0;                             ///< channel whose row the term enters
  core::Feature feature = core::Feature::one;  ///< function of the motion
  int source = 0;                              ///< coordinate, or column of Samples::signal
  double width = 1;                            ///< tanh(velocity / width), [rad/s] or [m/s]
};

/// An unknown beyond the bodies' parameters: friction, offset, reflected inertia, spring, coupling.
/// A column is a table of terms, each of which adds one feature of the motion to the row of one
/// channel.
struct Column {
  std::string name;                 ///< e.g. "viscous joint_2"; unique
  std::string kind;                 ///< e.g. "viscous"
  std::string unit;                 ///< of the unknown, e.g. "N m s/rad"
  std::vector<std::string> joints;  ///< joints that the column involves, for display and
                                    ///< result.json
  std::string definition;         ///< expressions behind its sample signals; distinguishes columns
  std::vector<double> constants;  ///< numbers behind the signals: the reference robot of a load, or
                                  ///< empty
  std::vector<ColumnTerm> terms;  ///< at most one per channel
  bool nonnegative = false;  ///< the unknown has a physical sign: friction and reflected inertia
  /// The meaning of the unknown; make_parameter_layout fills in that of a built-in kind.
  ColumnEffect effect = ColumnEffect::other;
  /// Of a gain g, measured torque = (1 + g) x true torque: its standard deviation before the data.
  double gain_sd = 0;
  /// Of a gain: measured torques are divided by it. The unknown d corrects it, 1 + g = gain (1 +
  /// d).
  double gain = 1;
};

/// Returns the value of a column for readers: g of a gain, otherwise the unknown itself.
inline double shown_value(const Column& column, double unknown) {
  return column.effect == ColumnEffect::gain ? column.gain * (1 + unknown) - 1 : unknown;
}

/// Returns the unknown of a column from its shown_value().
inline double unknown_of(const Column& column, double shown) {
  return column.effect == ColumnEffect::gain ? (1 + shown) / column.gain - 1 : shown;
}

/// The order of all unknowns.
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

/// Returns the layout of a robot: its bodies with parameters in robot order, without the massless
/// links of joint chains, then the columns as given. make_regressor_plan checks the columns.
ParameterLayout make_parameter_layout(const Robot& robot, std::vector<Column> columns);

}  // namespace heft
#pragma GCC visibility pop
