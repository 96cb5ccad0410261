// design.json, heft-design-1. Numbers that are not finite are null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "heft/version.hpp"
#include "output.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json limits_json(const Design& design) {
  Json limits = Json::array();
  for (const LimitUse& use : design.limits) {
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
  json["d_efficiency_vs_judged"] = nullptr;
  json["limits"] = limits_json(design);
  json["min_clearance"] = clearance_json(design);
  json["parameters"] = Json::array();
  for (const ParameterSpread& parameter : design.parameters)
    json["parameters"].push_back({{"name", parameter.name},
                                  {"unit", parameter.unit},
                                  {"sd_before", number(parameter.before)},
                                  {"sd_after", number(parameter.after)}});
  json["search"] = {{"starts", design.search.starts},
                    {"evaluations", design.search.evaluations},
                    {"cpu_s", number(design.search.cpu_s)},
                    {"seed", design.search.seed}};
  json["motion"] = {{"duration_s", design.is_judged ? number(design.samples.time[design.samples.size() - 1] -
                                                             design.samples.time[0])
                                                    : number(options.shape.duration)},
                    {"samples", design.samples.size()}};
  if (!design.is_judged) {
    json["motion"]["kind"] = enum_name(options.shape.kind);
    json["motion"][options.shape.is_spline() ? "intervals" : "harmonics"] =
        options.shape.is_spline() ? options.shape.intervals : options.shape.harmonics;
    json["motion"]["rate_hz"] = number(options.rate_hz);
    json["objective"] = enum_name(options.objective);
  }
  json["assumed"] = design.notes;
  return json.dump(1) + "\n";
}

}  // namespace heft
