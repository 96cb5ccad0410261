// The motion that tells most of a robot, within its limits; and what any motion tells (FORMULAS 9).
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/progress.hpp"
#include "heft/base/result.hpp"
#include "heft/excite/options.hpp"
#include "heft/model/robot.hpp"
#include "heft/training/training_data.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class DesignStatus { feasible, infeasible, budget };

template <>
struct EnumNames<DesignStatus> {
  static constexpr EnumName<DesignStatus> kList[] = {{DesignStatus::feasible, "feasible"},
                                                     {DesignStatus::infeasible, "infeasible"},
                                                     {DesignStatus::budget, "budget"}};
};

/// How near a motion comes to a limit of a joint.
struct LimitUse {
  std::string name;  ///< position, velocity, acceleration, jerk, torque
  std::string joint;
  double limit = 0;        ///< |value| <= limit; of positions |value - middle|; infinite: none
  double middle = 0;       ///< of positions
  double worst_ratio = 0;  ///< |value| / limit, at most 1 within it; of torques with what the robot
                           ///< may be unlike its file
  double at_s = 0;         ///< when
  bool proved = false;     ///< for all times, else at samples only
};

struct ParameterSpread {
  std::string name, unit;
  double believed = 0;           ///< before the motion
  double before = 0, after = 0;  ///< standard deviations
  double at_best = 0;  ///< after motions of any length all over the limits: no motion tells more
};

/// The standard deviation of a predicted torque, rms over states all over the limits [N m or N].
struct TorqueError {
  std::string joint;
  double before = 0, after = 0;
};

/// The motion of a design at a part of its speed: the same path, and so the same clearance.
struct SlowRun {
  double speed = 0;
  MotionSamples samples;
  std::vector<LimitUse> limits;
  double log_det = 0;
  std::string infeasible_because;  ///< empty: it keeps all limits
};

/// The link that comes nearest to an obstacle or to the floor, at the samples of the motion.
struct NearestLink {
  std::string obstacle;  ///< its name; that of the floor is "floor"
  std::string link;      ///< empty: no link can come near
  double distance = 0;   ///< [m]
  double at_s = 0;
};

struct SearchEffort {
  int starts = 0;
  long evaluations = 0;
  double cpu_s = 0;
  std::uint64_t seed = 0;
};

struct Design {
  DesignStatus status = DesignStatus::infeasible;
  bool is_judged = false;                   ///< a motion of the user's, not one that was searched
  std::optional<CoefficientMotion> motion;  ///< of a design
  MotionSamples samples;                    ///< at the rate of the files, or those that were judged
  Eigen::ArrayXXd torque,
      torque_deviation;  ///< at the samples: of the robot file, and of what is not known
  double log_det = 0, log_det_prior = 0;  ///< of all parameters [nats]
  int num_base_parameters = 0;            ///< that motions of this robot can tell
  std::vector<LimitUse> limits;
  std::optional<MinClearance> clearance;  ///< none: nothing was looked at, and `notes` say why
  std::vector<NearestLink> nearest;       ///< one for each obstacle, and for the floor
  std::optional<double> floor;            ///< its height in base axes [m]
  double torque_deviations = 0;           ///< that torques keep from their limits
  double torque_step_s = 0;               ///< between the samples at which torques were checked
  std::vector<ParameterSpread> parameters;
  std::vector<TorqueError> torque_errors;
  double longer_for_half_the_error = 0;  ///< times the motion, until torque errors are half;
                                         ///< infinite: never
  double longer_for_masses = 0;          ///< the same until all masses in reach are known to
                                         ///< ExciteOptions::mass_share
  std::vector<std::string> masses_out_of_reach;  ///< bodies whose mass this motion does not tell to
                                                 ///< that share, however long
  std::optional<SlowRun> slow;
  std::optional<double> efficiency;  ///< d_efficiency against a motion that was given for
                                     ///< comparison
  SearchEffort search;
  std::string infeasible_because;
  std::vector<std::string> notes;  ///< what was assumed
  ExciteOptions options;
  Robot robot;
};

/// The robot with its base as `hold` says, its floating joints fixed: what designs and judgments
/// are of. A base that does not move freely stays as it is. Error: one that does, and is not held.
Result<Robot> held_robot(const Robot& robot, BaseHold hold);

/// Searches. A motion that is feasible within the time budget is an answer; `known` are moments of
/// logs that exist, of the same robot, whose columns the design then has. Errors name the option: a
/// robot whose base moves, names of joints that do not exist, limits that contradict, durations and
/// rates that are not positive, a start outside of its limits, moments of another robot; and a stop
/// of `progress`.
Result<Design> design_excitation(const Robot& robot, const ExciteOptions& options,
                                 const TrainingData* known = nullptr,
                                 const Progress& progress = {});

/// What a motion tells, and how near its samples come to the limits. Errors as above.
Result<Design> judge_motion(const Robot& robot, const MotionSamples& motion,
                            const ExciteOptions& options, const TrainingData* known = nullptr);

/// The same of a motion by coefficients, a design's own: its limits and its clearance are proved
/// between samples too, as a design's are. Of the options rate_hz says where it is drawn.
Result<Design> judge_motion(const Robot& robot, const CoefficientMotion& motion,
                            const ExciteOptions& options, const TrainingData* known = nullptr);

/// exp((log det - that of another) / number of base parameters): how much more one tells than the
/// other, a parameter.
double d_efficiency(const Design& design, const Design& other);

}  // namespace heft
#pragma GCC visibility pop
