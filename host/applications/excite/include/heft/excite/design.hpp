// The motion that tells most of a robot, within its limits; what any motion tells; files of
// designs, and scores of many motions (FORMULAS 9). Threads: any number of threads may call, each
// with objects of its own; what is const may be shared. Two calls must not write to one folder.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// Scores of any batch of motions and robots: value, gradient and extremes of every motion, numbers
// and no moments. What the search of a design asks thousands of times, for studies, and for
// optimizers that are not ours.

/// A robot, what is believed of it, its limits, an objective and a shape of motions, made ready
/// once for any number of scores. Copies share what was made.
class ScoredRobot {
 public:
  /// Of the options objective, shape, limits, beliefs and task count. Motions are looked at at i
  /// duration / num_samples; num_samples 0: twenty a second, 100 to 4000, as the search of designs
  /// takes. Errors as of design_excitation().
  static Result<ScoredRobot> make(const Robot& robot, const ExciteOptions& options,
                                  const TrainingData* known = nullptr, int num_samples = 0);

  const MotionShape& shape() const;
  int num_samples() const;
  int num_coordinates() const;
  /// log det of the information about all parameters before any motion [nats].
  double log_det_prior() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit ScoredRobot(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// The rows of MotionScore::extremes.
enum class ExtremeOf : int { position, velocity, acceleration, jerk, torque };
inline constexpr int kNumExtremes = 5;

struct MotionScore {
  /// What designs minimize [nats]: of the objective d minus log det M; infinite where the motion
  /// has no information.
  double value = 0;
  /// By the coefficients, of their shape; empty unless it was asked for, or where the value is
  /// infinite.
  Eigen::MatrixXd gradient;
  /// kNumExtremes x coordinates: the largest |value| / limit at the samples, of positions about the
  /// middle, of torques with what the robot may be unlike its file; 0 where there is no limit. A
  /// motion keeps its limits there if none is above 1.
  Eigen::ArrayXXd extremes;
};

/// One motion to score.
struct ScoredMotion {
  const ScoredRobot* robot = nullptr;
  Eigen::MatrixXd coefficients;  ///< as CoefficientMotion::coefficients, of the robot's shape
};

struct ScoreOptions {
  bool with_gradient = false;
  int threads = 0;  ///< 0: one per hardware thread
};

/// The scores of all motions in their order, the same for any number of threads; motions of one
/// robot that follow each other are cheapest. Collisions are not looked at. Errors: coefficients of
/// another shape or that are not finite; a stop of `progress`.
Result<std::vector<MotionScore>> score(std::span<const ScoredMotion> motions,
                                       const ScoreOptions& options = {},
                                       const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
