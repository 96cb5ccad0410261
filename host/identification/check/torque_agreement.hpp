// How well readings of a log (column_mistakes.hpp) agree with the torque that the URDF asks for.
//
// Per channel the measured torque y and the rigid-body torque x of the URDF's own inertias are
// compared after both have lost what an offset, viscous and Coulomb friction explain. With r their
// correlation, the channel's score is log(1 - max(r, 0)^2): the log of the share that the model
// leaves, whatever its scale. Another reading is a change of the samples or of gravity; it is right
// if the sum of the scores falls by more than chance would have it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/missing_dynamics.hpp"
#include "heft/model/regressor_plan.hpp"
#include "log_facts.hpp"

namespace heft::check {

/// Conditioned samples, at most kMaxRows of them, every segment's rows in order and evenly spaced.
struct CleanLog {
  static constexpr Eigen::Index kMaxRows = 30000;
  Samples samples;
  std::vector<int> segment;  ///< of every row
};

Result<CleanLog> condition_for_tests(const Log& file, const LogFacts& log,
                                     const Progress& progress);

/// What a channel's torque says to the model.
struct Agreement {
  bool known = false;                      ///< measured, moving, and the model has something to say
  double correlation = 0;                  ///< of y and x
  double scale = 0;                        ///< y = scale * x by least squares
  double rms_measured = 0, rms_model = 0;  ///< before friction is taken off; 0: not measured
  /// Share of y that x leaves as it is, and times the best factor above zero: with friction taken
  /// off both, but no offset.
  double left_as_it_is = 1, left_scaled = 1;

  double score() const;
};

class TorqueTest {
 public:
  /// `samples`: of a fixed base.
  static Result<TorqueTest> make(const LogFacts& log, const Samples& samples);

  /// `gravity`: of a robot that stands otherwise than its file says; none: as told.
  /// `beside_rotors`: what a reflected inertia explains is taken off, too.
  Result<std::vector<Agreement>> agreements(const Samples& samples,
                                            const std::optional<Eigen::Vector3d>& gravity = {},
                                            bool beside_rotors = false) const;

  /// How much of what offset, weight and inertia leave of a channel's torque its sliding friction
  /// explains, in squares: 0 to 1 if it brakes the joint, 0 to -1 if it drives it.
  Result<double> braking(const Samples& samples, int channel) const;

  /// What was taken off the torques; nothing of a robot without gravity.
  Result<std::optional<MissingDynamics>> missing_dynamics(const Samples& samples) const;

  /// Share of every channel's torque that least squares leaves with all bodies, friction and
  /// offsets free; 1 if not measured.
  Result<Eigen::ArrayXd> left_by_free_bodies(const Samples& samples) const;

  /// Up to 3000 rows of what was given, evenly picked; fewer for many joints.
  const Samples& samples() const { return samples_; }

 private:
  PlanPtr plan_;
  PlanPtr free_plan_;  ///< with friction and offsets
  Eigen::VectorXd prior_;
  Samples samples_;
};

/// Findings from Moments: the delay between position and torque, constant torques, and what is not
/// excited.
Result<std::vector<Finding>> check_moments(const LogFacts& log, const std::string& path,
                                           const CleanLog& clean);

}  // namespace heft::check
