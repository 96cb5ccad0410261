// Simulates a robot and its logs with known truth, for first steps, tests and excitation studies.
// The truth differs from the URDF as real robots differ from their CAD files, and the log has the
// errors of real logs: a quantized encoder, friction and torque noise. A floating base follows a
// given motion as far as the feet on the ground can push it. Threads: safe to call from
// several threads on separate objects; const objects may be shared. Two calls must not write to the
// same file.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"
#include "heft/moments/moments.hpp"
#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What carries a robot with a floating base.
enum class Gait {
  stance,   ///< all feet; weight shifts between them
  step,     ///< all feet but one, which is lifted; the feet take turns
  trot,     ///< half of the feet, diagonal pairs of a quadruped
  flight,   ///< all feet, which leave the ground together
  hung,     ///< a rope, whose wrench is not logged
  mounted,  ///< a six-axis sensor at the root link
};

template <>
struct EnumNames<Gait> {
  static constexpr EnumName<Gait> kList[] = {{Gait::stance, "stance"}, {Gait::step, "step"},
                                             {Gait::trot, "trot"},     {Gait::flight, "flight"},
                                             {Gait::hung, "hung"},     {Gait::mounted, "mounted"}};
};

/// The base of a robot that stands, walks or hangs, and the errors of its sensors. Biases are those
/// of the robot: the same in all its logs.
struct SimulatedBase {
  Gait gait = Gait::stance;
  BaseSource sensors = {};                 ///< frame and columns of IMU or poses
  std::vector<WrenchSpec> wrenches = {};   ///< measured feet, with their columns
  std::vector<ContactSpec> contacts = {};  ///< feet whose flags or forces are logged
  double sway = 0.03;                      ///< size of the base's motion [m]
  double tilt = 0.15;                      ///< size of its rotations [rad]
  double gyro_noise = 0.005;               ///< standard deviation [rad/s]
  double accel_noise = 0.05;               ///< standard deviation [m/s^2]
  double gyro_bias = 0.005;                ///< standard deviation of the constant error [rad/s]
  double accel_bias = 0.05;                ///< standard deviation of the constant error [m/s^2]
  double imu_rotation = 0;                 ///< of the IMU against its frame [degrees]
  double pose_noise = 0;                   ///< standard deviation of positions [m]
  double orientation_noise = 0;            ///< standard deviation of orientations [rad]
  double wrench_noise = 0.03;              ///< as a fraction of a column's rms
  double wrench_bias = 1;  ///< standard deviation of constant forces [N]; of torques: 0.03 m times
                           ///< it
  double contact_delay_s = 0;  ///< flags of contacts are late by this
};

/// The simulated robot, its motion and the errors of its log.
struct SimulateOptions {
  double duration_s = 20;
  double rate_hz = 1000;
  std::uint64_t seed = 1;
  std::uint64_t trajectory_seed = 1;  ///< selects the trajectory of the same robot
  /// Standard deviation of S, the random change of every body's pseudo-inertia; 0: the URDF is the
  /// truth.
  double perturbation = 0.3;
  /// Coulomb friction as a fraction of the joint's effort limit; viscous friction has the same size
  /// at full speed.
  double friction = 0.03;
  double torque_noise = 0.01;   ///< standard deviation as a fraction of the joint's rms torque
  double encoder_counts = 1e6;  ///< per revolution (or per meter); 0: no quantization
  /// [s] Largest latency: rows are sampled before their stamps by a uniformly distributed time, as
  /// in a republished topic; 0: at their stamps.
  double latency_s = 0;
  /// Cutoff of a drive's first-order low-pass on the logged torque of every joint [Hz]; 0: none.
  double torque_lowpass_hz = 0;
  /// Play between encoder and joint [rad] or [m]: the encoder, on the motor's side, is half of it
  /// ahead in the direction of the torque.
  double backlash = 0;
  /// Share of its friction that every joint has lost at the end of a log, linear in time.
  double friction_drift = 0;
  double speed = 0.5;                    ///< largest velocity as a fraction of the joint's limit
  int harmonics = 5;                     ///< of every joint's Fourier series
  std::vector<SensorSpec> sensors = {};  ///< also logged, with their scales and offsets
  /// Motion to use instead of a random one: time, position, velocity and acceleration; duration,
  /// rate and speed are then ignored.
  std::optional<Samples> motion = {};
  SimulatedBase base = {};  ///< of robots with a floating base
};

/// Checks the options. Errors: an invalid length, rate, fraction or number of counts, with the name
/// that Python and the flags use ("torque_noise").
Result<Done> check_simulation(const SimulateOptions& options);

/// Returns notes about a robot to be simulated, one sentence each: joints that do not move,
/// unusable limits, no mass. Errors: contradictory limits, no joint that can move.
Result<std::vector<std::string>> simulation_notes(const Robot& robot);

/// The robot that the log comes from: parameters of a layout with viscous and Coulomb (tanh, 0.05)
/// columns.
struct SimulatedTruth {
  PlanPtr plan;
  Eigen::VectorXd parameters;
};

/// Returns a random truth: every body's J0 = LL' becomes L exp(S) L', S random symmetric, which is
/// physically consistent for any size of S. Bodies whose J0 is singular or zero are unchanged. The
/// same seed gives the same truth. Errors: those of check_simulation and make_model.
Result<SimulatedTruth> simulated_truth(const Robot& robot, const SimulateOptions& options);

/// Writes a CSV log (t, q_<joint>.., tau_<joint>.., tau_<sensor>_fx..) of a random trajectory
/// within the joint limits. With a floating base, also the columns of SimulatedBase. The file is
/// written completely or not at all. Errors: those of check_simulation; feet that do not exist or
/// are too few for the gait; a robot that falls; stopped().
Result<Done> simulate_log(const SimulatedTruth& truth, const SimulateOptions& options,
                          const std::string& path, const Progress& progress = {});

/// Writes the truth as a JSON file (bodies and columns by name; with a floating base, mass and
/// center of mass of the whole robot).
Result<Done> write_truth(const SimulatedTruth& truth, const std::string& path);
/// Reads a truth for a plan; rotors and columns that are not in the file are zero.
Result<Eigen::VectorXd> read_truth(const std::string& path, const RegressorPlan& plan);

/// Returns the distance from the truth as the data measure it: the torque of the difference on the
/// motion of the moments, relative to the true torque, without noise. For whitened moments both
/// torques are whitened.
double relative_distance(const Moments& moments, const Eigen::VectorXd& parameters,
                         const Eigen::VectorXd& truth);

}  // namespace heft
#pragma GCC visibility pop
