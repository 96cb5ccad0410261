// A robot that does not exist: logs with known truth, for the first steps, for tests and for
// studies of excitation. The truth differs from the URDF as real robots differ from their CAD
// files, and the log has what real logs have: a quantised encoder, friction and torque noise.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared. Two calls must not write to one file.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"
#include "heft/moments/moments.hpp"
#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct SimulateOptions {
  double duration_s = 20;
  double rate_hz = 1000;
  std::uint64_t seed = 1;
  std::uint64_t trajectory_seed = 1;  ///< another trajectory of the same robot
  /// Standard deviation of S, the random change of every body's pseudo-inertia; 0: the URDF is the
  /// truth.
  double perturbation = 0.3;
  /// Coulomb friction as a fraction of the joint's effort limit; viscous friction is as much at
  /// full speed.
  double friction = 0.03;
  double torque_noise = 0.01;   ///< standard deviation as a fraction of the joint's rms torque
  double encoder_counts = 1e6;  ///< per revolution (or per meter); 0: no quantisation
  /// [s] Rows are sampled before their stamps by up to this latency, uniformly distributed, as in a
  /// republished topic; 0: at their stamps.
  double latency_s = 0;
  double speed = 0.5;                    ///< largest velocity as a fraction of the joint's limit
  int harmonics = 5;                     ///< of the Fourier series of every joint
  std::vector<SensorSpec> sensors = {};  ///< that are logged, too; their scales and offsets with
                                         ///< them
  /// A motion instead of a random one: time, position, velocity and acceleration count; duration,
  /// rate and speed do not.
  std::optional<Samples> motion = {};
};

/// Errors: what is no length, rate, fraction or number of counts, named as Python and the program's
/// flags name it ("torque_noise").
Result<Done> check_simulation(const SimulateOptions& options);

/// What a user should know of a robot that is to be simulated: joints that stand still, limits that
/// are no use, no mass. One sentence each. Errors: limits that contradict each other, no joint that
/// can move.
Result<std::vector<std::string>> simulation_notes(const Robot& robot);

/// The robot that the log comes from: parameters of a layout with viscous and Coulomb (tanh, 0.05)
/// columns.
struct SimulatedTruth {
  PlanPtr plan;
  Eigen::VectorXd parameters;
};

/// Every body's J0 = LL' becomes L exp(S) L', S random symmetric: physically possible whatever the
/// size. Bodies whose J0 is singular or zero stay as they are. Same seed, same truth. Errors: those
/// of check_simulation and make_model.
Result<SimulatedTruth> simulated_truth(const Robot& robot, const SimulateOptions& options);

/// Writes a CSV log (t, q_<joint>.., tau_<joint>.., tau_<sensor>_fx..) of a random trajectory
/// within the joint limits. The file appears whole or not at all. Errors: those of
/// check_simulation, a floating base; stopped().
Result<Done> simulate_log(const SimulatedTruth& truth, const SimulateOptions& options,
                          const std::string& path, const Progress& progress = {});

/// The truth as a JSON file (bodies and columns by name), and read back for a plan, whose rotors
/// and columns are zero where the file does not know them.
Result<Done> write_truth(const SimulatedTruth& truth, const std::string& path);
Result<Eigen::VectorXd> read_truth(const std::string& path, const RegressorPlan& plan);

/// Distance from the truth in the only measure that data can judge: the torque that the difference
/// makes on the motion of the moments, relative to the true torque; free of noise. Of whitened
/// moments both torques are whitened.
double relative_distance(const Moments& moments, const Eigen::VectorXd& parameters,
                         const Eigen::VectorXd& truth);

}  // namespace heft
#pragma GCC visibility pop
