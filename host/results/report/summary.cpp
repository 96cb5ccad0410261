// The terminal summary: the verdict first, then tables for checking it. Every table has units.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "conditioning/reading_times.hpp"
#include "files/json_text.hpp"
#include "heft/report/report.hpp"
#include "identify/gains.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "log_weights.hpp"
#include "option_names.hpp"
#include "report/verdict.hpp"
#include "selection_json.hpp"
#include "summary_sentences.hpp"

namespace heft {

namespace {

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.2f} %", 100 * fraction) : "-";
}

/// A length in meters; "-" where a body without mass has none.
std::string length(double meters) {
  return std::isfinite(meters) ? fmt::format("{:>8.4f}", meters) : fmt::format("{:>8}", "-");
}

/// The locked joints, which may have moved in a log.
std::string locked_line(const Identification& identification) {
  const auto options = parse_json<nlohmann::json>(identification.options);
  const nlohmann::json::json_pointer place("/joints/locked");
  if (!options.is_object() || !options.contains(place) || !options[place].is_object()) return "";
  std::string text;
  int count = 0;
  for (const auto& [joint, position] : options[place].items())
    if (position.is_number())
      text += fmt::format("{}{} at {:g}", count++ == 0 ? "" : ", ", joint, position.get<double>());
  if (count == 0) return "";
  return "  locked    " + text + (count == 1 ? "; its" : "; their") + " columns are not read\n";
}

/// ", from 12 to 30.5 s"; empty of a whole log.
std::string part_words(const LogPart& part) {
  std::string text;
  if (std::isfinite(part.from_s)) text += fmt::format(" from {:.4g}", part.from_s);
  if (std::isfinite(part.to_s)) text += fmt::format(" to {:.4g}", part.to_s);
  return text.empty() ? text : "," + text + " s";
}

/// "b.csv: 3.2 s ahead of the first file, 41 ppm fast; estimated from the motion"
std::string clock_words(const ClockMatch& match) {
  const double offset = match.clock.offset_s, rate = 1e6 * match.clock.rate;
  std::string words = fmt::format("{}: {:.4f} s {} the first file's", file_name(match.file),
                                  std::abs(offset), offset < 0 ? "behind" : "ahead of");
  if (rate != 0)
    words += fmt::format(", {:.1f} ppm {}", std::abs(rate), rate < 0 ? "slow" : "fast");
  return words + "; estimated from motion and torques";
}

