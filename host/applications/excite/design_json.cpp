// Writes design.json, heft-design-1. Numbers that are not finite become null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "design_texts.hpp"
#include "heft/version.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json limits_json(const Design& design, const std::vector<LimitUse>& uses) {
  Json limits = Json::array();
  for (const LimitUse& use : uses) {
    Json json = {{"name", use.name},           {"joint", use.joint},
                 {"limit", number(use.limit)}, {"worst_ratio", number(use.worst_ratio)},
                 {"at_s", number(use.at_s)},   {"proved", use.proved}};
    if (use.name == "position") json["middle"] = number(use.middle);
    if (!use.proved) json["step_s"] = number(design.torque_step_s);
    if (use.name == "torque") json["deviations"] = design.torque_deviations;
    limits.push_back(json);
  }
  return limits;
}

Json slow_json(const Design& design) {
  if (!design.slow) return nullptr;
  const SlowRun& slow = *design.slow;
  return {{"speed", slow.speed},
          {"status", slow.infeasible_because.empty() ? "feasible" : "infeasible"},
          {"infeasible_because",
           slow.infeasible_because.empty() ? Json(nullptr) : Json(slow.infeasible_because)},
          {"log_det", number(slow.log_det)},
          {"limits", limits_json(design, slow.limits)}};
}

Json clearance_json(const Design& design) {
  if (!design.clearance) return nullptr;
  const MinClearance& least = *design.clearance;
  Json json = {{"value", number(least.value)},
               {"pair", {least.first, least.second}},
               {"at_s", number(least.at_s)},
               {"proved", least.proved},
               {"wanted", number(least.wanted)}};
  if (!least.proved) json["step_s"] = number(least.step_s);
  return json;
}

Json obstacles_json(const Design& design) {
  Json list = Json::array();
  for (const NearestLink& nearest : design.nearest) {
    Json link = nullptr;
    if (!nearest.link.empty())
      link = {{"link", nearest.link},
              {"distance", number(nearest.distance)},
              {"at_s", number(nearest.at_s)}};
    list.push_back({{"name", nearest.obstacle}, {"nearest", link}});
  }
  return list;
}

}  // namespace

std::string design_json(const Design& design) {
  const ExciteOptions& options = design.options;
  Json json;
  json["schema"] = "heft-design-1";
  json["heft"] = kVersion;
  json["robot"] = design.robot.name;
  json["status"] = enum_name(design.status);
  json["judged"] = design.is_judged;
  json["infeasible_because"] =
      design.infeasible_because.empty() ? Json(nullptr) : Json(design.infeasible_because);
  json["log_det"] = number(design.log_det);
  json["log_det_prior"] = number(design.log_det_prior);
  json["base_parameters"] = design.num_base_parameters;
  json["d_efficiency_vs_judged"] = design.efficiency ? number(*design.efficiency) : Json(nullptr);
  json["limits"] = limits_json(design, design.limits);
  json["min_clearance"] = clearance_json(design);
  json["obstacles"] = obstacles_json(design);
  json["parameters"] = Json::array();
  for (const ParameterSpread& parameter : design.parameters)
    json["parameters"].push_back({{"name", parameter.name},
                                  {"unit", parameter.unit},
                                  {"believed", number(parameter.believed)},
                                  {"sd_before", number(parameter.before)},
                                  {"sd_after", number(parameter.after)},
                                  {"sd_at_best", number(parameter.at_best)}});
  json["torque_errors"] = Json::array();
  for (const TorqueError& error : design.torque_errors)
    json["torque_errors"].push_back({{"joint", error.joint},
                                     {"sd_before", number(error.before)},
                                     {"sd_after", number(error.after)}});
  json["times_longer_for_half_the_error"] = number(design.longer_for_half_the_error);
  json["slow"] = slow_json(design);
  json["search"] = {{"starts", design.search.starts},
                    {"evaluations", design.search.evaluations},
                    {"cpu_s", number(design.search.cpu_s)},
                    {"seed", design.search.seed}};
  if (design.waves)
    json["provenance"]["wave"] = {{"robots", 1},
                                  {"logs", 0},
                                  {"bytes_up", design.waves->bytes_up},
                                  {"bytes_down", design.waves->bytes_down},
                                  {"launches", design.waves->launches},
                                  {"host_cpu_s", number(design.search.cpu_s)},
                                  {"device_s", number(design.waves->device_s)},
                                  {"chosen_because", design.waves->chosen_because}};
  json["motion"] = {
      {"duration_s", design.is_judged ? number(design.samples.time[design.samples.size() - 1] -
                                               design.samples.time[0])
                                      : number(options.shape.duration)},
      {"samples", design.samples.size()}};
  if (design.motion) {
    const MotionShape& shape = design.motion->shape;
    json["motion"]["kind"] = enum_name(shape.kind);
    json["motion"][shape.is_spline() ? "intervals" : "harmonics"] =
        shape.is_spline() ? shape.intervals : shape.harmonics;
    json["motion"]["rate_hz"] = number(options.rate_hz);
  }
  if (!design.is_judged) json["objective"] = enum_name(options.objective);
  json["task"] = {{"states", options.task.size() > 0 ? Json(options.task.size()) : Json(nullptr)}};
  json["assumed"] = design.notes;
  return json.dump(1) + "\n";
}

}  // namespace heft
