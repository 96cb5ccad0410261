// Reads the sections `limits` and `beliefs` of a YAML file for designs of motions. Threads:
// stateless; safe to call from several threads.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/excite/options.hpp"
#include "heft/model/robot.hpp"

namespace YAML {
class Node;
}

#pragma GCC visibility push(default)
namespace heft {

/// Reads the limits, beliefs and columns of `options`. Lists are in the order of the robot's
/// coordinates; one value in place of a list holds for all joints:
///   limits: {position, velocity, acceleration, jerk, torque:
///            {scale: s, values: [..] | {joint: value}}}
/// For positions, values are pairs [lower, upper], or one number for both sides of zero. Also
/// torque: {deviations: k}; clearance: [m]; couplings: [{name, of: {joint: factor}, position:
/// [lower, upper], velocity, acceleration, jerk}]. Columns are those of a configuration. Errors
/// name file, line and key.
Result<Done> read_excite_options(const std::string& path, const Robot& robot,
                                 ExciteOptions& options);

/// Does the same for a text; `where` names it in errors.
Result<Done> excite_options_from_yaml(const std::string& text, const std::string& where,
                                      const Robot& robot, ExciteOptions& options);

/// Does the same for a mapping of a text that is already read.
Result<Done> read_excite_sections(const YAML::Node& root, const std::string& where,
                                  const Robot& robot, ExciteOptions& options);

/// Returns the joint -> position map of a JSON object, {"joint": value, ..}. Errors name the file.
Result<std::map<std::string, double>> read_posture(const std::string& path);

}  // namespace heft
#pragma GCC visibility pop
