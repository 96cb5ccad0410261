#include "torque_doubts.hpp"

#include <cmath>

#include "base/number_text.hpp"
#include "checks/answer_checks.hpp"

namespace heft::payload {

namespace {

constexpr double kNoChance = 5;   // standard errors
constexpr double kMuchWorse = 2;  // times the residual of the identification
constexpr double kNoise = 0.02;   // of a joint's torque: a smaller residual is not a doubt
constexpr std::size_t kFewBlocksOfDoubt = 8;

std::string with_unit(double value, const std::string& unit) {
  return number_text(value, 3) + " " + unit;
}

}  // namespace

Result<Done> refuse_negative(double mass, double standard_error, const std::string& link) {
  if (!(mass < -kNoChance * standard_error)) return Done{};
  return Error{"payload",
               "estimated mass on " + link + " is negative (" + number_text(mass, 4) +
                   " kg): the robot carries less than during identification, or its "
                   "torques have the wrong sign",
               "identify the robot with only its permanent equipment; check the signs "
               "of the log's torques"};
}

std::vector<PayloadDoubt> doubts_about_torques(const KnownRobot& robot, const PayloadResult& result,
                                               std::size_t num_blocks) {
  std::vector<PayloadDoubt> doubts;
  if (robot.information.size() == 0)
    doubts.push_back(
        {"model-without-errors", true,
         "the model does not record its own errors, so the intervals do not include them" +
             (robot.no_intervals.empty()
                  ? ""
                  : "; its logs may have been too short for intervals: " + robot.no_intervals),
         robot.no_intervals.empty()
             ? "identify the robot again with this version of heft, from a log that is "
               "long enough for intervals"
             : "identify the robot again from a longer log"});
  if (num_blocks < kFewBlocksOfDoubt)
    doubts.push_back({"log-short", false,
                      "the log is too short to estimate how its errors are "
                      "correlated",
                      "record at least ten seconds"});
  const PayloadChannel* worst = nullptr;
  std::string names;
  for (const PayloadChannel& channel : result.channels) {
    const double least = std::max(kMuchWorse * channel.rms_identified, kNoise * channel.rms_torque);
    if (!(channel.rms_identified > 0) || !(channel.rms_with > least)) continue;
    names += (names.empty() ? "" : ", ") + channel.name;
    if (!worst ||
        channel.rms_with / channel.rms_identified > worst->rms_with / worst->rms_identified)
      worst = &channel;
  }
  if (worst)
    doubts.push_back({"model-differs", true,
                      names + (worst->name == names ? " leaves" : " leave") +
                          " a residual above noise and above that of the robot's identification; " +
                          worst->name + " " + with_unit(worst->rms_with, worst->unit) +
                          ", against " + with_unit(worst->rms_identified, worst->unit),
                      "look for contact, another payload or the wrong --link; friction "
                      "changes with temperature and time, so identify the robot again"});
  for (PayloadDoubt& doubt : doubts_about_answer(result)) doubts.push_back(std::move(doubt));
  return doubts;
}

}  // namespace heft::payload
