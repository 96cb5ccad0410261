// An identified model, read back from the directory that write_result made.
#pragma once

#include <Eigen/Core>
#include <string>

#include "heft/config/configuration.hpp"
#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct IdentifiedModel {
  PlanPtr plan;
  Configuration configuration;  ///< options of the identification
  DerivedSignals derived;
  Eigen::VectorXd parameters;  ///< of plan->layout
};

/// The result.json in a directory; any other path is the file itself.
std::string result_path_of(const std::string& given);

/// Kinematics from identified.urdf (and rotors.yaml) beside result.json, parameters and options from
/// result.json, which is `given` or lies in that directory. Errors: not a result of Heft, no URDF beside it,
/// names that do not match.
Result<IdentifiedModel> read_identified_model(const std::string& given);

}  // namespace heft
#pragma GCC visibility pop
