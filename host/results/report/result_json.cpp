// Writes result.json. Its schema is tools/result.schema.json; a test validates the output.
#include <cmath>
#include <nlohmann/json.hpp>

#include "conditioning/reading_times.hpp"
#include "files/json_text.hpp"
#include "files/json_writer.hpp"
#include "files/sha256.hpp"
#include "heft/report/report.hpp"
#include "heft/version.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "log_weights.hpp"
#include "report/result_document.hpp"
#include "report/robot_file.hpp"
#include "result_json_parts.hpp"
#include "selection_json.hpp"
#include "summary_sentences.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;
using nlohmann::literals::operator""_json_pointer;

Json parameters_json(const BodyParameters& parameters) {
  Json json = Json::object();
  auto& object = json.get_ref<Json::object_t&>();
  object.reserve(core::kNumParameters);
  for (int k = 0; k < core::kNumParameters; ++k)
    object.emplace_back(core::kParameterNames[k], parameters[k]);
  return json;
}

Json bodies_json(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  const std::vector<double> to_prior = distances_to_prior(identification);
  Json bodies = Json::array();
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const Body& body = plan.robot.bodies[plan.layout.body_index[i]];
    const BodyParameters parameters =
        identification.answer().parameters.segment<core::kNumParameters>(core::kNumParameters * i);
    const bool has_prior = i < static_cast<int>(identification.setup.prior.references.size());
    const BodyParameters prior = has_prior ? identification.setup.prior.references[i] : body.prior;
    Json entry = json_object(
        {{"name", body.name},
         {"joint", body.joint},
         {"rotor", body.is_rotor},
         {"merged_links", body.merged_links},
         {"parameters", parameters_json(parameters)},
         {"prior", parameters_json(prior)},
         {"min_eigenvalue", SymmetricEigen<4>(pseudo_inertia(parameters)).eigenvalues()[0]}});
    if (!std::isnan(to_prior[i])) entry["distance_to_prior"] = to_prior[i];
    for (const PriorRepair& repair : identification.setup.prior.repairs)
      if (repair.body == i) entry["prior_repair"] = repair.what;
    bodies.push_back(std::move(entry));
  }
  return bodies;
}

Json columns_json(const Identification& identification) {
  const ParameterLayout& layout = identification.plan().layout;
  const Eigen::VectorXd& x = identification.answer().parameters;
  Json columns = Json::array();
  for (int j = 0; j < layout.num_columns(); ++j) {
    const Column& column = layout.columns[j];
    columns.push_back(json_object({{"name", column.name},
                                   {"kind", column.kind},
                                   {"joints", column.joints},
                                   {"value", shown_value(column, x[layout.column_index(j)])},
                                   {"unit", column.unit}}));
  }
  return columns;
}

/// Mass and center of mass of all bodies; null for intervals that the prior sets or that were not
/// computed.
Json whole_json(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  const bool has_intervals = identification.optimum && identification.optimum->uncertainty.whole;
  const WholeRobot whole =
      has_intervals ? *identification.optimum->uncertainty.whole
                    : whole_robot(plan.robot, plan.layout, identification.answer().parameters);
  const auto interval_json = [](const std::optional<Interval>& interval) {
    return interval ? Json{interval->lower, interval->upper} : Json();
  };
  Json json = json_object({{"mass", whole.mass},
                           {"mass_interval", interval_json(whole.mass_interval)},
                           {"com", Json{whole.com.x(), whole.com.y(), whole.com.z()}},
                           {"com_interval", Json::array()},
                           {"frame", plan.robot.bodies.front().name}});
  for (const std::optional<Interval>& interval : whole.com_interval)
    json["com_interval"].push_back(interval_json(interval));
  return json;
}

Json contacts_json(const std::vector<ContactSummary>& contacts) {
  Json list = Json::array();
  for (const ContactSummary& contact : contacts)
    list.push_back(json_object({{"frame", contact.frame},
                                {"share_of_time", contact.share_of_time},
                                {"information_lost", contact.information_lost}}));
  return list;
}

