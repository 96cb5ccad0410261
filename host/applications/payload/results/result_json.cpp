// Writes result.json of a payload. Numbers that are not finite become null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "controller_files.hpp"
#include "files/json_text.hpp"
#include "heft/version.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

template <class Values>
Json numbers(const Values& values) {
  Json json = Json::array();
  for (Eigen::Index k = 0; k < values.size(); ++k) json.push_back(number_or_null(values[k]));
  return json;
}

Json interval_json(const PayloadInterval& interval) {
  return {number_or_null(interval.low), number_or_null(interval.high)};
}

Json answer_json(const PayloadAnswer& answer) {
  const bool is_there = answer.failure.empty();
  Json json = {{"name", enum_name(answer.method)},
               {"failure", is_there ? Json(nullptr) : Json(answer.failure)}};
  if (!is_there) {
    for (const char* key : {"parameters", "objective", "certified", "gap", "possible",
                            "held_out_force", "held_out_torque"})
      json[key] = nullptr;
    return json;
  }
  json["parameters"] = numbers(answer.parameters);
  json["objective"] = answer.objective ? number_or_null(*answer.objective) : Json(nullptr);
  json["certified"] = answer.certificate ? Json(answer.certificate->certified) : Json(nullptr);
  json["gap"] = answer.certificate ? number_or_null(answer.certificate->gap) : Json(nullptr);
  json["possible"] = answer.is_possible;
  json["held_out_force"] = number_or_null(answer.held_out_force);
  json["held_out_torque"] = number_or_null(answer.held_out_torque);
  return json;
}

Json doubt_json(const PayloadDoubt& doubt) {
  return {{"id", doubt.id},
          {"severity", doubt.serious ? "serious" : "minor"},
          {"joint", nullptr},
          {"log", doubt.log.empty() ? Json(nullptr) : Json(doubt.log)},
          {"from_s", doubt.from_s ? number_or_null(*doubt.from_s) : Json(nullptr)},
          {"to_s", nullptr},
          {"words", doubt.what},
          {"remedy", doubt.remedy},
          {"accepted", doubt.accepted}};
}

Json verdict_json(const PayloadResult& result) {
  const PayloadVerdict verdict = payload_verdict(result);
  return {{"level", verdict.level}, {"words", verdict.words}};
}

Json body_json(const PayloadResult& result) {
  const auto [mass, com, I] = payload::about_com(result.answer().parameters);
  Json com_intervals = Json::array(), biases = Json::array();
  for (const PayloadInterval& axis : result.com) com_intervals.push_back(interval_json(axis));
  for (Eigen::Index group = 0; group < result.biases.rows(); ++group)
    biases.push_back(numbers(Eigen::ArrayXd(result.biases.row(group).transpose())));
  Json json;
  json["frame"] = result.frame;
  json["method"] = enum_name(result.answer().method);
  json["mass"] = number_or_null(mass);
  json["com"] = numbers(com);
  json["inertia_com"] = {number_or_null(I(0, 0)), number_or_null(I(0, 1)), number_or_null(I(1, 1)),
                         number_or_null(I(0, 2)), number_or_null(I(1, 2)), number_or_null(I(2, 2))};
  json["parameters"] = numbers(result.answer().parameters);
  json["bias"] = biases.empty() ? Json(nullptr) : biases.front();
  json["biases"] = biases;
  for (Eigen::Index group = 0; group < result.drifts.rows(); ++group)
    json["bias_drifts"].push_back(numbers(Eigen::ArrayXd(result.drifts.row(group).transpose())));
  json["intervals"] = {
      {"level", 0.95}, {"mass", interval_json(result.mass)}, {"com", com_intervals}};
  json["set_by_prior"] = result.set_by_prior;
  json["prior"] = result.shape.words;
  json["residual_rms"] = result.is_by_torques() ? Json(nullptr) : numbers(result.residual_rms);
  return json;
}

