// check_torques: accepts hypotheses one after another, best first, until none is significant; then
// checks the scale of every channel and the moments.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base_rules.hpp"
#include "check/missing_dynamics.hpp"
#include "column_mistakes.hpp"
#include "readers/option_yaml.hpp"
#include "torque_agreement.hpp"
#include "torque_units.hpp"

namespace heft::check {

namespace {

constexpr double kGain = 1.2;      // fall of the summed score that is no chance: of what is left, a
                                   // third
constexpr double kDoubtful = 0.5;  // correlation below which a channel asks for an explanation
constexpr double kConvincing = 0.85;  // correlation of the channels concerned, afterwards
constexpr double kTie = 0.05;  // scores this close count as equal: prefer the simpler hypothesis
constexpr double kConstant = 0.25;  // of the torque left with its constant, in squares: a clear
                                    // difference
constexpr double kBrakes = 0.2;  // share of what bodies leave that friction explains, to tell its
                                 // sign
constexpr int kMaxAccepted = 4;

double sum_of(const std::vector<Agreement>& agreements) {
  double sum = 0;
  for (const Agreement& agreement : agreements) sum += agreement.score();
  return sum;
}

struct Trial {
  const ColumnMistake* hypothesis = nullptr;
  std::vector<Agreement> agreements;
  double score = 0;
};

class HypothesisSearch {
 public:
  HypothesisSearch(const LogFacts& log, const std::string& path, const TorqueTest& test,
                   Samples& samples, const Progress& progress)
      : log_(log),
        path_(path),
        test_(test),
        samples_(samples),
        progress_(progress),
        hypotheses_(column_mistakes(log)) {}

  Result<std::vector<Finding>> run() {
    HEFT_TRY(start, test_.agreements(samples_));
    agreements_ = start;
    for (int k = 0; k < kMaxAccepted; ++k) {
      HEFT_TRY(best, find_best());
      if (!best.hypothesis || !holds(best)) break;
      report(best);
      if (best.hypothesis->apply) best.hypothesis->apply(samples_);
      if (best.hypothesis->gravity) gravity_ = best.hypothesis->gravity;
      accepted_.push_back(best.hypothesis);
      agreements_ = best.agreements;
    }
    return std::move(findings_);
  }

  const std::vector<Agreement>& agreements() const { return agreements_; }
  const std::vector<const ColumnMistake*>& accepted() const { return accepted_; }

 private:
  Result<Trial> find_best() const {
    Trial best;
    best.score = sum_of(agreements_);
    if (std::none_of(agreements_.begin(), agreements_.end(), is_doubtful)) return best;
    double num_tried = 0;
    for (const ColumnMistake& hypothesis : hypotheses_) {
      HEFT_CHECK(report_progress(progress_, "testing hypotheses about the torques",
                                 num_tried++ / static_cast<double>(hypotheses_.size())));
      Samples changed = samples_;
      if (hypothesis.apply) hypothesis.apply(changed);
      HEFT_TRY(agreements,
               test_.agreements(changed, hypothesis.gravity ? hypothesis.gravity : gravity_));
      const double score = sum_of(agreements);
      Trial trial{&hypothesis, agreements, score};
      const bool is_better = score < best.score - kTie ||
                             (score < best.score + kTie && explains_constants(trial, best));
      if (is_better && (!hypothesis.is_of_all || holds(trial))) best = std::move(trial);
    }
    return best;
  }

  /// Whether only the constant torque tells two readings of the same joints apart, and agrees with
  /// `trial`: the weight on a vertical slide, whose motion and torque reversed look alike.
  bool explains_constants(const Trial& trial, const Trial& best) const {
    if (!best.hypothesis || trial.hypothesis->is_of_all || best.hypothesis->is_of_all ||
        trial.hypothesis->joints != best.hypothesis->joints)
      return false;
    const auto left = [&](const Trial& one) {
      double sum = 0;
      for (const int k : one.hypothesis->joints) {
        const int channel = log_.joints[static_cast<std::size_t>(k)].channel;
        sum += one.agreements[static_cast<std::size_t>(channel)].left_as_it_is;
      }
      return sum;
    };
    return left(trial) < kConstant * left(best);
  }

