// Text of the files of a design.
#pragma once

#include <string>

#include "heft/excite/design.hpp"

namespace heft::excite {

std::string trajectory_csv(const Robot& robot, const MotionSamples& samples);
std::string trajectory_ros2(const Robot& robot, const MotionSamples& samples);
std::string trajectory_json(const Design& design);
std::string design_page(const Design& design);

}  // namespace heft::excite