std::string logs_section(const Identification& identification) {
  std::string text;
  const auto add = [&](const char* role, const std::vector<LogSummary>& logs) {
    for (const LogSummary& log : logs)
      text += fmt::format("  {:<9} {}{}: {} rows, {:.1f} s at {:.4g} Hz, {} samples kept\n", role,
                          file_name(log.path), part_words(log.part), log.num_rows, log.duration_s,
                          log.rate_hz, log.num_samples);
  };
  add("training", identification.data.logs);
  add("held out", identification.second_pass.validation_logs);
  for (const auto* logs : {&identification.data.logs, &identification.second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      if (log.clock_step_s > 0)
        text += fmt::format(
            "  clock     {}: stamps are multiples of {:.3g} ms; a uniform clock of {:.6g} Hz replaces them\n",
            file_name(log.path), 1e3 * log.clock_step_s, log.rate_hz);
  for (const auto* logs : {&identification.data.logs, &identification.second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      if (log.shift_s > 0)
        text += fmt::format("  retimed   {}: rows were sampled {:.3g} ms (rms) off even times\n",
                            file_name(log.path), 1e3 * log.shift_s);
  for (const auto* logs : {&identification.data.logs, &identification.second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      for (const std::string& loss : log.losses) text += "  lost      " + loss + "\n";
  for (const auto* logs : {&identification.data.logs, &identification.second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      for (const auto& [column, rows] : log.filled)
        text += fmt::format(
            "  filled    {}: {} of {} rows, between values that are logged less "
            "often\n",
            column, rows, log.num_rows);
  for (const auto* logs : {&identification.data.logs, &identification.second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      for (const auto& [column, samples] : log.bridged)
        text += fmt::format("  bridged   {}: {} single sample{} of {}\n", file_name(log.path),
                            samples, samples == 1 ? "" : "s", column);
  for (const LogFindings& log : identification.second_pass.evidence.logs)
    for (const Finding& finding : log.findings)
      if (finding.name == "velocity-not-used")
        text += fmt::format("  not used  {}: its velocity columns; {}: logged uses them\n",
                            file_name(log.log), option_names::kVelocity);
  if (const std::string words = bottleneck_words(total_reading(identification.data.logs));
      !words.empty())
    text += "  reading   " + words + "\n";
  for (const ClockMatch& match : identification.choices.clocks)
    text += "  clock     " + clock_words(match) + "\n";
  text += locked_line(identification);
  for (const auto& [reason, count] : identification.dropped())
    if (count > 0)
      text += fmt::format("  dropped   {} rows over all channels: {}\n", count, reason);
  return text;
}

std::string error_or_dash(const std::optional<double>& error) {
  return error ? percent(*error) : "-";
}

/// The cutoff with its neighbors, which shows whether it matters.
std::string cutoff_section(const Identification& identification) {
  const auto& choice = identification.choices.cutoff;
  if (!choice || (!choice->is_chosen && !choice->error)) return "";
  std::string text = fmt::format("cutoff {:g} Hz{}: cross-validated error {}", choice->cutoff_hz,
                                 choice->is_chosen ? ", chosen on the training logs" : "",
                                 error_or_dash(choice->error));
  if (choice->half_error || choice->twice_error)
    text += fmt::format("; half the cutoff: {}, twice: {}", error_or_dash(choice->half_error),
                        error_or_dash(choice->twice_error));
  text += "\n";
  constexpr double kClearlyLess = 0.8;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double least =
      std::min(choice->half_error.value_or(kNone), choice->twice_error.value_or(kNone));
  if (!choice->is_chosen && choice->error && least < kClearlyLess * *choice->error)
    text += "  conditioning.lowpass_hz: auto chooses a cutoff\n";
  return text;
}

std::string verdict_section(const Identification& identification) {
  const Estimate& answer = identification.answer();
  std::string text;
  if (answer.validation)
    text += fmt::format("Held-out error {} of the torque ({} on the training logs).\n",
                        percent(answer.validation->overall_relative),
                        percent(answer.training.overall_relative));
  else
    text += fmt::format("Error on the training logs {} of the torque; no held-out log was given.\n",
                        percent(answer.training.overall_relative));
  const Verdict judged = verdict(identification);
  if (!judged.reference.empty()) text += judged.reference + "\n";
  if (identification.optimum) text += identification.optimum->certificate.verdict + "\n";
  text += fmt::format("verdict: {}, {}\n", enum_name(judged.level), judged.words);
  const int num_bodies = identification.plan().layout.num_bodies();
  for (const Estimate& estimate : identification.estimates) {
    if (&estimate == &answer && identification.optimum) continue;
    const TorqueErrors& errors = estimate.errors();
    text += fmt::format("{} least squares: error {}, {} of {} bodies physically impossible.\n",
                        estimate.name == "ols" ? "Ordinary" : "Weighted",
                        percent(errors.overall_relative), estimate.impossible_bodies.size(),
                        num_bodies);
  }
  for (const auto& words :
       {weight_words(identification), bounding_words(identification), price_words(identification)})
    for (const std::string& sentence : words) text += sentence + ".\n";
  return text;
}

std::string uncertainty_section(const Identification& identification) {
  std::string text;
  for (const std::string& sentence : uncertainty_words(identification))
    text += "  " + sentence + "\n";
  return text.empty() ? text : "uncertainty\n" + text + "\n";
}

std::string fit_section(const Identification& identification) {
  const Estimate& answer = identification.answer();
  const TorqueErrors& errors = answer.errors();
  std::string text = fmt::format("{:<24} {:>12} {:>12} {:>10} {:>8}  {}\n",
                                 answer.validation ? "joint (held out)" : "joint (training)",
                                 "rms error", "rms torque", "relative", "rows", "unit");
  for (const ChannelErrors& channel : errors.channels)
    text += fmt::format("{:<24} {:>12.4g} {:>12.4g} {:>10} {:>8}  {}\n", channel.channel,
                        channel.rms_error, channel.rms_torque,
                        percent(channel.rms_error / channel.rms_torque), channel.num_rows,
                        channel.unit);
  return text;
}

std::string bodies_section(const Identification& identification) {
  const ParameterLayout& layout = identification.plan().layout;
  std::string text =
      fmt::format("{:<20} {:>10} {:>10}   {:<27} {}\n", "body", "mass [kg]", "prior [kg]",
                  "center of mass [m]", "principal radii of gyration [m]");
  for (int i = 0; i < layout.num_bodies(); ++i) {
    const BodyParameters pi =
        identification.answer().parameters.segment<core::kNumParameters>(core::kNumParameters * i);
    const Body& body = identification.plan().robot.bodies[layout.body_index[i]];
    const double mass = pi[core::kMass];
    const Eigen::Vector3d com = pi.segment<3>(core::kMcx) / mass;
    const Eigen::Matrix4d J = pseudo_inertia(pi);
    const Eigen::Matrix3d covariance = J.topLeftCorner<3, 3>() / mass - com * com.transpose();
    const Eigen::Vector3d spread = SymmetricEigen<3>(covariance).eigenvalues();
    // the moment about a principal axis is the spread along the other two
    const auto gyration = [&](int a, int b) { return std::sqrt(spread[a] + spread[b]); };
    text += fmt::format("{:<20} {:>10.4g} {:>10.4g}   {} {} {}  {} {} {}\n", body.name, mass,
                        body.prior[core::kMass], length(com[0]), length(com[1]), length(com[2]),
                        length(gyration(1, 2)), length(gyration(0, 2)), length(gyration(0, 1)));
  }
  for (const PriorRepair& repair : identification.setup.prior.repairs)
    text += fmt::format("  prior of {}: {}\n", layout.bodies[repair.body], repair.what);
  for (const std::string& sentence : distance_words(identification)) text += sentence + "\n";
  return text;
}

/// The function of the velocity that "coulomb" denotes, for all joints or for each width.
std::string coulomb_form(const ParameterLayout& layout) {
  std::map<std::string, std::string> joints_by_form;
  for (const Column& column : layout.columns) {
    if (column.effect != ColumnEffect::dry_friction || column.terms.size() != 1) continue;
    const ColumnTerm& term = column.terms.front();
    const bool is_smooth = term.feature == core::Feature::tanh_velocity;
    std::string& joints =
        joints_by_form[is_smooth ? fmt::format("tanh(qd / {:g})", term.width) : "sign(qd)"];
    for (const std::string& joint : column.joints) joints += (joints.empty() ? "" : ", ") + joint;
  }
  std::string text;
  for (const auto& [form, joints] : joints_by_form)
    text += joints_by_form.size() == 1 ? fmt::format("coulomb multiplies {}\n", form)
                                       : fmt::format("coulomb multiplies {} at {}\n", form, joints);
  return text;
}

std::string columns_section(const Identification& identification) {
  const ParameterLayout& layout = identification.plan().layout;
  if (layout.num_columns() == 0) return "";
  std::string text = fmt::format("{:<34} {:>12}  {}\n", "column", "value", "unit");
  for (int j = 0; j < layout.num_columns(); ++j)
    text += fmt::format(
        "{:<34} {:>12.5g}  {}\n", layout.columns[j].name,
        shown_value(layout.columns[j], identification.answer().parameters[layout.column_index(j)]),
        layout.columns[j].unit);
  return text + coulomb_form(layout);
}

/// Whether all torques of the model are proportional to its unknowns.
bool knows_no_torque(const Model& model) {
  return model.payloads.empty() && model.derived.known_torque.empty() &&
         std::ranges::none_of(model.derived.functions, &BlockFunction::adds_known_torque);
}

/// Gains, or which of them need a known load.
std::string gains_section(const Identification& identification) {
  const std::vector<DriveGain> gains = drive_gains(identification);
  if (gains.empty()) return "";
  std::string text = fmt::format("{:<24} {:>16} {:>20}  {}\n", "gain", "measured / true",
                                 "interval", "identifiable");
  for (const DriveGain& gain : gains)
    text += fmt::format("{:<24} {:>16.4f} {:>20}  {}\n", gain.joint, 1 + gain.value,
                        gain.interval ? fmt::format("{:.4f} .. {:.4f}", 1 + gain.interval->lower,
                                                    1 + gain.interval->upper)
                                      : "-",
                        gain.is_identifiable ? "yes" : "no");
  if (std::ranges::none_of(gains, &DriveGain::is_identifiable) &&
      knows_no_torque(identification.setup.model))
    text += std::string(kScaleNeedsLoad) + "\n";
  return text + "\n";
}

/// The solvers of batches of problems, if not the CPU alone.
std::string solves_section(const std::vector<SolveCount>& solves) {
  const auto is_cpus = [](const SolveCount& count) { return count.by.starts_with("cpu"); };
  if (std::all_of(solves.begin(), solves.end(), is_cpus)) return "";
  std::string text = "solved:";
  for (const SolveCount& count : solves)
    text += fmt::format(" {} for {} by {};", count.problems, count.purpose, count.by);
  text.back() = '\n';
  return text;
}

}  // namespace

std::string summary_text(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  std::string text = fmt::format(
      "{}: {} joints, {} bodies, {} parameters, {}\n", plan.robot.name,
      plan.robot.num_coordinates(), plan.layout.num_bodies(), plan.layout.num_parameters(),
      identification.second_pass.has_seen_logs() ? identification.second_pass.backend
                                                 : "from moments");
  text += solves_section(identification.solves);
  text += logs_section(identification) + "\n";
  text += verdict_section(identification) + cutoff_section(identification) + "\n";
  if (identification.choices.columns)
    text += selection_text(*identification.choices.columns) + "\n";
  text += fit_section(identification) + "\n";
  if (identification.choices.logs)
    text += log_weights_text(*identification.choices.logs, plan) + "\n";
  text += bodies_section(identification) + "\n";
  text += uncertainty_section(identification);
  text += gains_section(identification);
  text += columns_section(identification);
  constexpr double kShown = 5e-4;  // s
  std::string times;
  for (const auto& [stage, seconds] : identification.timings_s)
    if (seconds >= kShown) times += fmt::format(" {} {:.0f} ms;", stage, 1e3 * seconds);
  if (times.empty()) return text;
  times.back() = '\n';
  return text + "\ntime:" + times;
}

}  // namespace heft
