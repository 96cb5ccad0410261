#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/median.hpp"
#include "doubts.hpp"

namespace heft::doubts {

namespace {

constexpr int kWindows = 10;             ///< of a log
constexpr double kWorstOverMedian = 12;  ///< rms of the worst tenth over that of the median tenth
constexpr double kShortestLog = 9;  ///< s: in shorter logs, a tenth has only one or two turning
                                    ///< points
constexpr double kHalves = 2;       ///< rms of one half over that of the other
// on clean logs the first ratio reaches 3 where the halves differ in torque; 2 of 130 exceed 1.6 in
// the second
constexpr double kHalvesUsually = 2.5;  ///< usual error of the blocks of one half over that of the
                                        ///< other
constexpr double kTogether = 0.9;       ///< correlation of two joints' errors
constexpr double kTogetherThatShows = 0.05;  ///< of the torque: noise in accelerations is in
                                             ///< several joints, too
constexpr double kTrend = 0.05;              ///< of the rms torque, over the whole log
constexpr double kTrendShare = 0.5;          ///< of the variance of the blocks' mean errors
constexpr double kTrendOfError = 0.5;  ///< of the squared errors: others then have another cause
constexpr double kLogs = 3;            ///< relative error of one training log over that of another
constexpr double kStretchThatShows = 0.06;  ///< of the joint's rms torque, in the worst tenth
constexpr double kErrorThatShows = 0.02;    ///< of the torque; smaller errors are not examined

double rms(double sum2, double rows) {
  return rows > 0 ? std::sqrt(sum2 / rows) : 0;
}

double relative_error(const ResidualBlocks& log) {
  return std::sqrt(log.error2.sum() / log.torque2.sum());
}

const std::string& name_of(const Identification& identification, Eigen::Index channel) {
  return identification.plan().channels[static_cast<std::size_t>(channel)].name;
}

/// Stretches in which a force at a link explains the errors.
void about_contacts(const Identification& identification, List& list) {
  const std::vector<Hypothesis>& hypotheses = identification.second_pass.evidence.hypotheses;
  const auto offered = std::find_if(hypotheses.begin(), hypotheses.end(), [](const Hypothesis& h) {
    return h.id == "contact" && !h.yaml.empty();
  });
  const std::string option = offered == hypotheses.end()
                                 ? std::string()
                                 : ": " + offered->yaml.substr(0, offered->yaml.find('\n'));
  for (const Contact& contact : identification.second_pass.evidence.contacts)
    list.push_back({.id = "contact",
                    .serious = kSerious,
                    .log = contact.log,
                    .from_s = contact.from_s,
                    .to_s = contact.to_s,
                    .words = fmt::format(
                        "{}: from {:.4g} to {:.4g} s an external force acts on {}: one force of "
                        "about {:.3g} N explains {:.0f} % of the squared errors there.",
                        contact.log, contact.from_s, contact.to_s, contact.link,
                        contact.force.norm(), 100 * contact.explained),
                    .remedy = "heft predict --external-torque shows what acts on the robot. "
                              "Exclude this stretch" +
                              option});
}

/// One tenth of a log whose errors are much larger than those of the others.
void about_stretches(const Identification& identification, const ResidualBlocks& log, List& list) {
  const Eigen::Index blocks = log.error2.rows();
  if (blocks < 2 * kWindows || log.to_s.back() - log.from_s.front() < kShortestLog) return;
  struct Window {
    double ratio = 0;
    Eigen::Index channel = 0, first = 0, last = 0;
  } worst;
  for (Eigen::Index c = 0; c < log.error2.cols(); ++c) {
    std::vector<double> errors;
    for (int w = 0; w < kWindows; ++w) {
      const Eigen::Index first = w * blocks / kWindows, count = (w + 1) * blocks / kWindows - first;
      errors.push_back(rms(log.error2.col(c).segment(first, count).sum(),
                           log.num_rows.col(c).segment(first, count).sum()));
    }
    std::vector<double> sorted = errors;
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted[kWindows / 2],
                 torque = rms(log.torque2.col(c).sum(), log.num_rows.col(c).sum());
    const auto largest = std::max_element(errors.begin(), errors.end());
    if (!(median > 0) || !(*largest > kStretchThatShows * torque)) continue;
    const auto w = static_cast<int>(largest - errors.begin());
    if (*largest / median > worst.ratio)
      worst = {*largest / median, c, w * blocks / kWindows, (w + 1) * blocks / kWindows - 1};
  }
  if (!(worst.ratio > kWorstOverMedian)) return;
  list.push_back({.id = "stretches-differ",
                  .serious = kSerious,
                  .joint = name_of(identification, worst.channel),
                  .log = log.log,
                  .from_s = log.from_s[static_cast<std::size_t>(worst.first)],
                  .to_s = log.to_s[static_cast<std::size_t>(worst.last)],
                  .words = fmt::format(
                      "{}: the error of {} is {} times its usual size from {:.4g} to {:.4g} s.",
                      log.log, name_of(identification, worst.channel), two_digits(worst.ratio),
                      log.from_s[static_cast<std::size_t>(worst.first)],
                      log.to_s[static_cast<std::size_t>(worst.last)]),
                  .remedy = "Look for a contact, a load that was added or removed, or a drive that "
                            "stopped, and exclude this stretch."});
}

/// Typical errors of blocks relative to every joint's torque over the whole log, independent of the
/// halves' torques.
double usual_error(const ResidualBlocks& log, Eigen::Index first, Eigen::Index count) {
  const Eigen::ArrayXd torque2 =
      (log.torque2.colwise().sum() / log.num_rows.colwise().sum().max(1)).transpose();
  std::vector<double> errors;
  for (Eigen::Index b = first; b < first + count; ++b) {
    const Eigen::ArrayXd error2 = (log.error2.row(b) / log.num_rows.row(b).max(1)).transpose();
    errors.push_back(std::sqrt((torque2 > 0).select(error2 / torque2, 0.0).sum()));
  }
  return median(std::move(errors));
}

void about_halves(const ResidualBlocks& log, List& list) {
  const Eigen::Index half = log.error2.rows() / 2;
  if (half < 5) return;
  const double first = std::sqrt(log.error2.topRows(half).sum() / log.torque2.topRows(half).sum()),
               second = std::sqrt(log.error2.bottomRows(half).sum() /
                                  log.torque2.bottomRows(half).sum());
  const double ratio = std::max(first, second) / std::min(first, second);
  if (!(ratio > kHalves) || !(std::max(first, second) > kErrorThatShows)) return;
  const double usual_first = usual_error(log, 0, half),
               usual_second = usual_error(log, log.error2.rows() - half, half);
  const double usual_ratio =
      first > second ? usual_first / usual_second : usual_second / usual_first;
  if (!(usual_ratio > kHalvesUsually)) return;
  list.push_back(
      {.id = "halves-differ",
       .serious = kSerious,
       .log = log.log,
       .words =
           fmt::format("{}: the error is {:.3g} % of the torque in the first half and {:.3g} % "
                       "in the second.",
                       log.log, 100 * first, 100 * second),
       .remedy = "Find out what changed in between: a load, the temperature or a drive."});
}

/// The straight line through the mean errors of a log's blocks.
struct Trend {
  double range = 0;     ///< from its begin to its end
  double share = 0;     ///< of the variance of the means
  double torque = 0;    ///< rms
  double of_error = 0;  ///< share of the squared errors