Json errors_json(const TorqueErrors& errors) {
  Json per_channel = Json::array();
  for (const ChannelErrors& channel : errors.channels)
    per_channel.push_back(json_object({{"channel", channel.channel},
                                       {"rms_error", channel.rms_error},
                                       {"rms_torque", channel.rms_torque},
                                       {"unit", channel.unit},
                                       {"rows", channel.num_rows}}));
  return json_object({{"overall_relative", errors.overall_relative}, {"per_channel", per_channel}});
}

/// Variation of the error along the held-out logs, for the comparison of two results.
Json blocks_json(const ErrorBlocks& blocks) {
  return json_object({{"samples_per_block", blocks.samples_per_block},
                      {"error2", blocks.error2},
                      {"torque2", blocks.torque2}});
}

Json estimates_json(const Identification& identification) {
  Json estimates = Json::array();
  for (const Estimate& estimate : identification.estimates) {
    Json impossible = Json::array();
    for (const int body : estimate.impossible_bodies)
      impossible.push_back(identification.plan().layout.bodies[body]);
    Json entry = json_object({{"name", estimate.name},
                              {"impossible_bodies", impossible},
                              {"training_overall_relative", estimate.training.overall_relative}});
    if (estimate.rank > 0) entry["rank"] = estimate.rank;
    if (estimate.validation)
      entry["validation_overall_relative"] = estimate.validation->overall_relative;
    estimates.push_back(std::move(entry));
  }
  return estimates;
}

Json solver_json(const Solution& solution) {
  Json history = Json::array();
  for (const IterationRecord& record : solution.history)
    history.push_back(json_object({{"iteration", record.iteration},
                                   {"objective", record.objective},
                                   {"gap", record.gap},
                                   {"violation", record.violation}}));
  return json_object({{"method", enum_name(solution.method)},
                      {"status", enum_name(solution.status)},
                      {"reason", solution.reason},
                      {"iterations", solution.iterations},
                      {"gap", solution.gap},
                      {"history", history}});
}

Json certificate_json(const Certificate& certificate) {
  return json_object({{"certified", certificate.certified},
                      {"rigorous", certificate.rigorous},
                      {"verdict", certificate.verdict},
                      {"primal", certificate.primal},
                      {"dual", certificate.dual},
                      {"gap", certificate.gap},
                      {"residual_cost", certificate.residual_cost},
                      {"bodies_positive_definite", certificate.bodies_positive_definite},
                      {"psd_margin", certificate.psd_margin},
                      {"constraint_violation", certificate.constraint_violation},
                      {"equality_violation", certificate.equality_violation},
                      {"dual_violation", certificate.dual_violation},
                      {"stationarity", certificate.stationarity},
                      {"condition", certificate.condition}});
}

Json logs_json(const std::vector<LogSummary>& logs) {
  Json list = Json::array();
  for (const LogSummary& log : logs) {
    list.push_back(json_object({{"path", log.path},
                                {"rows", log.num_rows},
                                {"segments", log.num_segments},
                                {"duration_s", log.duration_s},
                                {"rate_hz", log.rate_hz},
                                {"jitter", log.jitter},
                                {"samples", log.num_samples},
                                {"dropped", log.dropped}}));
    if (std::isfinite(log.part.from_s)) list.back()["from_s"] = log.part.from_s;
    if (std::isfinite(log.part.to_s)) list.back()["to_s"] = log.part.to_s;
    if (!log.losses.empty()) list.back()["lost"] = log.losses;
    if (!log.filled.empty()) list.back()["interpolated"] = log.filled;
    if (!log.bridged.empty()) list.back()["bridged"] = log.bridged;
    if (log.clock_step_s > 0) list.back()["clock_step_s"] = log.clock_step_s;
    if (log.shift_s > 0) list.back()["shift_s"] = log.shift_s;
  }
  return list;
}

Json clocks_json(const std::vector<ClockMatch>& matches) {
  Json clocks = Json::array();
  for (const ClockMatch& match : matches)
    clocks.push_back(json_object({{"log", match.log},
                                  {"file", match.file},
                                  {"offset_s", match.clock.offset_s},
                                  {"offset_sd_s", match.offset_sd_s},
                                  {"rate_ppm", 1e6 * match.clock.rate},
                                  {"rate_sd_ppm", 1e6 * match.rate_sd}}));
  return clocks;
}

