// A robot in Python: the text of its file, the options that it was read with, and the Robot.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heft/config/configuration.hpp"
#include "heft/mechanics/mechanics.hpp"
#include "heft/robot/robot_document.hpp"
#include "row_memory.hpp"

namespace heft::python {

struct PyRobot {
  RobotOptions options;
  Robot robot;
  Mechanics mechanics;
  std::shared_ptr<RowMemory> row_memory = std::make_shared<RowMemory>();
};

using RobotPtr = std::shared_ptr<PyRobot>;

/// Returns the robot for a configuration: sensors keep links separate, and the options of the
/// section robot apply. Errors: those of read_robot.
Result<Robot> robot_as_configured(const PyRobot& robot, const Configuration& configuration);

template <class Noun>
std::vector<std::string> names_of(const std::vector<Noun>& nouns) {
  std::vector<std::string> names;
  for (const Noun& noun : nouns) names.push_back(noun.name);
  return names;
}

}  // namespace heft::python
