// The texts of a design's files.
#pragma once

#include <string>

#include "heft/excite/files.hpp"

namespace heft::excite {

std::string trajectory_csv(const Design& design);
std::string trajectory_ros2(const Design& design);
std::string trajectory_json(const Design& design);
std::string design_page(const Design& design);

}  // namespace heft::excite
