#include "heft/app/identify_files.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <future>
#include <ios>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/log_parts.hpp"
#include "backend_work.hpp"
#include "base/begun_work.hpp"
#include "base/seconds_into.hpp"
#include "base/stop_at_exit.hpp"
#include "conditioning/read_again.hpp"
#include "config/contact_support.hpp"
#include "config/device_options.hpp"
#include "config/excluded_stretches.hpp"
#include "config/kept_joints.hpp"
#include "config/log_weight_support.hpp"
#include "config/nominal_voltage.hpp"
#include "config/total_mass.hpp"
#include "excluded_channels.hpp"
#include "executor/backend_choice.hpp"
#include "files/name_hint.hpp"
#include "heft/config/module_options.hpp"
#include "identify/contact_study.hpp"
#include "identify/filter_effect.hpp"
#include "identify/gains.hpp"
#include "identify/quick_estimate.hpp"
#include "identify/rows_in_memory.hpp"
#include "identify/stage_timer.hpp"
#include "setup/match_clocks.hpp"

namespace heft {

namespace {

/// Whether both use ellipsoids with the same shapes, margin and folders.
bool bounds_alike(const EstimationSection& a, const EstimationSection& b) {
  return a.bounding_ellipsoids == b.bounding_ellipsoids && a.bounding_margin == b.bounding_margin &&
         a.package_folders == b.package_folders;
}

/// Refuses weights from residuals: they are in the sums already or need the samples.
Result<Done> check_row_weights(const Configuration& wanted_options,
                               const Configuration& gathered_options, std::size_t num_logs) {
  const EstimationSection &wanted = wanted_options.estimation,
                          &gathered = gathered_options.estimation;
  const auto refuse = [](const char* option) {
    return Error{option, "is fixed in the moments: other row weights require the samples",
                 "identify again from the logs"};
  };
  if (wanted.loss != gathered.loss) return refuse("estimation.loss");
  if (wanted.channel_covariance != gathered.channel_covariance)
    return refuse("estimation.channel_covariance");
  if (num_logs < 2) return Done{};  // no weights between logs
  const RowWeightingOptions as_wanted = gather_options(wanted_options, Model{}).weighting,
                            as_gathered = gather_options(gathered_options, Model{}).weighting;
  // auto: as in the moments
  if (wanted.log_weights != LogWeights::automatic &&
      as_wanted.log_weights != as_gathered.log_weights)
    return refuse("estimation.log_weights");
  if ((as_wanted.weighs_logs() || as_gathered.weighs_logs()) &&
      as_wanted.log_kinds != as_gathered.log_kinds)
    return refuse("log_kinds");
  return Done{};
}

/// Sets the option that excludes the stretches of contacts.
void offer_to_exclude(const Configuration& configuration, const IdentifyRequest& request,
                      Evidence& evidence) {
  if (evidence.contacts.empty()) return;
  std::vector<Log> logs = request.training_logs;
  logs.insert(logs.end(), request.validation_logs.begin(), request.validation_logs.end());
  const std::string yaml =
      config::excluding(configuration.excluded_stretches, evidence.contacts, logs);
  for (Hypothesis& hypothesis : evidence.hypotheses)
    if (hypothesis.id == "contact") hypothesis.yaml = yaml;
}

bool has_cutoff(const IdentifyRequest& request) {
  return request.gathering.conditioning.filter == FilterKind::butterworth &&
         !request.estimation.is_least_squares();
}

/// conditioning.lowpass_hz: auto; the configuration then has the number.
Result<CutoffChoice> chosen_cutoff(IdentifyRequest request, Configuration& configuration) {
  if (request.estimation.is_least_squares())
    return Error{"conditioning.lowpass_hz", "auto needs an estimate with prior and constraints",
                 "choose a solver other than ols and wls, or give a number"};
  if (!has_cutoff(request))
    return Error{"conditioning.lowpass_hz",
                 "auto chooses the cutoff of a Butterworth filter, which is not in use",
                 "set conditioning.filter: butterworth, or give a number"};
  request.gathering.conditioning.chooses_lowpass = false;
  auto choice = choose_cutoff(request);
  if (!choice) {
    if (choice.error().is_stop) return choice.error();
    // errors of the logs themselves are more specific
    HEFT_CHECK(identify(request));
    return choice.error();
  }
  ConditioningOptions& conditioning = configuration.conditioning;
  conditioning.torque_lowpass_hz *= choice->cutoff_hz / conditioning.lowpass_hz;
  conditioning.lowpass_hz = choice->cutoff_hz;
  conditioning.chooses_lowpass = false;
  return choice;
}

/// Compares the current cutoff, `chosen` or given, with its neighbors; empty without a cutoff or if
/// a given one is not compared.
Result<std::optional<CutoffChoice>> compared_cutoff(const IdentifyRequest& request,
                                                    const Configuration& configuration,
                                                    std::optional<CutoffChoice> chosen) {
  if (!has_cutoff(request)) return std::optional<CutoffChoice>();
  const double cutoff_hz = request.gathering.conditioning.lowpass_hz;
  // the model selection may have changed the cutoff
  if (chosen && chosen->cutoff_hz != cutoff_hz) chosen->error = std::nullopt;
  if (chosen) chosen->cutoff_hz = cutoff_hz;
  // three passes over the first rows and three solutions: left out with the tests of the residuals,
  // and in fleets
  if (!configuration.estimation.seek_faults || !configuration.compares_cutoffs) return chosen;
  CutoffChoice choice = chosen.value_or(CutoffChoice{.cutoff_hz = cutoff_hz});
  HEFT_CHECK(compare_cutoffs(request, choice));
  return std::optional<CutoffChoice>(std::move(choice));
}

/// Returns whether two readers of the log take little memory: no table of a million columns.
bool has_short_lines(const Log& log) {
  constexpr std::size_t kLongest = 65536;  // bytes
  std::ifstream file(log.name(), std::ios::binary);
  if (!file) return true;  // arrays, or several files
  std::string begin(kLongest, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(kLongest));
  return !file || begin.find('\n') != std::string::npos;
}

/// Comparison of cutoffs and filters on the first rows.
struct CutoffStudy {
  std::optional<CutoffChoice> choice;
  std::optional<FilterSums> filter;
  double seconds = 0;
};

Result<CutoffStudy> studied_cutoffs(const IdentifyRequest& request,
                                    const Configuration& configuration,
                                    std::optional<CutoffChoice> chosen) {
  CutoffStudy study;
  {
    const SecondsInto timer(study.seconds);
    HEFT_TRY(choice, compared_cutoff(request, configuration, std::move(chosen)));
    study.choice = std::move(choice);
    if (configuration.compares_cutoffs) {
      HEFT_TRY(filter, filter_sums(request));
      study.filter = std::move(filter);
    }
  }
  return study;
}

/// Adds the counts of another executor.
void add(const std::vector<SolveCount>& counts, std::vector<SolveCount>& sum) {
  std::map<std::pair<std::string, std::string>, std::int64_t> problems;
  for (const std::vector<SolveCount>* part : {&std::as_const(sum), &counts})
    for (const SolveCount& one : *part) problems[{one.purpose, one.by}] += one.problems;
  sum.clear();
  for (const auto& [key, count] : problems) sum.push_back({key.first, key.second, count});
}

std::vector<std::string> names_of(const std::vector<Log>& training,
                                  const std::vector<Log>& held_out) {
  std::vector<std::string> names;
  for (const auto* logs : {&training, &held_out})
    for (const Log& log : *logs) names.push_back(log.name());
  return names;
}

/// Every name of a log with a payload must be that of a log.
Result<Done> check_payload_logs(const std::vector<KnownPayload>& payloads,
                                const std::vector<std::string>& names) {
  for (const KnownPayload& payload : payloads)
    for (const std::string& name : payload.logs)
      if (std::ranges::none_of(names,
                               [&](const std::string& log) { return is_name_of_log(name, log); }))
        return Error{"payloads", "no log is called '" + name + "'",
                     name_hint(name, names, "the logs are")};
  return Done{};
}

/// Fits gains and the loads behind them to each other.
Result<Done> settle(IdentifyRequest& request, Configuration& configuration) {
  HEFT_TRY(settled, settle_gains(request, model_options(configuration)));
  configuration.load = {.inertia = settled.load_inertia, .gain = settled.torque_gain};
  HEFT_TRY(setup, with_model(request.setup, settled));
  request.setup = std::move(setup);
  request.gathering = gather_options(configuration, request.setup.model);
  return Done{};
}

/// Options of the rows that depend on the answer.
struct Refinement {
  /// Inertias of the answer, for the rows' slopes in errors of an IMU, and for contacts told from
  /// residuals.
  bool inertias = false;
  bool noise = false;  ///< unknown contact forces: noise of the channels