Json body_json(const PayloadAnswer& answer, const PayloadInterval& mass,
               const std::array<PayloadInterval, 3>& com) {
  const auto [m, c, I] = payload::about_com(answer.parameters);
  Json com_intervals = Json::array();
  for (const PayloadInterval& axis : com) com_intervals.push_back(interval_json(axis));
  return {{"mass", number_or_null(m)},
          {"com", numbers(c)},
          {"inertia_com",
           {number_or_null(I(0, 0)), number_or_null(I(0, 1)), number_or_null(I(1, 1)),
            number_or_null(I(0, 2)), number_or_null(I(1, 2)), number_or_null(I(2, 2))}},
          {"parameters", numbers(answer.parameters)},
          {"intervals", {{"level", 0.95}, {"mass", interval_json(mass)}, {"com", com_intervals}}},
          {"certified", answer.certificate ? Json(answer.certificate->certified) : Json(nullptr)}};
}

Json stretch_json(const PayloadStretch& stretch) {
  Json json = {{"from_s", number_or_null(stretch.from_s)}, {"to_s", number_or_null(stretch.to_s)}};
  json.update(body_json(stretch.answer, stretch.mass, stretch.com));
  json["added"] = stretch.added
                      ? body_json(stretch.added->answer, stretch.added->mass, stretch.added->com)
                      : Json(nullptr);
  return json;
}

Json channel_json(const PayloadChannel& channel) {
  return {{"channel", channel.name},
          {"unit", channel.unit},
          {"rows", channel.num_rows},
          {"rms_torque", number_or_null(channel.rms_torque)},
          {"rms_without_payload", number_or_null(channel.rms_without)},
          {"rms_with_payload", number_or_null(channel.rms_with)},
          {"rms_identified",
           channel.rms_identified > 0 ? number_or_null(channel.rms_identified) : Json(nullptr)},
          {"mass", number_or_null(channel.mass)},
          {"mass_interval", interval_json(channel.mass_interval)}};
}

Json gain_json(const TorqueGain& gain) {
  return {{"joint", gain.joint},
          {"value", number_or_null(gain.value)},
          {"interval", interval_json(gain.interval)},
          {"identifiable", gain.is_identifiable}};
}

}  // namespace

std::string payload_json(const PayloadResult& result) {
  Json json;
  json["schema"] = "heft-payload-1";
  json["heft"] = kVersion;
  json["payload"] = body_json(result);
  json["methods"] = Json::array();
  for (const PayloadAnswer& answer : result.answers) json["methods"].push_back(answer_json(answer));
  for (const PayloadChannel& channel : result.channels)
    json["channels"].push_back(channel_json(channel));
  if (result.is_by_torques())
    json["torque_scales"] = {{"sd", number_or_null(result.torque_scales.sd)},
                             {"source", enum_name(result.torque_scales.source)}};
  if (result.calibration) {
    json["gains"] = Json::array();
    for (const TorqueGain& gain : result.calibration->gains)
      json["gains"].push_back(gain_json(gain));
    json["calibration"] = {{"torque_scale_sd", number_or_null(result.calibration->sd)},
                           {"yaml", result.calibration->yaml}};
  }
  for (const PayloadStretch& stretch : result.stretches)
    json["stretches"].push_back(stretch_json(stretch));
  json["verdict"] = verdict_json(result);
  if (const std::string because = payload::why_no_body_files(result); !because.empty())
    json["not_written"] = {{"files", payload::kBodyFiles}, {"because", because}};
  json["doubts"] = Json::array();
  for (const PayloadDoubt& doubt : result.doubts) json["doubts"].push_back(doubt_json(doubt));
  json["logs"] = Json::array();
  for (const PayloadLog& log : result.logs)
    json["logs"].push_back({{"path", log.path},
                            {"sha256", log.sha256},
                            {"rows", log.num_rows},
                            {"dropped", log.num_dropped},
                            {"duration_s", log.duration_s},
                            {"rate_hz", log.rate_hz},
                            {"wrench_delay_s", log.wrench_delay_s}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heft
