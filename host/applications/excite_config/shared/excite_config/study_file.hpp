// Reads the file of a study of designs. Threads: stateless; safe to call from several threads.
#pragma once

#include <string>

#include "excite/study.hpp"
#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the study of a YAML file, with every robot and every file of its designs read:
///   robots: [arm.urdf, {robot: arm.urdf, name: on_the_wall, base: hung}]
///   designs: [{duration: 10}, {name: short, duration: 5, objective: i}]
///   starts: 4
/// Options have the names of the flags of heft excite, and limits, beliefs and columns those of its
/// configuration. They hold for all designs at the top, or for those of one robot, or for one
/// design; the last of these counts. Paths are relative to the file. Errors name file, line and
/// key: unknown options, numbers out of range, robots or designs without a name of their own.
Result<Study> read_study(const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
