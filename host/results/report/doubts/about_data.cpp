#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "doubts.hpp"
#include "excluded_joints.hpp"
#include "training/rest_with_payload.hpp"

namespace heft::doubts {

namespace {

constexpr double kFewRows = 0.2;      ///< of a joint's torques, relative to the joint with most
constexpr double kManyDropped = 0.2;  ///< of the rows of all logs
constexpr double kNoticeable = 0.01;  ///< of a log's samples, at rest with a payload
constexpr double kLargeKnown = 1.5;   ///< rms of measured minus known torque over that of the
                                      ///< measured one

/// Logs given twice, compared by content.
void about_same_logs(const Identification& identification, List& list) {
  const std::vector<LogSummary>& training = identification.data.logs;
  const auto same_as = [](const LogSummary& log) {
    return [&log](const LogSummary& other) {
      return other.sha256 == log.sha256 && other.part.overlaps(log.part);
    };
  };
  for (const LogSummary& log : identification.second_pass.validation_logs)
    if (std::any_of(training.begin(), training.end(), same_as(log)))
      list.push_back(
          {.id = "held-out-seen",
           .serious = kSerious,
           .log = log.path,
           .words = log.path +
                    " is both a training log and a held-out log: its error does not show "
                    "how well other motions are predicted.",
           .remedy = "Hold out a log of another motion."});
  for (auto log = training.begin(); log != training.end(); ++log)
    if (std::any_of(training.begin(), log, same_as(*log)))
      list.push_back(
          {.id = "log-twice",
           .serious = kSerious,
           .log = log->path,
           .words = log->path +
                    " is given as a training log twice: it counts double, and the intervals "
                    "are too narrow.",
           .remedy = "Give each log once."});
}

void about_rows_of_joints(const Identification& identification, List& list) {
  const std::vector<ChannelErrors>& channels = identification.answer().training.channels;
  long long most = 0;
  for (const ChannelErrors& channel : channels) most = std::max(most, channel.num_rows);
  const std::vector<std::string> excluded = excluded_joints(identification);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const bool is_joint = identification.plan().channels[c].coordinate >= 0;
    if (!is_joint || is_excluded(excluded, channels[c].channel) ||
        static_cast<double>(channels[c].num_rows) >= kFewRows * static_cast<double>(most))
      continue;
    list.push_back({.id = "rows-few",
                    .serious = kSerious,
                    .joint = channels[c].channel,
                    .words = fmt::format(
                        "{}: only {} torque samples were used, against {} of another joint: the "
                        "rest were missing, clipped, in the dead band, or too close to a "
                        "missing one for the low-pass filter.",
                        channels[c].channel, channels[c].num_rows, most)});
  }
  for (const ChannelErrors& channel : channels)
    if (channel.rms_measured > 0 && channel.rms_torque > kLargeKnown * channel.rms_measured)
      list.push_back(
          {.id = "known-torque-large",
           .serious = kMinor,
           .joint = channel.channel,
           .words = fmt::format(
               "The torque of {} without its known torque is larger than the measured "
               "torque ({:.3g} against {:.3g} {} rms), so errors in % of it look "
               "small.",
               channel.channel, channel.rms_torque, channel.rms_measured, channel.unit)});
}

void about_dropped_rows(const Identification& identification, List& list) {
  const DroppedRows dropped = identification.dropped();
  const double num_dropped =
      std::accumulate(dropped.begin(), dropped.end(), 0.0,
                      [](double sum, const auto& entry) { return sum + entry.second; });
  double num_rows = 0;  // as dropped rows are counted: per channel
  for (const auto* logs : {&identification.data.logs, &identification.second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      num_rows += static_cast<double>(log.num_rows) * identification.plan().num_channels();
  if (num_dropped > kManyDropped * num_rows)
    list.push_back({.id = "rows-dropped",
                    .words = fmt::format("{:.0f} % of the rows in the logs were dropped: see Rows.",
                                         100 * num_dropped / num_rows)});
}

/// Joints at rest in logs with a payload, whose torques do not contain the load.
void about_rest_with_payload(const Identification& identification, List& list) {
  for (const auto* logs : {&identification.data.logs, &identification.second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      for (const Channel& channel : identification.plan().channels) {
        const auto at_rest = log.dropped.find(at_rest_with_payload(channel.name));
        if (at_rest == log.dropped.end() || log.num_samples == 0) continue;
        const double share =
            static_cast<double>(at_rest->second) / static_cast<double>(log.num_samples);
        if (share < kNoticeable) continue;
        list.push_back(
            {.id = "load-at-rest",
             .joint = channel.name,
             .log = log.path,
             .words = fmt::format(
                 "{}: {} is at rest in {:.0f} % of the samples. With the payload of this log, its "
                 "torque at rest contains static friction or, if a brake holds the joint, no load: "
                 "the fit excludes these rows.",
                 log.path, channel.name, 100 * share),
             .remedy = "Move the joint while it carries the payload (heft excite)."});
      }
}

}  // namespace

void about_data(const Identification& identification, List& list) {
  if (!identification.second_pass.has_seen_logs())
    list.push_back({.id = "logs-not-checked",
                    .words = "The result comes from moments alone: the logs themselves were not "
                             "checked.",
                    .remedy = "Run heft identify or heft check where the logs are."});
  else if (!identification.second_pass.has_asked_logs())
    list.push_back({.id = "logs-not-checked",
                    .words =
                        "Logs and residuals were not tested for faults: estimation.seek_faults "
                        "is false.",
                    .remedy = "Keep it true for logs of real robots."});
  about_same_logs(identification, list);
  for (const std::string& words : identification.data.disagreements)  // each begins with the name
                                                                      // of a file
    list.push_back({.id = "moments-differ", .serious = kSerious, .words = words + "."});
  about_rows_of_joints(identification, list);
  about_dropped_rows(identification, list);
  about_rest_with_payload(identification, list);
}

}  // namespace heft::doubts
