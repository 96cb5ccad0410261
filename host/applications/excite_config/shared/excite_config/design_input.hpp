// The input of a design as commands and studies give it: file names and choices, read into a robot
// and options. Threads: stateless; safe to call from several threads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/excite/design.hpp"
#include "heft/robot/robot_document.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Names and choices of one design; empty file names are not read.
struct DesignInput {
  std::string robot, known, start, obstacles, task, from;
  RobotOptions robot_options;
  ExciteOptions options;  ///< all that needs no file and no robot
  BaseHold base = BaseHold::none;
  ExcitationMotion motion = ExcitationMotion::spline;
  int intervals = 0;                              ///< 0: chosen by the duration
  bool has_duration = false, has_motion = false;  ///< given, so that `from` does not replace them
  /// Options whose lists are in the order of the robot's joints, read one after the other.
  std::vector<std::function<Result<Done>(const Robot&, ExciteOptions&)>> of_joints;
  std::vector<std::string> configs;  ///< files that `of_joints` reads
};

/// The arguments of design_excitation().
struct DesignTask {
  Robot robot;
  ExciteOptions options;
  std::optional<TrainingData> known;

  const TrainingData* moments() const { return known ? &*known : nullptr; }
};

/// Reads the files of a design. Errors: those of its files; --base together with --joints.locked.
Result<DesignTask> read_design_input(DesignInput input);

/// Returns the names of the files of a design's options, without empty ones and without meshes.
std::vector<std::string> files_of(const DesignInput& input);

}  // namespace heft
#pragma GCC visibility pop
