// Which unknown is where in x = [pi_1 .. pi_nb | extra columns], with names and units; and what the
// extra columns are. Threads: plain values: share them for reading; a thread that changes one must
// own it.
#pragma once

#include <string>
#include <vector>

#include "heft/core/choices.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

// Unknowns beyond the bodies: friction, offsets, reflected inertia, springs, couplings. A column is
// data, not code: a table of terms, each of which adds one feature of the motion to the row of one
// channel.

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