/// The current cutoff and the errors with others.
Json cutoff_json(const CutoffChoice& choice) {
  const auto error_or_null = [](const std::optional<double>& error) {
    return error ? Json(*error) : Json();
  };
  Json json = json_object({{"cutoff_hz", choice.cutoff_hz},
                           {"chosen", choice.is_chosen},
                           {"cross_validated_error", error_or_null(choice.error)},
                           {"half", error_or_null(choice.half_error)},
                           {"twice", error_or_null(choice.twice_error)}});
  if (!choice.is_chosen) return json;
  for (const CutoffTrial& trial : choice.trials)
    if (trial.cutoff_hz == choice.cutoff_hz) json["cross_validated_error"] = trial.relative_error;
  json["compared_error"] = error_or_null(choice.error);
  json["folds"] = choice.num_folds;
  json["trials"] = Json::array();
  for (const CutoffTrial& trial : choice.trials)
    json["trials"].push_back(json_object({{"cutoff_hz", trial.cutoff_hz},
                                          {"cross_validated_error", trial.relative_error},
                                          {"loss", trial.loss}}));
  return json;
}

/// Times of the training logs; reading and parsing run in parallel with computing.
Json reading_json(const ReadingTimes& times) {
  const auto seconds = [](double value) { return Json{{"value", value}, {"unit", "s"}}; };
  return json_object({{"limited_by", times.limit()},
                      {"disk", seconds(times.disk_s)},
                      {"parsing", seconds(times.parsing_s)},
                      {"computing", seconds(times.computing_s)},
                      {"total", seconds(times.total_s)}});
}

Json solves_json(const std::vector<SolveCount>& solves) {
  Json json = Json::array();
  for (const SolveCount& count : solves)
    json.push_back(
        json_object({{"for", count.purpose}, {"by", count.by}, {"problems", count.problems}}));
  return json;
}

Json wave_json(const WaveReport& wave) {
  Json on_host = Json::array();
  for (const auto& [log, why] : wave.on_host)
    on_host.push_back(json_object({{"log", log}, {"why", why}}));
  return json_object({{"robots", wave.num_robots},
                      {"logs", wave.num_logs},
                      {"bytes_up", wave.bytes_up},
                      {"bytes_down", wave.bytes_down},
                      {"launches", wave.launches},
                      {"host_cpu_s", wave.host_cpu_s},
                      {"device_s", wave.device_s},
                      {"chosen_because", wave.chosen_because},
                      {"on_host", std::move(on_host)}});
}