  static bool is_doubtful(const Agreement& agreement) {
    return agreement.known && agreement.correlation < kDoubtful;
  }

  // a hypothesis must bring a channel that asks for it back to the model
  bool recovers_a_channel(const Trial& trial) const {
    for (std::size_t c = 0; c < agreements_.size(); ++c)
      if (is_doubtful(agreements_[c]) && trial.agreements[c].correlation > kConvincing) return true;
    return false;
  }

  bool holds(const Trial& trial) const {
    const std::vector<int>& joints = trial.hypothesis->joints;
    const auto convinces = [&](int k) {
      const auto channel =
          static_cast<std::size_t>(log_.joints[static_cast<std::size_t>(k)].channel);
      const Agreement &then = trial.agreements[channel], &now = agreements_[channel];
      // for changes of all joints, no single joint must improve clearly, but none may become worse
      const double enough =
          trial.hypothesis->is_of_all ? std::min(-kDoubtful, now.correlation - kTie) : kConvincing;
      // of another gravity, only one that had agreed: a light last link may hang either way
      const bool is_heard = !trial.hypothesis->gravity || now.correlation > kConvincing;
      return !then.known || !is_heard || then.correlation > enough;
    };
    return sum_of(agreements_) - trial.score > kGain && recovers_a_channel(trial) &&
           std::all_of(joints.begin(), joints.end(), convinces) && !would_drive(*trial.hypothesis);
  }

  /// Friction that brakes the joints as they are read, and would drive them if read so: a file with
  /// a wrong mass or inertia, no sign.
  bool would_drive(const ColumnMistake& hypothesis) const {
    if (!hypothesis.apply) return false;
    Samples changed = samples_;
    hypothesis.apply(changed);
    const auto braking = [&](const Samples& samples) {
      double sum = 0;
      for (const int k : hypothesis.joints)
        if (const auto found =
                test_.braking(samples, log_.joints[static_cast<std::size_t>(k)].channel))
          sum += *found;
      return sum / static_cast<double>(hypothesis.joints.size());
    };
    return braking(samples_) > kBrakes && braking(changed) < -kBrakes;
  }

  void report(const Trial& trial) {
    const ColumnMistake& hypothesis = *trial.hypothesis;
    std::vector<std::size_t> channels;
    for (const int k : hypothesis.joints)
      channels.push_back(
          static_cast<std::size_t>(log_.joints[static_cast<std::size_t>(k)].channel));
    const auto channel =
        *std::min_element(channels.begin(), channels.end(), [&](std::size_t a, std::size_t b) {
          return agreements_[a].correlation < agreements_[b].correlation;
        });
    Finding finding = finding_of(log_, hypothesis, path_);
    finding.what = fmt::format(
        "correlation with the URDF's torque is {:.2f} ({:.2f} after the correction), and the "
        "unexplained share of the torques falls by a factor of {:.2g}",
        agreements_[channel].correlation, trial.agreements[channel].correlation,
        std::exp(sum_of(agreements_) - trial.score));
    finding.measure = trial.agreements[channel].correlation;
    findings_.push_back(std::move(finding));
  }

