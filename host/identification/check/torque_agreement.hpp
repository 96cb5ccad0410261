// Agreement between interpretations of a log (column_mistakes.hpp) and the torque predicted by the
// URDF.
//
// Per channel the measured torque y and the rigid-body torque x from the URDF's inertias are
// compared after removing what an offset, viscous and Coulomb friction explain. With r their
// correlation, the channel's score is log(1 - max(r, 0)^2): the log of the unexplained share,
// independent of scale. An interpretation is a change of the samples or of gravity; it is accepted
// if the sum of the scores decreases significantly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/missing_dynamics.hpp"
#include "heft/model/regressor_plan.hpp"
#include "log_facts.hpp"

namespace heft::check {

/// Up to kMaxRows conditioned samples, evenly spaced, with the rows of every segment in order.
struct CleanLog {
  static constexpr Eigen::Index kMaxRows = 30000;
  Samples samples;
  std::vector<int> segment;  ///< per row
};

Result<CleanLog> condition_for_tests(const Log& file, const LogFacts& log,
                                     const Progress& progress);

/// Comparison of a channel's torque with the model.
struct Agreement {
  bool known = false;                      ///< measured and moving, with a nonzero prediction
  double correlation = 0;                  ///< of y and x
  double scale = 0;                        ///< y = scale * x by least squares
  double rms_measured = 0, rms_model = 0;  ///< before friction is removed; 0: not measured
  /// Unexplained share of y with x unchanged, and with x times the best positive factor, after
  /// removing friction from both, but no offset.
  double left_as_it_is = 1, left_scaled = 1;

  double score() const;
};

class TorqueTest {
 public:
  /// `samples`: for a fixed base.
  static Result<TorqueTest> make(const LogFacts& log, const Samples& samples);

  /// `gravity`: for a robot mounted differently than in its file; empty: as configured.
  /// `beside_rotors`: also removes what reflected inertia explains.
  Result<std::vector<Agreement>> agreements(const Samples& samples,
                                            const std::optional<Eigen::Vector3d>& gravity = {},
                                            bool beside_rotors = false) const;

  /// Share of the torque of a channel, after removing offset, weight and inertia, that sliding
  /// friction explains, in squares: 0 to 1 if it brakes the joint, 0 to -1 if it drives it.
  Result<double> braking(const Samples& samples, int channel) const;

  /// Part removed from the torques; empty for a robot without gravity.
  Result<std::optional<MissingDynamics>> missing_dynamics(const Samples& samples) const;

  /// Share of every channel's torque that least squares leaves with free bodies, friction and
  /// offsets; 1 if not measured.
  Result<Eigen::ArrayXd> left_by_free_bodies(const Samples& samples) const;

  /// Up to 3000 evenly selected input rows; fewer for many joints.
  const Samples& samples() const { return samples_; }

 private:
  PlanPtr plan_;
  PlanPtr free_plan_;  ///< with friction and offsets
  Eigen::VectorXd prior_;
  Samples samples_;
};

/// Returns findings from Moments: the delay between position and torque, constant torques, and
/// insufficient excitation.
Result<std::vector<Finding>> check_moments(const LogFacts& log, const std::string& path,
                                           const CleanLog& clean);

}  // namespace heft::check
