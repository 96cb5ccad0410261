// check_torques: one hypothesis after the other is accepted, the best first, as long as one holds; then the
// scale of every channel, and what the moments say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torque_hypotheses.hpp"

namespace heft::check {

namespace {

constexpr double kGain = 1.2;         // fall of the summed score that is no chance: of what is left, a third
constexpr double kDoubtful = 0.5;     // correlation below which a channel asks for an explanation
constexpr double kConvincing = 0.85;  // correlation of the channels concerned, afterwards
constexpr double kTie = 0.05;         // scores as near as that are equal: the simpler hypothesis is taken
constexpr int kMaxAccepted = 4;

double sum_of(const std::vector<Agreement>& agreements) {
  double sum = 0;
  for (const Agreement& agreement : agreements) sum += agreement.score();
  return sum;
}

std::string column_of(const LogFacts& log, const JointLog& joint, const std::string& rule) {
  const RawLog& raw = log.raw;
  const bool torque = rule.starts_with("torque");
  return raw.name(torque ? raw.columns.torque[static_cast<std::size_t>(joint.channel)]
                         : raw.columns.first_position + joint.joint);
}

struct Trial {
  const ColumnMistake* hypothesis = nullptr;
  std::vector<Agreement> agreements;
  double score = 0;
};

class HypothesisSearch {
 public:
  HypothesisSearch(const LogFacts& log, const std::string& path, const TorqueTest& test, Samples& samples,
                   const Progress& progress)
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
      best.hypothesis->apply(samples_);
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
      HEFT_CHECK(report_progress(progress_, "looking for what the torques say",
                                 num_tried++ / static_cast<double>(hypotheses_.size())));
      Samples changed = samples_;
      hypothesis.apply(changed);
      HEFT_TRY(agreements, test_.agreements(changed));
      const double score = sum_of(agreements);
      Trial trial{&hypothesis, agreements, score};
      const bool is_for_all = hypothesis.joints.size() > 2;
      if (score < best.score - kTie && (!is_for_all || holds(trial))) best = std::move(trial);
    }
    return best;
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
    // of all joints none needs to convince, as long as none objects
    const double enough = joints.size() > 2 ? -kDoubtful : kConvincing;
    const auto convinces = [&](int k) {
      const auto channel = static_cast<std::size_t>(log_.joints[static_cast<std::size_t>(k)].channel);
      return !trial.agreements[channel].known || trial.agreements[channel].correlation > enough;
    };
    return sum_of(agreements_) - trial.score > kGain && recovers_a_channel(trial) &&
           std::all_of(joints.begin(), joints.end(), convinces);
  }

  void report(const Trial& trial) {
    const ColumnMistake& hypothesis = *trial.hypothesis;
    std::string subject;
    std::vector<std::size_t> channels;
    for (const int k : hypothesis.joints) {
      const JointLog& joint = log_.joints[static_cast<std::size_t>(k)];
      subject += (subject.empty() ? "" : ", ") + column_of(log_, joint, hypothesis.name);
      channels.push_back(static_cast<std::size_t>(joint.channel));
    }
    if (hypothesis.joints.size() > 2) subject = "all torques";
    const auto channel =
        *std::min_element(channels.begin(), channels.end(), [&](std::size_t a, std::size_t b) {
          return agreements_[a].correlation < agreements_[b].correlation;
        });
    findings_.push_back(
        {hypothesis.name, Severity::error, subject, path_ + ":1",
         fmt::format("correlation with the URDF's torque {:.2f}, {:.2f} if so read; the share that the model "
                     "leaves falls by a factor {:.2g} over all joints",
                     agreements_[channel].correlation, trial.agreements[channel].correlation,
                     std::exp(sum_of(agreements_) - trial.score)),
         trial.agreements[channel].correlation, "1", hypothesis.remedy});
  }

  const LogFacts& log_;
  const std::string& path_;
  const TorqueTest& test_;
  Samples& samples_;
  const Progress& progress_;
  std::vector<ColumnMistake> hypotheses_;
  std::vector<Agreement> agreements_;
  std::vector<const ColumnMistake*> accepted_;
  std::vector<Finding> findings_;
};

