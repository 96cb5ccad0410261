// What logs and residuals say against an answer: what a certificate does not see. It is gathered
// where the samples stream by; host/results/report puts it into words. Threads: plain values: share
// them for reading; a thread that changes one must own it.
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

/// What the rules for logs found in one of them.
struct LogFindings {
  std::string log;  ///< LogSummary::path
  bool held_out = false;
  std::vector<Finding> findings;
};

/// Residuals of one log by the answer, in at most kMaxBlocks consecutive blocks of about equal
/// length.
struct ResidualBlocks {
  static constexpr int kMaxBlocks = 60;

  std::string log;
  bool held_out = false;
  std::vector<double> from_s, to_s;        ///< stamps of the first and last sample of every block
  Eigen::ArrayXXd num_rows;                ///< used, blocks x channels
  Eigen::ArrayXXd error, error2, torque2;  ///< sums over the used rows: e, e^2, tau^2
  Eigen::MatrixXd products;  ///< channels x channels: sums of e_a e_b, 0 where a row is not used
};

/// A stretch in which the measured torque of a channel stands still while the predicted one goes
/// on.
struct QuietStretch {
  std::string log;
  bool held_out = false;
  int channel = 0;
  double from_s = 0, to_s = 0;
};

/// A stretch in which something else pushes or pulls at a link: one force explains most of the
/// errors.
struct Contact {
  std::string log = {};
  bool held_out = false;
  double from_s = 0, to_s = 0;
  std::string link = {};                            ///< that explains most
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< mean, in the axes of the base [N]
  double explained = 0;                             ///< share of the squared errors
  double gain = 0;  ///< of the log-likelihood [nats], errors as usual elsewhere

  /// A force that explains nearly all of a stretch is no accident of what another fault would leave
  /// there.
  bool is_sure() const { return explained > 0.9; }
};

/// One fault of the log or of the robot's file that would explain the log better, estimated.
struct Hypothesis {
  std::string id;       ///< of the doubt: "torque-scale", "joint-zero", "kinematics", ..
  std::string joint;    ///< empty: all, or none
  std::string subject;  ///< what is wrong: "the torque of joint_3"
  /// Of the option that corrects it, a factor on the logged torque, seconds too late, an angle too
  /// large; or of what is wrong, of a contact its force.
  double value = 0;
  std::string unit;
  double lower = 0, upper = 0;  ///< 95 % interval of `value`
  double gain_training = 0;  ///< of the log-likelihood [nats], noise counted by its correlation in
                             ///< time
  std::optional<double> gain_held_out;  ///< on logs that chose nothing; empty: there are none
  double torque_change = 0;  ///< rms of what mending changes of the predicted torque, relative to
                             ///< it
  double training_before = 0, training_after = 0;         ///< relative error of all torques
  std::optional<double> held_out_before, held_out_after;  ///< relative error of all torques
  std::string yaml;                   ///< the option that corrects it; empty: none
  bool is_of_training_alone = false;  ///< held-out logs are explained best as they are, by what is
                                      ///< learned without it
  /// Nats by which held-out logs (training logs, if there are none) are better explained than by
  /// bodies that the file holds less; empty: not asked.
  std::optional<double> gain_over_freer_bodies;

  /// The smaller of the two gains.
  double least_gain() const {
    return gain_held_out ? std::min(gain_training, *gain_held_out) : gain_training;
  }
};

/// A kind of column that the model lacks and that explains a share of what is left.
struct MissingTerm {
  std::string kind;                 ///< "reflected_inertia"
  std::vector<std::string> joints;  ///< where it explains most
  double share = 0;                 ///< of the squared errors of all joints, at least
};

/// What the error may be compared with.
struct Reference {
  double urdf_relative = 0;            ///< by the bodies of the robot's file, columns fitted
  std::vector<double> urdf_rms_error;  ///< the same by channel
  double floor_lower = 0,
         floor_upper = 0;  ///< bracket of what noise alone leaves, of all torques; NaN: not known
  std::vector<double> floor_lower_rms, floor_upper_rms;  ///< the same by channel
  /// Error on the logs that decide with next to no prior, over that of the answer; NaN: not known.
  double without_prior = std::numeric_limits<double>::quiet_NaN();
  std::vector<MissingTerm> missing_terms;  ///< reflected inertia first, then what explains most
};

struct Evidence {
  std::vector<LogFindings> logs;
  std::vector<ResidualBlocks> residuals;  ///< one a log
  std::vector<QuietStretch> quiet;        ///< the longest of every log and channel that has one
  std::vector<Contact> contacts;          ///< the longest of every log that has one
  /// Best first; what is too weak to tell is not among them. Contacts are before all others if they
  /// are sure and no finding explains them, else behind.
  std::vector<Hypothesis> hypotheses;
  std::optional<Reference> reference;
};

}  // namespace heft
#pragma GCC visibility pop
