#include "page.hpp"

#include <nlohmann/json.hpp>

#include "geometry/outlines_json.hpp"
#include "heft/observe/observe.hpp"
#include "heft/report/report.hpp"
#include "html/page.hpp"
#include "identified_bodies.hpp"
#include "observe/json.hpp"
#include "report/verdict.hpp"
#include "report_page.hpp"
#include "skeleton.hpp"
#include "traces_json.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

/// Names and paths may hold any bytes.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json verdict_json(const Verdict& verdict) {
  Json doubts = Json::array();
  for (const Doubt& doubt : verdict.doubts)
    doubts.push_back({{"id", doubt.id},
                      {"words", doubt.words},
                      {"remedy", doubt.remedy},
                      {"serious", doubt.serious},
                      {"accepted", doubt.accepted}});
  return {{"level", enum_name(verdict.level)},
          {"words", verdict.words},
          {"reference", verdict.reference},
          {"identified", verdict.identified},
          {"accuracy", verdict.accuracy},
          {"physics", verdict.physics},
          {"doubts", doubts}};
}

/// Identifiability before any data, or the reason why it is unknown.
Json observability_of(const RegressorPlan& plan) {
  const ObserveOptions options{.gravity = plan.robot.gravity.norm() > 0,
                               .channels = false,
                               .sensors = sensors_among(plan.channels)};
  const auto observability = observe(plan.robot, options);
  if (!observability) return {{"error", observability.error().what}};
  Json json = observability_json(*observability);
  json.erase("null_basis");
  json.erase("channels");
  return json;
}

std::vector<BodyParameters> priors_of(const Identification& identification) {
  std::vector<BodyParameters> priors;
  const RegressorPlan& plan = identification.plan();
  for (const Body& body : plan.robot.bodies) priors.push_back(body.prior);
  for (std::size_t i = 0; i < identification.setup.prior.references.size(); ++i)
    priors[plan.layout.body_index[i]] = identification.setup.prior.references[i];
  return priors;
}

}  // namespace

std::string page_html(const Identification& identification, const Outlines& outlines) {
  const Robot& robot = identification.plan().robot;
  std::string data = "{\"verdict\":" + text_of(verdict_json(verdict(identification)));
  data += ",\n\"results\":[" + result_json(identification) + "]";
  const Traces traces = identification.second_pass.traces.value_or(Traces{});
  data += ",\n\"skeleton\":" +
          text_of(skeleton_json(robot, identified_bodies(identification), priors_of(identification),
                                traces.postures, traces.feet));
  data += ",\n\"outlines\":" + outlines_json(outlines);
  data += ",\n\"observability\":" + text_of(observability_of(identification.plan()));
  if (identification.second_pass.traces) data += ",\n\"traces\":" + traces_json(traces);
  return filled_page(kReportPage, data + "}");
}

std::string comparison_html(const Json& comparison) {
  return filled_page(kReportPage, text_of(comparison));
}

}  // namespace heft