  bool shows() const { return std::abs(range) > kTrend * torque && share > kTrendShare; }
};

Trend trend_of(const ResidualBlocks& log, Eigen::Index c) {
  const Eigen::ArrayXd rows = log.num_rows.col(c);
  const Eigen::Index blocks = log.error2.rows();
  if (blocks < 2 * kWindows || !(rows.minCoeff() > 0)) return {};
  const Eigen::ArrayXd place = Eigen::ArrayXd::LinSpaced(blocks, -0.5, 0.5);
  Eigen::ArrayXd mean = log.error.col(c) / rows;
  mean -= mean.mean();
  const double range = (place * mean).sum() / place.square().sum();
  return {.range = range,
          .share = range * range * place.square().sum() / mean.square().sum(),
          .torque = rms(log.torque2.col(c).sum(), rows.sum()),
          // a straight line from -range / 2 to range / 2
          .of_error = range * range / 12 * rows.sum() / log.error2.col(c).sum()};
}

/// On a held-out log, new postures change the mean, too: report drift only if a training log drifts
/// alike.
bool is_drift(const Identification& identification, const ResidualBlocks& log, Eigen::Index c,
              const Trend& trend) {
  const auto& logs = identification.second_pass.evidence.residuals;
  return !log.held_out || std::any_of(logs.begin(), logs.end(), [&](const ResidualBlocks& other) {
    const Trend of_other = other.held_out ? Trend{} : trend_of(other, c);
    return of_other.shows() && of_other.range * trend.range > 0;
  });
}

/// Mean errors that change with time: sensor drift, or friction that warms up.
void about_trend(const Identification& identification, const ResidualBlocks& log, List& list) {
  for (Eigen::Index c = 0; c < log.error2.cols(); ++c) {
    const Trend trend = trend_of(log, c);
    if (!trend.shows()) continue;
    const auto& [range, share, torque, of_error] = trend;
    list.push_back(
        {.id = "torque-trend",
         .serious = of_error > kTrendOfError && is_drift(identification, log, c, trend),
         .joint = name_of(identification, c),
         .log = log.log,
         .words = fmt::format(
             "{}: the mean error of {} {} by {:.3g} {} over the log, {} % of its torque.", log.log,
             name_of(identification, c), range > 0 ? "rises" : "falls", std::abs(range),
             identification.plan().channels[static_cast<std::size_t>(c)].unit,
             two_digits(100 * std::abs(range) / torque)),
         .remedy = "Warm the robot up, zero the torque sensors, or record a shorter log."});
  }
}

/// Two joints whose errors are one signal: crossed wires, coupled drives, a load that is not
/// modeled.
void about_joints_together(const Identification& identification, const ResidualBlocks& log,
                           List& list) {
  for (Eigen::Index a = 0; a < log.products.rows(); ++a)
    for (Eigen::Index b = a + 1; b < log.products.cols(); ++b) {
      const double product = std::sqrt(log.products(a, a) * log.products(b, b));
      const auto shows = [&](Eigen::Index c) {
        return log.error2.col(c).sum() >
               kTogetherThatShows * kTogetherThatShows * log.torque2.col(c).sum();
      };
      if (!(product > 0) || !(std::abs(log.products(a, b)) > kTogether * product) || !shows(a) ||
          !shows(b))
        continue;
      list.push_back(
          {.id = "joints-err-together",
           .serious = kSerious,
           .joint = name_of(identification, a),
           .log = log.log,
           .words = fmt::format(
               "{}: the errors of {} and {} are nearly the same signal (correlation {:.2f}).",
               log.log, name_of(identification, a), name_of(identification, b),
               log.products(a, b) / product),
           .remedy = "Look for a coupling between their drives (expression columns), or a "
                     "load on both."});
    }
}

void about_logs_beside_each_other(const Identification& identification, List& list) {
  const ResidualBlocks *best = nullptr, *worst = nullptr;
  for (const ResidualBlocks& log : identification.second_pass.evidence.residuals) {
    if (log.held_out) continue;
    if (!best || relative_error(log) < relative_error(*best)) best = &log;
    if (!worst || relative_error(log) > relative_error(*worst)) worst = &log;
  }
  if (!best || best == worst || !(relative_error(*worst) > kLogs * relative_error(*best)) ||
      !(relative_error(*worst) > kErrorThatShows))
    return;
  list.push_back(
      {.id = "logs-disagree",
       .serious = kSerious,
       .log = worst->log,
       .words = fmt::format("The error is {:.3g} % of the torque in {}, but {:.3g} % in {}: these "
                            "may be logs of different robots, loads or settings.",
                            100 * relative_error(*worst), worst->log, 100 * relative_error(*best),
                            best->log),
       .remedy = "Identify from each log separately and compare the results: heft report A B."});
}

}  // namespace

void about_residuals(const Identification& identification, List& list) {
  about_contacts(identification, list);
  for (const ResidualBlocks& log : identification.second_pass.evidence.residuals) {
    about_stretches(identification, log, list);
    about_halves(log, list);
    about_trend(identification, log, list);
    about_joints_together(identification, log, list);
  }
  about_logs_beside_each_other(identification, list);
}

}  // namespace heft::doubts
