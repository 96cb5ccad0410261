// Designs the most informative motion of a robot within its limits, evaluates any motion, reads and
// writes files of designs, and scores many motions (FORMULAS 9). Threads: safe to call from several
// threads on separate objects; const objects may be shared. Two calls must not write to the same
// folder.
#pragma once

#include <Eigen/Core>
#include <cstdint>
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

/// Outcome of a search; `budget`: no feasible motion was found in time.
enum class DesignStatus { feasible, infeasible, budget };

template <>
struct EnumNames<DesignStatus> {
  static constexpr EnumName<DesignStatus> kList[] = {{DesignStatus::feasible, "feasible"},
                                                     {DesignStatus::infeasible, "infeasible"},
                                                     {DesignStatus::budget, "budget"}};
};

/// How closely a motion approaches a limit of a joint.
struct LimitUse {
  std::string name;  ///< position, velocity, acceleration, jerk, torque
  std::string joint;
  double limit = 0;        ///< |value| <= limit; for positions |value - middle|; infinite: no limit
  double middle = 0;       ///< positions only
  double worst_ratio = 0;  ///< |value| / limit, at most 1 within the limit; torques include the
                           ///< uncertainty of the robot's parameters
  double at_s = 0;         ///< time of the largest ratio
  bool proved = false;     ///< true: valid for all times; false: at samples only
};

/// Standard deviation of a parameter before and after a motion.
struct ParameterSpread {
  std::string name, unit;
  double believed = 0;           ///< believed value before the motion
  double before = 0, after = 0;  ///< standard deviations without and with the motion
  double at_best = 0;  ///< standard deviation after unlimited motion throughout the limits, a lower
                       ///< bound for all motions
};

/// The standard deviation of a predicted torque, rms over states throughout the limits [N m or N].
struct TorqueError {
  std::string joint;
  double before = 0, after = 0;
};

/// The motion of a design at a fraction of its speed, with the same path and thus the same
/// clearance.
struct SlowRun {
  double speed = 0;
  MotionSamples samples;
  std::vector<LimitUse> limits;
  double log_det = 0;
  std::string infeasible_because;  ///< empty: all limits are satisfied
};

/// The link that comes nearest to an obstacle or to the floor, at the samples of the motion.
struct NearestLink {
  std::string obstacle;  ///< name of the obstacle; "floor" for the floor
  std::string link;      ///< empty: no link can come near
  double distance = 0;   ///< [m]
  double at_s = 0;
};

/// Effort of a search.
struct SearchEffort {
  int starts = 0;
  long evaluations = 0;
  double cpu_s = 0;
  std::uint64_t seed = 0;
};

/// Work of a device in a search, and why it was chosen or not.
struct DeviceWaves {
  std::int64_t bytes_up = 0, bytes_down = 0, launches = 0;
  double device_s = 0;  ///< during which the host waited for the device
  std::string chosen_because;
};

/// A designed or judged motion with its information and limits.
struct Design {
  DesignStatus status = DesignStatus::infeasible;
  bool is_judged = false;  ///< true: a given motion was judged; false: the motion was searched
  std::optional<CoefficientMotion> motion;  ///< of a design
  MotionSamples samples;                    ///< at the rate of the files, or as given
  Eigen::ArrayXXd torque,
      torque_deviation;  ///< at the samples: torque of the robot file, and its standard deviation
                         ///< from unknown parameters
  double log_det = 0, log_det_prior = 0;  ///< of all parameters [nats]
  int num_base_parameters = 0;            ///< number that motions of this robot can identify
  std::vector<LimitUse> limits;
  std::optional<MinClearance> clearance;  ///< empty: collisions were not checked, `notes` give the
                                          ///< reason
  std::vector<NearestLink> nearest;       ///< one per obstacle, and one for the floor
  std::optional<double> floor;            ///< height in base axes [m]
  double torque_deviations = 0;  ///< number of standard deviations that torques keep from their
                                 ///< limits
  double torque_step_s = 0;      ///< time between samples at which torques were checked
  std::vector<ParameterSpread> parameters;
  std::vector<TorqueError> torque_errors;
  double longer_for_half_the_error = 0;  ///< factor on the motion's length that halves the torque
                                         ///< errors; infinite: impossible
  double longer_for_masses = 0;  ///< factor after which all identifiable masses are known to
                                 ///< ExciteOptions::mass_share
  std::vector<std::string> masses_out_of_reach;  ///< bodies whose mass this motion cannot determine
                                                 ///< to that share at any length
  std::optional<SlowRun> slow;
  std::optional<double> efficiency;  ///< d_efficiency relative to a motion given for comparison
  SearchEffort search;
  std::optional<DeviceWaves> waves;  ///< unless the CPU was required
  std::string infeasible_because;
  std::vector<std::string> notes;  ///< assumptions
  ExciteOptions options;
  Robot robot;
};

