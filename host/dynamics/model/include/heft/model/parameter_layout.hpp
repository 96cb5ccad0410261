// The order of the unknowns in x = [pi_1 .. pi_nb | extra columns], with names and units, and the
// definition of the extra columns. Threads: plain values; concurrent reads are safe, a writer needs
// exclusive access.
#pragma once

#include <string>
#include <vector>

#include "heft/core/choices.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

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
};

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
