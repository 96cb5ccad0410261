// Evidence against an estimate, from logs and residuals, which a certificate does not cover. It is
// gathered while samples are processed; host/results/report puts it into words. Threads: plain
// values; concurrent reads are safe, a writer needs exclusive access.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Findings of the log rules about one log.
struct LogFindings {
  std::string log;  ///< LogSummary::path
  bool held_out = false;
  std::vector<Finding> findings;
};

/// Residuals of one log with the estimated parameters, in at most kMaxBlocks consecutive blocks of
/// about equal length.
struct ResidualBlocks {
  static constexpr int kMaxBlocks = 60;

  std::string log;
  bool held_out = false;
  std::vector<double> from_s, to_s;        ///< stamps of the first and last sample of every block
  Eigen::ArrayXXd num_rows;                ///< used rows, blocks x channels
  Eigen::ArrayXXd error, error2, torque2;  ///< sums over the used rows: e, e^2, tau^2
  Eigen::MatrixXd products;  ///< channels x channels: sums of e_a e_b, 0 where a row is not used
};

/// A stretch in which the measured torque of a channel is constant while the predicted torque
/// changes.
struct QuietStretch {
  std::string log;
  bool held_out = false;
  int channel = 0;
  double from_s = 0, to_s = 0;
};

/// A stretch with an external force on a link: one force explains most of the errors.
struct Contact {
  std::string log = {};
  bool held_out = false;
  double from_s = 0, to_s = 0;
  std::string link = {};                            ///< link with the largest explained share
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< mean force in base axes [N]
  double explained = 0;                             ///< share of the squared errors
  double gain = 0;  ///< increase of the log-likelihood [nats], relative to the usual errors
                    ///< elsewhere

  /// Returns whether the force explains so much of the stretch that no other fault can have caused
  /// it.
  bool is_sure() const { return explained > 0.9; }
};

/// One fault of the log or of the robot's file that explains the log better, with its estimated
/// size.
struct Hypothesis {
  std::string id;       ///< id of the doubt: "torque-scale", "joint-zero", "kinematics", ..
  std::string joint;    ///< empty: all joints, or no joint
  std::string subject;  ///< the faulty quantity: "the torque of joint_3"
  /// Value of the option that corrects the fault, for example a factor on the logged torque, a
  /// delay [s] or an angle; or the size of the fault itself, for a contact its force.
  double value = 0;
  std::string unit;
  double lower = 0, upper = 0;  ///< 95 % interval of `value`
  double gain_training = 0;     ///< increase of the log-likelihood [nats], corrected for the
                                ///< correlation of the noise in time
  std::optional<double> gain_held_out;  ///< on logs not used for the choice; empty: there are no
                                        ///< such logs
  double torque_change = 0;  ///< rms change of the predicted torque when the fault is corrected,
                             ///< relative to the torque
  double training_before = 0, training_after = 0;         ///< relative error of all torques
  std::optional<double> held_out_before, held_out_after;  ///< relative error of all torques
  std::string yaml;                   ///< option that corrects the fault; empty: no option does
  bool is_of_training_alone = false;  ///< held-out logs are explained best uncorrected, by
                                      ///< parameters estimated from corrected training logs

  /// Nats by which held-out logs (training logs if there are none) are explained better than with a
  /// weaker prior of the bodies; empty: not computed.
  std::optional<double> gain_over_freer_bodies;

  /// Returns the smaller of the two gains.
  double least_gain() const {
    return gain_held_out ? std::min(gain_training, *gain_held_out) : gain_training;
  }
};

/// A kind of column that the model lacks and that explains a share of the residuals.
struct MissingTerm {
  std::string kind;                 ///< "reflected_inertia"
  std::vector<std::string> joints;  ///< joints where it explains most
  double share = 0;                 ///< share of the squared errors of all joints, a lower bound
};

/// Errors of other models and bounds, to compare the error with.
struct Reference {
  double urdf_relative = 0;  ///< error with the bodies of the robot's file and fitted columns
  std::vector<double> urdf_rms_error;  ///< the same per channel
  double floor_lower = 0,
         floor_upper = 0;  ///< bracket of the error caused by noise alone, of all torques; NaN:
                           ///< unknown
  std::vector<double> floor_lower_rms, floor_upper_rms;  ///< the same per channel
  /// Error with almost no prior over that of the estimate, on the logs that decide; NaN: unknown.
  double without_prior = std::numeric_limits<double>::quiet_NaN();
  std::vector<MissingTerm> missing_terms;  ///< reflected inertia first, then by decreasing share
};

/// All evidence about an estimate.
struct Evidence {
  std::vector<LogFindings> logs;
  std::vector<ResidualBlocks> residuals;  ///< one per log
  std::vector<QuietStretch> quiet;        ///< the longest one per log and channel
  std::vector<Contact> contacts;          ///< the longest one per log
  /// Best first, without those too weak to be significant. Contacts are first if they are certain
  /// and no finding explains them, otherwise last.
  std::vector<Hypothesis> hypotheses;
  std::optional<Reference> reference;
};

}  // namespace heft
#pragma GCC visibility pop
