// Files of designs, out and in.
// Threads: any number of threads may call; two calls must not write to one folder.
#pragma once

#include <string>
#include <vector>

#include "heft/excite/design.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Writes design.json and report.html to a folder, which is made; of a design that is feasible also
/// trajectory.csv, trajectory.ros2.yaml and trajectory.json. All or none; those of an earlier
/// design do not stay beside one that is not feasible. Returns the paths.
Result<std::vector<std::string>> write_design(const Design& design, const std::string& directory);

/// design.json.
std::string design_json(const Design& design);

/// What the program prints.
std::string design_summary(const Design& design);

/// The motion behind a design, from its trajectory.json. Errors: a file of another kind or of
/// another robot.
Result<CoefficientMotion> read_trajectory(const std::string& path, const Robot& robot);

}  // namespace heft
#pragma GCC visibility pop
