#include "excite_config/design_input.hpp"

#include "excite_config/excite_options.hpp"
#include "excite_config/obstacles.hpp"

namespace heft {

namespace {

/// The shape of the motion: that of `from` unless another one is requested.
Result<Done> read_shape(const DesignInput& input, const Robot& robot, ExciteOptions& options) {
  options.shape.kind = input.motion;
  if (!input.from.empty()) {
    HEFT_TRY(from, read_trajectory(input.from, robot));
    if (!input.has_motion) options.shape.kind = from.shape.kind;
    if (!input.has_duration) options.shape.duration = from.shape.duration;
    options.from = std::move(from);
  }
  options.shape.choose(input.intervals);
  if (options.from && input.intervals == 0 && options.shape.kind == options.from->shape.kind &&
      !input.has_duration)
    options.shape = options.from->shape;
  return Done{};
}

Result<Done> read_surroundings(const DesignInput& input, const Robot& robot,
                               ExciteOptions& options) {
  if (!input.start.empty()) {
    HEFT_TRY(start, read_posture(input.start));
    options.start = start;
  }
  if (!input.obstacles.empty()) {
    HEFT_TRY(obstacles, read_obstacles(input.obstacles));
    options.clearance.obstacles = obstacles;
  }
  if (!input.task.empty()) {
    HEFT_TRY(task, read_task(input.task, robot));
    options.task = task;
  }
  return Done{};
}

}  // namespace

Result<DesignTask> read_design_input(DesignInput input) {
  HEFT_TRY(read, read_robot(input.robot, input.robot_options));
  if (input.base != BaseHold::none && !input.robot_options.locked_joints.empty())
    return Error{"--joints.locked", "cannot be combined with --base",
                 "fix the joints in the robot file"};
  HEFT_TRY(robot, held_robot(read, input.base));
  ExciteOptions& options = input.options;
  options.base = input.base;
  HEFT_CHECK(read_shape(input, robot, options));
  for (const auto& read_options : input.of_joints) HEFT_CHECK(read_options(robot, options));
  HEFT_CHECK(read_surroundings(input, robot, options));
  std::optional<TrainingData> known;
  if (!input.known.empty()) {
    HEFT_TRY(moments, read_moments_file(input.known));
    known = std::move(moments);
  }
  return DesignTask{std::move(robot), std::move(options), std::move(known)};
}

std::vector<std::string> files_of(const DesignInput& input) {
  std::vector<std::string> files;
  for (const std::string& file :
       {input.robot, input.robot_options.rotors_path, input.known, input.start, input.obstacles,
        input.task, input.from, input.options.clearance.srdf_path})
    if (!file.empty()) files.push_back(file);
  return files;
}

}  // namespace heft
