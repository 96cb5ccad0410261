#include "payload_config/payload_on_robot.hpp"

#include <algorithm>
#include <map>

#include "base/number_text.hpp"
#include "heft/config/module_options.hpp"
#include "heft/observe/observe.hpp"
#include "payload/by_torques.hpp"
#include "predict/identified_model.hpp"
#include "readers/between_stamps.hpp"
#include "readers/option_yaml.hpp"
#include "robot/link_place.hpp"
#include "training/accumulate.hpp"
#include "training/reported_run.hpp"

namespace heft {

namespace {

/// The link's body in the plan's layout.
Result<CarryingLink> carrying_link(const RegressorPlan& plan, const std::string& name) {
  HEFT_TRY(place, find_link(plan.robot, name, "--link " + name));
  const std::vector<int>& bodies = plan.layout.body_index;
  const auto at = std::find(bodies.begin(), bodies.end(), place.body);
  if (at == bodies.end())
    return Error{"--link " + name, "has no inertia of its own",
                 "name the link that its joint carries"};
  return CarryingLink{name, static_cast<int>(at - bodies.begin()), place.X_body_link};
}

Result<KnownRobot> known_robot(const IdentifiedModel& identified, const std::string& where) {
  const RegressorPlan& plan = *identified.model.plan;
  HEFT_TRY(observability,
           observe(plan.robot, {.channels = false, .sensors = sensors_among(plan.channels)}));
  HEFT_TRY(quantities, base_quantities(observability, plan.layout));
  KnownRobot robot{.plan = identified.model.plan,
                   .parameters = identified.parameters,
                   .residual_rms = identified.residual_rms,
                   .quantities = std::move(quantities),
                   .information = identified.information,
                   .information_times_estimate = identified.information_times_estimate,
                   .channel_parts = identified.channel_parts,
                   .no_intervals = identified.no_intervals};
  if (identified.information.size() > 0 && identified.quantities != robot.quantities.names)
    return Error{where, "has base parameters that differ from those of the URDF next to it",
                 "keep result.json and identified.urdf together, or identify again"};
  return robot;
}

}  // namespace

struct CarryingRobot::State {
  IdentifiedModel identified;
  CarryingLink link;
  KnownRobot robot;
};

Result<CarryingRobot> CarryingRobot::read(const std::string& model, const std::string& link) {
  HEFT_TRY(identified, read_identified_model(model));
  if (!identified.configuration.supply_voltage.empty())
    return Error{"log.supply_voltage", "is not supported by heft payload",
                 "multiply the torque columns by voltage / nominal voltage beforehand"};
  HEFT_TRY(carrying, carrying_link(*identified.model.plan, link));
  HEFT_TRY(robot, known_robot(identified, model));
  return CarryingRobot(std::make_shared<const State>(
      State{std::move(identified), std::move(carrying), std::move(robot)}));
}

const std::string& CarryingRobot::link() const {
  return state_->link.name;
}

namespace {

/// Conditions logs as the identification did.
GatherOptions gathering_of(const IdentifiedModel& identified) {
  GatherOptions gathering = gather_options(identified.configuration, identified.model);
  gathering.conditioning.rows = "torque";
  return gathering;
}

/// Moments of logs.
Result<TrainingData> training_data_of(const IdentifiedModel& identified,
                                      const std::vector<Log>& logs, int threads,
                                      const Progress& progress) {
  const GatherOptions gathering = gathering_of(identified);
  SampleSource source(logs, identified.model, gathering);
  source.keep_nothing();
  BackendOptions options = identified.configuration.backend;
  if (threads > 0) options.threads = threads;
  HEFT_TRY(backend, make_backend(options));
  return accumulate(source, identified.model.plan, *backend, progress);
}

/// The log between two stamps.
Log part_of(const Log& log, const Stamps& stamps) {
  return {log.name(), [log, stamps](const LogFormat& format) -> Result<SourcePtr> {
            HEFT_TRY(whole, log.open(format));
            return between_stamps(std::move(whole), stamps, format.time_scale,
                                  "write other times: payload.changes");
          }};
}

/// Times [s] of a log at which the body on the link changes. Reads the log again if there are any:
/// sample numbers differ from row numbers if the log has gaps or excluded parts.
Result<std::vector<double>> changes_in(const Log& log, const IdentifiedModel& identified,
                                       const KnownRobot& robot, const CarryingLink& link,
                                       const TrainingData& data, const Progress& progress) {
  const std::vector<std::int64_t> samples_before = changes_by_torques(robot, link, data);
  std::vector<double> times;
  if (samples_before.empty()) return times;
  const GatherOptions gathering = gathering_of(identified);
  SampleSource source({log}, identified.model, gathering);
  source.keep_nothing();
  std::int64_t begin = 0;
  const auto take_times = [&](int, const Samples& block) -> Result<Done> {
    while (times.size() < samples_before.size() &&
           samples_before[times.size()] < begin + block.size())
      times.push_back(block.time[samples_before[times.size()] - begin]);
    begin += block.size();
    return Done{};
  };
  HEFT_CHECK(reported_run(source, take_times, progress, "finding the time of a change"));
  return times;
}

PayloadDoubt doubt_of(const std::vector<double>& changes) {
  std::string times;
  for (const double time : changes) times += (times.empty() ? "" : " and ") + number_text(time, 3);
  return {"payload-changes", true, "the body on the link changes at " + times + " s",
          "weigh one body per stretch with --changes auto or with the times, or cut the log there"};
}

/// Reads the log once per stretch, so that filters do not reach across a change.
Result<std::vector<LoadedStretch>> read_stretches(const IdentifiedModel& identified,
                                                  const PayloadRequest& request,
                                                  const std::vector<double>& changes, int threads) {
  const Log& log = request.logs.front();
  HEFT_TRY(whole, stamps_of(log, identified.configuration.log));
  HEFT_TRY(times, stretches_between(whole.from, whole.to, changes, kGrasping));
  std::vector<LoadedStretch> stretches;
  for (const StretchTimes& one : times) {
    auto data = training_data_of(identified, {part_of(log, {one.begin, one.end})}, threads,
                                 request.progress);
    if (!data && data.error().is_stop) return data.error();
    if (!data)
      return Error{"payload.changes", one.words(stretches.size()) + ": " + data.error().what,
                   data.error().remedy};
    stretches.push_back({one, *std::move(data)});
  }
  return stretches;
}

/// Configuration for the next identification: its torque scales times the calibrated factors.
std::string calibration_yaml(const TorqueCalibration& calibration,
                             const IdentifiedModel& identified) {
  std::map<int, double> factors;
  for (const TorqueGain& gain : calibration.gains)
    if (gain.is_identifiable) factors[gain.coordinate] = 1 / gain.value;
  return option_yaml({"log", "torque_scale", 1}, identified.configuration.log.torque_scale,
                     identified.model.plan->robot,
                     [&](int coordinate, double old) {
                       const auto found = factors.find(coordinate);
                       return found == factors.end() ? old : old * found->second;
                     }) +
         "estimation: {torque_scale_sd: " + number_text(calibration.sd, 2) + "}\n";
}

/// Takes torque_scale_sd from the identification unless the payload's options set it.
PayloadOptions with_torque_scale_sd(PayloadOptions options, const EstimationSection& estimation) {
  if (!options.torque_scale_sd && !estimation.torque_scale_sd.automatic)
    options.torque_scale_sd = estimation.torque_scale_sd.value;
  return options;
}

}  // namespace

Result<PayloadResult> weigh_on_robot(const CarryingRobot& carrying, const PayloadRequest& request,
                                     int threads) {
  const IdentifiedModel& identified = carrying.state_->identified;
  const CarryingLink& link = carrying.state_->link;
  const KnownRobot& robot = carrying.state_->robot;
  if (request.on_link)
    return Error{"payload", "a sensor on a link and joint torques are two different ways to weigh",
                 "omit one of them"};
  const PayloadOptions options =
      with_torque_scale_sd(request.options, identified.configuration.estimation);
  std::vector<double> changes = options.changes;
  if (request.logs.size() != 1 && (!changes.empty() || options.finds_changes))
    return Error{"payload.changes", "supports only one log", "weigh the logs in several runs"};
  Result<PayloadResult> weighed = [&]() -> Result<PayloadResult> {
    if (changes.empty()) {
      HEFT_TRY(data, training_data_of(identified, request.logs, threads, request.progress));
      if (request.logs.size() == 1) {
        HEFT_TRY(found,
                 changes_in(request.logs.front(), identified, robot, link, data, request.progress));
        changes = std::move(found);
      }
      if (changes.empty() || !options.finds_changes) {
        HEFT_TRY(found,
                 weigh_by_torques(robot, link, data, options, request.shape, request.methods));
        if (!changes.empty()) found.doubts.push_back(doubt_of(changes));
        return found;
      }
    }
    HEFT_TRY(stretches, read_stretches(identified, request, changes, threads));
    return weigh_stretches_by_torques(robot, link, stretches, options, request.shape,
                                      request.methods);
  }();
  HEFT_TRY(result, std::move(weighed));
  if (result.calibration)
    result.calibration->yaml = calibration_yaml(*result.calibration, identified);
  for (const std::string& words : identified.doubts)
    result.doubts.push_back({"model", true, "the robot's own identification is in doubt: " + words,
                             "read its report page, fix the cause and identify again"});
  return result;
}

}  // namespace heft