// a torque of the wrong size, before the gear or in another unit, is brought to the URDF's for what follows
void check_scales(const LogFacts& log, const std::string& path, const std::vector<Agreement>& agreements,
                  Samples& samples, std::vector<Finding>& findings) {
  constexpr double kFactor = 5;
  for (const JointLog& joint : log.joints) {
    const Agreement& agreement = agreements[static_cast<std::size_t>(joint.channel)];
    if (!agreement.known || !(agreement.correlation > kConvincing)) continue;
    const bool small = agreement.scale<1 / kFactor, large = agreement.scale> kFactor;
    if (!small && !large) continue;
    samples.torque.col(joint.channel) /= agreement.scale;
    findings.push_back(
        {small ? "torque-motor-side" : "torque-unit", Severity::error, column_of(log, joint, "torque"),
         path + ":1",
         fmt::format("{:.3g} times the torque that the URDF asks for, at a correlation of {:.2f}{}",
                     agreement.scale, agreement.correlation,
                     small ? fmt::format(": before a gear of about {:.0f}?", 1 / agreement.scale) : ""),
         agreement.scale, "1",
         small ? "multiply by the gear ratio (or the torque constant, if it is a current)"
               : "set log.torque_scale, e.g. 1e-3 for mN m"});
  }
}

// of a weight that does not vary nothing is left to correlate with: its size alone tells
void check_sizes(const LogFacts& log, const std::string& path, const std::vector<Agreement>& agreements,
                 std::vector<Finding>& findings) {
  constexpr double kFactor = 20;
  for (const JointLog& joint : log.joints) {
    const Agreement& agreement = agreements[static_cast<std::size_t>(joint.channel)];
    const bool is_named = agreement.known && agreement.correlation > kConvincing;
    if (is_named || !(agreement.rms_measured > 0) ||
        !(agreement.rms_model > kFactor * agreement.rms_measured))
      continue;
    const std::string& unit = log.channels[static_cast<std::size_t>(joint.channel)].unit;
    findings.push_back({"torque-below-gravity", Severity::error, column_of(log, joint, "torque"), path + ":1",
                        fmt::format("{:.3g} {} rms, where the masses of the robot's file ask for {:.3g} {}",
                                    agreement.rms_measured, unit, agreement.rms_model, unit),
                        agreement.rms_measured / agreement.rms_model, "1",
                        "a current or a torque before the gear needs log.torque_scale; what a spring or a "
                        "counterweight carries "
                        "belongs into known_torque; joints without a torque into joints.exclude",
                        log.coordinate(joint).name});
  }
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
  return {"base-moves",
          Severity::note,
          "torques",
          path + ":1",
          "the base moves: signs, units and delays of torques are not compared with the robot's file",
          static_cast<double>(log.joints.size()),
          "1",
          "heft identify says how well they fit"};
}

}  // namespace

Result<std::vector<Finding>> check_torques(const LogFacts& log, const Log& file,
                                           const std::vector<int>& joints_in_degrees, bool fits,
                                           const Progress& progress) {
  const std::string path = file.name();
  auto clean = condition_for_tests(file, log, progress);
  if (!clean && clean.error().is_stop) return clean.error();
  // beside an identification, which has conditioned the log, nothing is lost
  if (!clean) return fits ? std::vector<Finding>{untested(path, clean.error())} : std::vector<Finding>{};
  if (log.robot.floating_base) return std::vector<Finding>{of_moving_base(log, path)};
  if (fits && (clean->samples.weight == 0).all())
    return std::vector<Finding>{
        untested(path, {path, "none of its rows has a torque", "look at what is missing above"})};
  for (const int joint : joints_in_degrees)
    for (Eigen::ArrayXXd* array :
         {&clean->samples.position, &clean->samples.velocity, &clean->samples.acceleration})
      array->col(joint) *= std::numbers::pi / 180;

  HEFT_TRY(test, TorqueTest::make(log, clean->samples));
  Samples samples = test.samples();
  HypothesisSearch search(log, path, test, samples, progress);
  HEFT_TRY(findings, search.run());
  for (const ColumnMistake* hypothesis : search.accepted()) hypothesis->apply(clean->samples);
  check_sizes(log, path, search.agreements(), findings);
  check_scales(log, path, search.agreements(), clean->samples, findings);
  if (!fits) return std::move(findings);
  HEFT_TRY(more, check_moments(log, path, *clean));
  findings.insert(findings.end(), more.begin(), more.end());
  return std::move(findings);
}

}  // namespace heft::check
