#include "result_json_parts.hpp"

#include <cmath>
#include <optional>

#include "excluded_joints.hpp"
#include "files/json_text.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

/// Returns why Heft excluded a channel; empty if it did not.
std::string why_not_torque(const Identification& identification, const std::string& joint) {
  for (const LogFindings& log : identification.second_pass.evidence.logs)
    for (const Finding& finding : log.findings)
      if (finding.name == "not-torque" && finding.joint == joint)
        return "not-torque: " + finding.what.substr(0, finding.what.find(": "));
  return {};
}

double number_at(const std::vector<double>& values, std::size_t index) {
  return index < values.size() ? values[index] : std::nan("");
}

}  // namespace

Json doubts_json(const std::vector<Doubt>& doubts) {
  Json list = Json::array();
  for (const Doubt& doubt : doubts)
    list.push_back({{"id", doubt.id},
                    {"severity", doubt.serious ? "serious" : "minor"},
                    {"joint", text_or_null(doubt.joint)},
                    {"log", text_or_null(doubt.log)},
                    {"from_s", number_or_null(doubt.from_s)},
                    {"to_s", number_or_null(doubt.to_s)},
                    {"words", doubt.words},
                    {"remedy", doubt.remedy},
                    {"accepted", doubt.accepted}});
  return list;
}

Json hypotheses_json(const std::vector<Hypothesis>& hypotheses) {
  Json list = Json::array();
  for (const Hypothesis& h : hypotheses)
    list.push_back({{"id", h.id},
                    {"joint", text_or_null(h.joint)},
                    {"value", number_or_null(h.value)},
                    {"unit", h.unit},
                    {"interval", {number_or_null(h.lower), number_or_null(h.upper)}},
                    {"gain_training", number_or_null(h.gain_training)},
                    {"cross_validated_gain", number_or_null(h.gain_held_out)},
                    {"gain_over_freer_bodies", number_or_null(h.gain_over_freer_bodies)},
                    {"torque_change", number_or_null(h.torque_change)},
                    {"held_out_before", number_or_null(h.held_out_before)},
                    {"held_out_after", number_or_null(h.held_out_after)},
                    {"yaml", h.yaml}});
  return list;
}

Json reference_json(const Identification& identification) {
  const Reference& reference = *identification.second_pass.evidence.reference;
  Json per_joint = Json::array();
  const auto& channels = identification.plan().channels;
  for (std::size_t c = 0; c < channels.size(); ++c)
    per_joint.push_back({{"joint", channels[c].name},
                         {"unit", channels[c].unit},
                         {"urdf_rms_error", number_or_null(number_at(reference.urdf_rms_error, c))},
                         {"floor_rms_error",
                          {number_or_null(number_at(reference.floor_lower_rms, c)),
                           number_or_null(number_at(reference.floor_upper_rms, c))}}});
  return {{"urdf_overall_relative", number_or_null(reference.urdf_relative)},
          {"floor_overall_relative",
           {number_or_null(reference.floor_lower), number_or_null(reference.floor_upper)}},
          {"per_joint", per_joint}};
}

Json channels_json(const Identification& identification) {
  Json list = Json::array();
  const Estimate& answer = identification.answer();
  const TorqueErrors& errors = answer.errors();
  const std::vector<std::string> chosen = excluded_joints(identification);
  const std::vector<double> loads = load_rms(identification);
  for (std::size_t c = 0; c < errors.channels.size(); ++c) {
    const bool is_chosen = is_excluded(chosen, errors.channels[c].channel);
    const std::string not_torque = why_not_torque(identification, errors.channels[c].channel);
    const std::string why = !not_torque.empty() ? not_torque
                            : is_chosen         ? "joints.exclude"
                                                : "no usable torque";
    const bool excluded = is_chosen || answer.training.channels[c].num_rows == 0;
    list.push_back(
        {{"name", errors.channels[c].channel},
         {"unit", errors.channels[c].unit},
         {"residual_rms", excluded ? Json() : number_or_null(errors.channels[c].rms_error)},
         {"load_rms", number_or_null(loads[c])},
         {"excluded", excluded},
         {"why", excluded ? Json(why) : Json()}});
  }
  return list;
}

}  // namespace heft