  static Refinement of(const IdentifyRequest& request, const Configuration& configuration) {
    const ModelOptions options = model_options(configuration);
    const std::vector<ContactSpec> contacts = projected_contacts(options);
    const bool needs_inertias = has_imu_unknowns(request.setup.plan().robot, options) ||
                                std::ranges::any_of(contacts, [](const ContactSpec& contact) {
                                  return contact.state.is_automatic();
                                });
    return {configuration.load.inertia.empty() && needs_inertias,
            configuration.load.noise.empty() && !contacts.empty()};
  }
};

/// Repeats the estimate with such options.
Result<Done> refine_rows(IdentifyRequest& request, Configuration& configuration,
                         const Refinement& refinement) {
  constexpr int kRounds = 2;
  const IdentifyRequest kept = with_rows_in_memory(request);
  // tests of the logs keep rows themselves
  if (!request.gathers_evidence) {
    request.training_logs = kept.training_logs;
    request.validation_logs = kept.validation_logs;
  }
  for (int round = 0; round < kRounds; ++round) {
    IdentifyRequest quick = request;
    quick.training_logs = kept.training_logs;
    quick.gathering.weighting.log_weights = LogWeights::equal;
    quick.gathering.weighting.log_kinds.clear();  // the noise is that of all rows alike
    HEFT_TRY(found, quick_estimate(quick));
    const auto num_inertial = request.setup.plan().layout.column_index(0);
    if (refinement.inertias)
      configuration.load.inertia.assign(found.parameters.begin(),
                                        found.parameters.begin() + num_inertial);
    if (refinement.noise) configuration.load.noise = found.channel_noise;
    HEFT_TRY(setup, with_model(request.setup, model_options(configuration)));
    request.setup = std::move(setup);
    request.gathering = gather_options(configuration, request.setup.model);
  }
  return Done{};
}

/// Replaces logs of several files by logs with matched clocks.
Result<std::vector<ClockMatch>> match_clocks_of(const Robot& robot,
                                                const Configuration& configuration,
                                                std::vector<Log>& training,
                                                std::vector<Log>& validation) {
  std::vector<ClockMatch> clocks;
  HEFT_TRY(channels, model_channels(robot, model_options(configuration)));
  for (std::vector<Log>* logs : {&training, &validation}) {
    HEFT_TRY(matched, match_clocks(std::move(*logs), robot, channels, configuration.log,
                                   configuration.conditioning));
    *logs = std::move(matched.logs);
    clocks.insert(clocks.end(), matched.clocks.begin(), matched.clocks.end());
  }
  return clocks;
}

}  // namespace

Result<Setup> read_setup(const std::string& robot_path, const Configuration& configuration,
                         const Progress& progress) {
  HEFT_CHECK(config::check_total_mass(configuration.estimation));
  HEFT_CHECK(config::check_contact_support(configuration));
  HEFT_TRY(robot, read_robot(robot_path, robot_options(configuration)));
  return make_setup(std::move(robot), setup_options(configuration), progress);
}

Result<Configuration> configuration_of(const TrainingData& data, const std::string& where) {
  if (data.options.empty()) return Configuration();
  return configuration_from_json(data.options, where);
}

Result<Setup> setup_for(const TrainingData& data, const Configuration& gathered,
                        const Configuration& configuration) {
  HEFT_CHECK(check_row_weights(configuration, gathered, data.logs.size()));
  HEFT_CHECK(config::check_total_mass(configuration.estimation));
  const SetupOptions options = setup_options(configuration);
  const bool has_ellipsoids = bounds_alike(configuration.estimation, gathered.estimation);
  const PlanPtr plan = data.plan->whitened_from ? data.plan->whitened_from : data.plan;
  return make_setup(Model{.plan = plan}, options.prior, options.constraints,
                    has_ellipsoids ? data.ellipsoids : std::nullopt);
}

Configuration with_estimation_of(Configuration gathered, const Configuration& wanted) {
  gathered.priors = wanted.priors;
  gathered.estimation = wanted.estimation;
  gathered.backend = wanted.backend;
  return gathered;
}

Configuration with_choice(Configuration configuration, const ModelChoice& choice) {
  configuration.columns = choice.model.columns;
  configuration.known_torque = choice.model.known_torque;
  configuration.load.inertia = choice.model.load_inertia;
  configuration.load.gain = choice.model.torque_gain;
  configuration.conditioning = choice.conditioning;
  configuration.estimation.loss = choice.weighting.loss;
  configuration.estimation.channel_covariance = choice.weighting.channel_covariance;
  configuration.estimation.reweighting_rounds = choice.weighting.rounds;
  configuration.estimation.prior_weight = {.value = choice.weight_of_prior};
  configuration.selection.columns = ColumnChoice::given;
  configuration.selection.candidates.clear();
  return configuration;
}

Result<Identification> identify_files(const IdentifyFiles& files) {
  HEFT_TRY(robot, read_robot(files.robot_path, robot_options(files.configuration)));
  return identify_logs(std::move(robot), {files.training_logs.begin(), files.training_logs.end()},
                       {files.validation_logs.begin(), files.validation_logs.end()},
                       files.configuration, files.progress, files.parts);
}

Result<Identification> identify_logs(Robot robot, std::vector<Log> training_logs,
                                     std::vector<Log> validation_logs, const Configuration& given,
                                     const Progress& progress, const LogParts& parts,
                                     std::shared_ptr<DeviceConditioner> device,
                                     std::shared_ptr<Executor> executor) {
  Configuration configuration = given;
  HEFT_CHECK(config::check_torque_meaning(configuration));
  HEFT_CHECK(config::check_contact_support(configuration));
  HEFT_CHECK(config::check_kept_joints(configuration, robot));
  const bool projects = config::projects_contacts(configuration);
  if (projects) {
    configuration.backend.kind = BackendKind::cpu;
    configuration.compares_cutoffs = false;
  }
  HEFT_TRY(clocks, match_clocks_of(robot, configuration, training_logs, validation_logs));
  HEFT_TRY(split, app::split_logs(std::move(training_logs), parts, configuration.log));
  training_logs = std::move(split.training);
  validation_logs.insert(validation_logs.end(), split.held_out.begin(), split.held_out.end());
  HEFT_CHECK(config::check_total_mass(configuration.estimation));
  if (!configuration.excluded_stretches.empty()) {
    const auto num_training = std::ssize(training_logs);
    std::vector<Log> all = std::move(training_logs);
    all.insert(all.end(), validation_logs.begin(), validation_logs.end());
    HEFT_TRY(rest, config::without_excluded(configuration.excluded_stretches, std::move(all)));
    training_logs.assign(rest.begin(), rest.begin() + num_training);
    validation_logs.assign(rest.begin() + num_training, rest.end());
  }
  const std::vector<std::string> names = names_of(training_logs, validation_logs);
  HEFT_CHECK(check_payload_logs(configuration.payloads, names));
  HEFT_CHECK(config::check_log_weights(configuration, names));
  HEFT_TRY(channels, model_channels(robot, model_options(configuration)));
  for (std::vector<Log>* logs : {&training_logs, &validation_logs}) {
    HEFT_TRY(supplied,
             config::at_nominal_voltage(configuration, robot, channels, std::move(*logs)));
    *logs = std::move(supplied);
  }
  for (const auto* logs : {&training_logs, &validation_logs})
    for (const Log& log : *logs) HEFT_CHECK(can_be_read_again(log));
  if (!training_logs.empty()) {
    HEFT_CHECK(has_columns_of(robot, channels, training_logs.front(), configuration.log,
                              configuration.conditioning));
  }
  HEFT_TRY(setup, make_setup(std::move(robot), setup_options(configuration), progress));
  const bool conditions_on_device = configuration.backend.kind == BackendKind::cuda;
  IdentifyRequest request{.setup = std::move(setup),
                          .training_logs = std::move(training_logs),
                          .validation_logs = std::move(validation_logs),
                          .estimation = estimation_options(configuration),
                          .conditions_on_device = conditions_on_device,
                          .shared_device = conditions_on_device ? std::move(device) : nullptr,
                          // the tests compare torques, not projections of them
                          .gathers_evidence = configuration.estimation.seek_faults && !projects,
                          .progress = progress};
  request.gathering = gather_options(configuration, request.setup.model);
  std::string why_backend = conditions_on_device ? "backend: cuda is requested" : "";
  if (!executor) {
    HEFT_TRY(chosen, choose_executor(configuration.backend, app::work_of(request)));
    executor = std::move(chosen.executor);
    if (!conditions_on_device) why_backend = std::move(chosen.because);
  }
  request.executor = executor;
  std::map<std::string, double> timings_s;
  const auto settled = [&]() -> Result<Done> {
    if (!has_gain(model_options(configuration))) return Done{};
    StageTimer timer(timings_s, "settle gains");
    return settle(request, configuration);
  };
  std::optional<CutoffChoice> chosen_by_data;
  if (configuration.conditioning.chooses_lowpass) {
    StageTimer timer(timings_s, "compare cutoffs");
    HEFT_TRY(found, chosen_cutoff(request, configuration));
    chosen_by_data = std::move(found);
    request.gathering = gather_options(configuration, request.setup.model);
  }
  app::ExcludedChannels excluded;
  const bool searches = configuration.selection.columns == ColumnChoice::automatic ||
                        has_gain(model_options(configuration));
  if (searches && request.gathers_evidence && !request.estimation.is_least_squares()) {
    StageTimer timer(timings_s, "look for channels that are not torque");
    HEFT_TRY(found, app::exclude_before_search(request, configuration));
    excluded = std::move(found);
  }
  HEFT_CHECK(settled());
  std::optional<Selection> selection;
  if (configuration.selection.columns == ColumnChoice::automatic) {
    StageTimer timer(timings_s, "choose the model");
    HEFT_TRY(found, select_model(request, model_options(configuration), configuration.selection));
    selection = std::move(found);
    configuration = with_choice(configuration, selection->chosen);
    HEFT_TRY(chosen, with_choice(request, selection->chosen));
    request = std::move(chosen);
    request.gathering = gather_options(configuration, request.setup.model);
    HEFT_CHECK(settled());
  }
  if (const Refinement refinement = Refinement::of(request, configuration);
      refinement.inertias || refinement.noise) {
    StageTimer timer(timings_s, "refine the rows");
    HEFT_CHECK(refine_rows(request, configuration, refinement));
  }
  const bool beside = executor->num_threads() > 1 && !executor->has_device() &&
                      std::ranges::all_of(request.training_logs, has_short_lines);
  const auto neighbors = [&](const Progress& told, std::shared_ptr<Executor> on) {
    IdentifyRequest part = with_rows_in_memory(request);
    part.progress = told;
    part.executor = std::move(on);
    return [part = std::move(part), configuration, chosen_by_data] {
      return studied_cutoffs(part, configuration, chosen_by_data);
    };
  };
  // the caller's progress is called in its thread only; the problems of a discarded study do not
  // count
  std::shared_ptr<Executor> beside_on;
  if (beside) {
    BackendOptions options = configuration.backend;
    options.kind = BackendKind::cpu;
    HEFT_TRY(made, make_executor(options));
    beside_on = std::move(made);
  }
  std::future<Result<CutoffStudy>> study;
  std::optional<StopAtExit> ends(std::in_place);
  study = begin_work(beside, neighbors(beside ? ends->progress() : request.progress,
                                       beside ? beside_on : executor));
  const auto num_excluded = configuration.conditioning.excluded_joints.size();
  HEFT_TRY(identification, projects ? identify_with_contacts(request)
                                    : app::identify_torques(request, configuration, excluded));
  // an exclusion changes the torques: repeat the study
  if (configuration.conditioning.excluded_joints.size() != num_excluded) {
    ends.reset();
    beside_on = nullptr;
    study = begin_work(false, neighbors(request.progress, executor));
  }
  HEFT_TRY(cutoffs, awaited(study, request.progress, "comparing cutoffs"));
  timings_s["compare cutoffs"] += cutoffs.seconds;
  if (cutoffs.filter) add_filter_effect(request, *cutoffs.filter, identification);
  {
    StageTimer timer(timings_s, "errors of time and IMU");
    HEFT_CHECK(
        add_time_offset_effect(request, configuration.estimation.time_offset_sd_s, identification));
    HEFT_CHECK(add_imu_noise_effect(request, identification));
  }
  offer_to_exclude(configuration, request, identification.second_pass.evidence);
  identification.choices.clocks = std::move(clocks);
  identification.choices.columns = std::move(selection);
  identification.choices.cutoff = std::move(cutoffs.choice);
  identification.solves = executor->solved();  // those of the search, too
  if (beside_on) add(beside_on->solved(), identification.solves);
  app::record_choice(why_backend, identification);
  identification.timings_s.merge(timings_s);
  return std::move(identification);
}

Result<Identification> estimate_again(TrainingData data, const Configuration& gathered,
                                      const Configuration& configuration,
                                      const Progress& progress) {
  HEFT_TRY(setup, setup_for(data, gathered, configuration));
  const EstimationOptions options = estimation_options(configuration);
  HEFT_TRY(chosen, choose_executor(configuration.backend, app::work_of(setup.plan(), options)));
  HEFT_TRY(result,
           estimate(std::move(data), std::move(setup), *chosen.executor, options, progress));
  app::record_choice(chosen.because, result);
  result.options = to_json(configuration);
  return std::move(result);
}

}  // namespace heft
