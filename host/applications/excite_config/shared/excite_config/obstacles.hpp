// Reads obstacles from a YAML file. Threads: stateless; safe to call from several threads.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/clearance/options.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the obstacles around a robot, in base axes, in meters and radians:
///   obstacles:
///     - {name: table, box: [1.2, 0.8, 0.04], position: [0.6, 0, -0.02], rpy: [0, 0, 0]}
///     - {name: post, cylinder: {radius: 0.05, length: 1}, position: [0.5, 0.5, 0.5]}
///     - {name: ball, sphere: {radius: 0.1}, position: [0, 0.6, 0.8]}
/// Errors name file, line and key: no shape or several shapes, sizes that are not positive, missing
/// or duplicate names.
Result<std::vector<Obstacle>> read_obstacles(const std::string& path);

/// Does the same for a text; `where` names it in errors.
Result<std::vector<Obstacle>> obstacles_from_yaml(const std::string& text,
                                                  const std::string& where);

}  // namespace heft
#pragma GCC visibility pop
