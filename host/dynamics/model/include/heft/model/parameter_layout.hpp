// Which unknown is where in x = [pi_1 .. pi_nb | extra columns], with names and units.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <string>
#include <vector>

#include "heft/model/column.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

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