/// Returns the robot that designs and judgments refer to. A robot whose base moves freely, by
/// RobotOptions::floating_base or a floating joint, is read again from its text with a fixed base
/// and fixed floating joints, with its gravity, rotors and separate links; `hung` and `table` give
/// the same robot. Any other robot is returned unchanged. Errors: a freely moving base with
/// BaseHold::none, or with locked joints, whose positions a Robot does not store.
Result<Robot> held_robot(const Robot& robot, BaseHold hold);

/// Searches for the most informative motion. Returns the best feasible motion found within the time
/// budget. `known` are moments of existing logs of the same robot, whose columns the design then
/// uses. Errors name the option: a moving base, unknown joint names, contradictory limits,
/// durations and rates that are not positive, a start outside its limits, moments of another robot;
/// stopped().
Result<Design> design_excitation(const Robot& robot, const ExciteOptions& options,
                                 const TrainingData* known = nullptr,
                                 const Progress& progress = {});

/// Evaluates a motion: its information, and the use of the limits at its samples. Errors: those of
/// design_excitation.
Result<Design> judge_motion(const Robot& robot, const MotionSamples& motion,
                            const ExciteOptions& options, const TrainingData* known = nullptr);

/// Does the same for a motion given by coefficients; as in a design, limits and clearance are also
/// verified between samples. rate_hz of the options determines the samples.
Result<Design> judge_motion(const Robot& robot, const CoefficientMotion& motion,
                            const ExciteOptions& options, const TrainingData* known = nullptr);

/// Returns exp((log det - that of the other) / number of base parameters): the factor between the
/// information of the two motions, per parameter.
double d_efficiency(const Design& design, const Design& other);

/// Writes design.json and report.html to a folder, created if missing; for a feasible design also
/// trajectory.csv, trajectory.ros2.yaml and trajectory.json. Writes all files or none; removes the
/// trajectory files of an earlier design if the new one is not feasible. Returns the paths.
Result<std::vector<std::string>> write_design(const Design& design, const std::string& directory);

/// Returns the contents of design.json.
std::string design_json(const Design& design);

/// Returns the text that the program prints.
std::string design_summary(const Design& design);

/// Reads the motion of a design from its trajectory.json. Errors: a file of another kind or of
/// another robot.
Result<CoefficientMotion> read_trajectory(const std::string& path, const Robot& robot);

// scores of batches of motions and robots: value, gradient and extremes of every motion, without
// moments; for the search of designs, for studies and for external optimizers

/// A robot with beliefs, limits, objective and motion shape, prepared once for any number of
/// scores. Copies share the prepared data.
class ScoredRobot {
 public:
  /// Prepares a robot. Uses objective, shape, limits, beliefs and task of the options. Motions are
  /// evaluated at i duration / num_samples; num_samples 0: twenty per second, 100 to 4000, as in
  /// the search of designs. Errors: those of design_excitation().
  static Result<ScoredRobot> make(const Robot& robot, const ExciteOptions& options,
                                  const TrainingData* known = nullptr, int num_samples = 0);

  const MotionShape& shape() const;
  int num_samples() const;
  int num_coordinates() const;
  /// Returns log det of the information about all parameters before any motion [nats].
  double log_det_prior() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit ScoredRobot(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Quantities of the rows of MotionScore::extremes.
enum class ExtremeOf : int { position, velocity, acceleration, jerk, torque };
inline constexpr int kNumExtremes = 5;

/// The score of one motion.
struct MotionScore {
  /// Value that designs minimize [nats], for objective d minus log det M; infinite if the motion
  /// has no information.
  double value = 0;
  /// Derivatives with respect to the coefficients, in their shape; empty if not requested or if the
  /// value is infinite.
  Eigen::MatrixXd gradient;
  /// kNumExtremes x coordinates: the largest |value| / limit at the samples; positions relative to
  /// the middle, torques with the uncertainty of the robot's parameters; 0 without a limit. The
  /// samples satisfy all limits if no entry exceeds 1.
  Eigen::ArrayXXd extremes;
};

/// One motion to score.
struct ScoredMotion {
  const ScoredRobot* robot = nullptr;
  Eigen::MatrixXd coefficients;  ///< like CoefficientMotion::coefficients, in the shape of the
                                 ///< robot
};

/// Whether scores come with gradients, and the threads that compute them.
struct ScoreOptions {
  bool with_gradient = false;
  int threads = 0;  ///< 0: one per hardware thread
  /// `automatic` uses a device that responds. Robots with expression columns, and objectives
  /// other than d, are scored on the CPU.
  BackendKind backend = BackendKind::cpu;
};

/// Returns the scores of all motions in their order, independent of the number of threads;
/// consecutive motions of one robot are fastest. Collisions are not checked. Errors: coefficients
/// of the wrong shape or not finite; with BackendKind::cuda, a device that does not respond;
/// stopped().
Result<std::vector<MotionScore>> score(std::span<const ScoredMotion> motions,
                                       const ScoreOptions& options = {},
                                       const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