  const LogFacts& log_;
  const std::string& path_;
  const TorqueTest& test_;
  Samples& samples_;
  const Progress& progress_;
  std::optional<Eigen::Vector3d> gravity_;  // none: as told
  std::vector<ColumnMistake> hypotheses_;
  std::vector<Agreement> agreements_;
  std::vector<const ColumnMistake*> accepted_;
  std::vector<Finding> findings_;
};

// a constant weight has no variation to correlate with: only its size is informative
void check_sizes(const LogFacts& log, const std::string& path,
                 const std::vector<Agreement>& agreements, std::vector<Finding>& findings) {
  constexpr double kFactor = 20;
  for (const JointLog& joint : log.joints) {
    const Agreement& agreement = agreements[static_cast<std::size_t>(joint.channel)];
    const bool is_named = agreement.known && agreement.correlation > kConvincing;
    if (is_named || !(agreement.rms_measured > 0) ||
        !(agreement.rms_model > kFactor * agreement.rms_measured))
      continue;
    const std::string& unit = log.channels[static_cast<std::size_t>(joint.channel)].unit;
    findings.push_back(
        {"torque-below-gravity", Severity::error, column_of(log, joint, "torque"), path + ":1",
         fmt::format("{:.3g} {} rms, but the masses in the robot's file require {:.3g} {}",
                     agreement.rms_measured, unit, agreement.rms_model, unit),
         agreement.rms_measured / agreement.rms_model, "1",
         "a current or a torque before the gear needs log.torque_scale; put the load of a spring "
         "or a counterweight into known_torque, and joints without a torque into joints.exclude",
         log.coordinate(joint).name});
  }
}

LogFacts standing_otherwise(LogFacts log, const Eigen::Vector3d& gravity) {
  log.robot.gravity = gravity;
  return log;
}

Finding untested(const std::string& path, const Error& reason) {
  return {"torque-not-tested",
          Severity::error,
          "torques",
          reason.where.empty() ? path : reason.where,
          "the log cannot be conditioned: " + reason.what,
          0,
          "1",
          reason.remedy};
}

Finding of_moving_base(const LogFacts& log, const std::string& path) {
  return {
      "base-moves",
      Severity::note,
      "torques",
      path + ":1",
      "the base moves: signs, units and delays of torques are not compared with the robot's file",
      static_cast<double>(log.joints.size()),
      "1",
      "heft identify shows how well they fit"};
}

/// Agreement on conditioned samples of a fixed base.
Result<std::vector<Finding>> torque_findings(const LogFacts& log, const std::string& path,
                                             CleanLog& clean, bool fits, const Progress& progress) {
  HEFT_TRY(test, TorqueTest::make(log, clean.samples));
  Samples samples = test.samples();
  HEFT_TRY(missing, test.missing_dynamics(samples));
  if (missing) {
    std::vector<Finding> findings{heft::finding_of(*missing, path)};
    if (missing->part == MissingPart::dynamics) return findings;
    // other errors are sought in the original torques
    HEFT_TRY(others, torque_findings(standing_otherwise(log, Eigen::Vector3d::Zero()), path, clean,
                                     fits, progress));
    findings.insert(findings.end(), others.begin(), others.end());
    return findings;
  }
  HypothesisSearch search(log, path, test, samples, progress);
  HEFT_TRY(findings, search.run());
  std::optional<Eigen::Vector3d> gravity;
  for (const ColumnMistake* hypothesis : search.accepted()) {
    if (hypothesis->apply) hypothesis->apply(clean.samples);
    if (hypothesis->gravity) gravity = hypothesis->gravity;
  }
  check_sizes(log, path, search.agreements(), findings);
  HEFT_TRY(beside_rotors, test.agreements(samples, gravity, true));
  for (Finding& unit :
       torque_units_found(log, path, search.agreements(), beside_rotors, fits, clean.samples))
    findings.push_back(std::move(unit));
  if (!fits) return std::move(findings);
  HEFT_TRY(more, gravity ? check_moments(standing_otherwise(log, *gravity), path, clean)
                         : check_moments(log, path, clean));
  findings.insert(findings.end(), more.begin(), more.end());
  return std::move(findings);
}

}  // namespace

Result<std::vector<Finding>> check_torques(const LogFacts& log, const Log& file,
                                           const std::vector<PositionUnit>& units, bool fits,
                                           const Progress& progress) {
  const std::string path = file.name();
  auto clean = condition_for_tests(file, log, progress);
  if (!clean && clean.error().is_stop) return clean.error();
  // beside an identification, which has conditioned the log, nothing is lost
  if (!clean)
    return fits ? std::vector<Finding>{untested(path, clean.error())} : std::vector<Finding>{};
  if (log.robot.floating_base) {
    HEFT_TRY(findings, check_base(log, file));
    if (fits) findings.push_back(of_moving_base(log, path));
    return std::move(findings);
  }
  if (fits && (clean->samples.weight == 0).all())
    return std::vector<Finding>{
        untested(path, {path, "none of its rows has a torque", "fix the findings above"})};
  for (const PositionUnit& unit : units) scaled_motion(unit.joint, unit.radians)(clean->samples);

  return torque_findings(log, path, *clean, fits, progress);
}

}  // namespace heft::check