Json provenance_json(const Identification& identification) {
  Json options = parse_json<Json>(identification.options);
  if (!options.is_object()) options = Json::object();
  const Robot& robot = identification.plan().robot;
  Json inputs = Json::array();
  inputs.push_back(json_object({{"path", robot.source}, {"sha256", sha256_of(robot.source_text)}}));
  if (!robot.rotors_text.empty())
    inputs.push_back(
        json_object({{"path", options.value("/robot/rotors"_json_pointer, std::string())},
                     {"sha256", sha256_of(robot.rotors_text)}}));
  if (const auto& ellipsoids = identification.setup.ellipsoids)
    for (const MeshFile& mesh : ellipsoids->meshes)
      inputs.push_back(json_object({{"path", mesh.path}, {"sha256", mesh.sha256}}));
  for (const auto* logs : {&identification.data.logs, &identification.second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      inputs.push_back(json_object({{"path", log.path}, {"sha256", log.sha256}}));
  Json json = json_object({{"program", "heft"},
                           {"version", kVersion},
                           {"backend", identification.second_pass.backend},
                           {"solves", solves_json(identification.solves)},
                           {"inputs", std::move(inputs)},
                           {"options", std::move(options)}});
  if (identification.wave) json["wave"] = wave_json(*identification.wave);
  if (!identification.data.disagreements.empty())
    json["disagreements"] = identification.data.disagreements;
  return json;
}

/// Contents of identified.urdf besides bodies; absent without such a file.
Json robot_file_json(const Identification& identification) {
  return json_object({{"dynamics", keeps_dynamics(identification) ? "kept" : "identified"},
                      {"not_expressed", robot_file_dynamics(identification).not_expressed}});
}

const char* status_of(const Identification& identification) {
  if (!identification.optimum) return "least_squares";
  if (identification.optimum->solution.status == SolveStatus::optimal)
    return identification.optimum->certificate.certified ? "certified" : "not_certified";
  return enum_name(identification.optimum->solution.status);
}

}  // namespace

nlohmann::ordered_json result_document(const Identification& identification) {
  constexpr std::size_t kMaxMembers = 40;
  const RegressorPlan& plan = identification.plan();
  Json json = Json::object();
  json.get_ref<Json::object_t&>().reserve(kMaxMembers);  // growing would copy all of them
  json["schema"] = kResultSchema;
  json["status"] = status_of(identification);
  const Verdict judged = verdict(identification);
  json["verdict"] = json_object({{"level", enum_name(judged.level)}, {"words", judged.words}});
  json["doubts"] = doubts_json(judged.doubts);
  json["robot"] = plan.robot.name;
  json["joints"] = Json::array();
  for (const Coordinate& coordinate : plan.robot.coordinates)
    json["joints"].push_back(coordinate.name);
  json["bodies"] = bodies_json(identification);
  if (plan.robot.floating_base) json["whole"] = whole_json(identification);
  if (!identification.choices.contacts.empty())
    json["contacts"] = contacts_json(identification.choices.contacts);
  if (identification.choices.logs)
    json["log_weights"] = log_weights_json(*identification.choices.logs, plan);
  json["columns"] = columns_json(identification);
  if (Json gains = gains_json(identification); !gains.empty()) json["gains"] = std::move(gains);
  if (Json curves = friction_curves_json(identification); !curves.empty())
    json["friction_curves"] = std::move(curves);
  if (identification.answer().impossible_bodies.empty())
    json["robot_file"] = robot_file_json(identification);
  if (identification.answer().validation) {
    json["validation"] = errors_json(*identification.answer().validation);
    if (identification.second_pass.held_out)
      json["validation"]["blocks"] = blocks_json(*identification.second_pass.held_out);
  }
  json["training"] = errors_json(identification.answer().training);
  json["channels"] = channels_json(identification);
  if (identification.second_pass.evidence.reference)
    json["reference"] = reference_json(identification);
  json["hypotheses"] = hypotheses_json(identification.second_pass.evidence.hypotheses);
  json["estimates"] = estimates_json(identification);
  json["prior"] = prior_json(identification);
  if (identification.setup.ellipsoids)
    json["bounding_ellipsoids"] = ellipsoids_json(identification);
  if (identification.choices.columns)
    json["selection"] = selection_json(*identification.choices.columns);
  if (!identification.choices.clocks.empty())
    json["clocks"] = clocks_json(identification.choices.clocks);
  if (identification.choices.cutoff) json["cutoff"] = cutoff_json(*identification.choices.cutoff);
  if (const auto& optimum = identification.optimum) {
    json["solver"] = solver_json(optimum->solution);
    json["certificate"] = certificate_json(optimum->certificate);
    if (optimum->second_opinion)
      json["second_opinion"] = second_opinion_json(*optimum->second_opinion);
    if (optimum->price) json["price_of_physics"] = price_json(identification);
    json["uncertainty"] = uncertainty_json(identification);
  }
  json["dropped"] = identification.dropped();
  json["logs"] =
      json_object({{"training", logs_json(identification.data.logs)},
                   {"validation", logs_json(identification.second_pass.validation_logs)}});
  if (const ReadingTimes reading = total_reading(identification.data.logs); reading.total_s > 0)
    json["reading"] = reading_json(reading);
  json["timings"] = Json::object();
  for (const auto& [stage, seconds] : identification.timings_s)
    json["timings"][stage] = json_object({{"value", seconds}, {"unit", "s"}});
  json["provenance"] = provenance_json(identification);
  return json;
}

std::string result_text(const Json& document) {
  return json_text(document, {.indent = 2}) + "\n";
}

std::string result_json(const Identification& identification) {
  return result_text(result_document(identification));
}

}  // namespace heft
