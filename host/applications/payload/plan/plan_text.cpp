// Formats a plan of poses as text and as JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "files/json_text.hpp"
#include "payload/plan.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

Json knowledge_json(const PoseKnowledge& known) {
  return {{"directions", known.num_directions},
          {"mass_sd", number_or_null(known.mass_sd)},
          {"com_sd",
           {number_or_null(known.com_sd.x()), number_or_null(known.com_sd.y()),
            number_or_null(known.com_sd.z())}},
          {"tells", known.tells}};
}

std::string sd_words(const PoseKnowledge& known) {
  if (!std::isfinite(known.mass_sd)) return "-";
  std::string words = fmt::format("mass {:.2g} kg", known.mass_sd);
  return known.com_sd.allFinite()
             ? words + fmt::format(", center of mass {:.2g} mm", 1e3 * known.com_sd.maxCoeff())
             : words + ", center of mass not determined";
}

}  // namespace

std::string plan_json(const PosePlan& plan) {
  Json json = {{"schema", "heft-payload-plan-1"},
               {"assumed",
                {{"force_noise", plan.options.force_noise},
                 {"torque_noise", plan.options.torque_noise},
                 {"mass", plan.options.mass}}},
               {"taken", plan.num_taken},
               {"now", knowledge_json(plan.now)},
               {"poses", Json::array()}};
  for (const PlannedPose& pose : plan.poses) {
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = pose.R_world_sensor;
    Json one = {{"gravity", {pose.gravity.x(), pose.gravity.y(), pose.gravity.z()}},
                {"rotation", std::vector<double>(R.data(), R.data() + 9)}};
    for (std::size_t k = 0; k < plan.coordinates.size(); ++k)
      one["q"][plan.coordinates[k]] = pose.position[static_cast<Eigen::Index>(k)];
    one["clearance"] = pose.clearance ? number_or_null(*pose.clearance) : Json(nullptr);
    one["after"] = knowledge_json(pose.after);
    json["poses"].push_back(std::move(one));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string plan_summary(const PosePlan& plan) {
  std::string text = fmt::format(
      "poses taken: {}; directions of gravity: {}; they determine "
      "{}\n",
      plan.num_taken, plan.now.num_directions, plan.now.tells);
  text += fmt::format(
      "Poses to take next, in this order (sd of a reading {:g} N, {:g} N m; "
      "mass {:.3g} kg):\n\n",
      plan.options.force_noise, plan.options.torque_noise, plan.options.mass);
  text +=
      fmt::format("{:>3} {:>30}   {}\n", "", "gravity in the sensor's frame", "sd after this pose");
  for (std::size_t k = 0; k < plan.poses.size(); ++k) {
    const PlannedPose& pose = plan.poses[k];
    text += fmt::format("{:>3} {:>9.2f} {:>9.2f} {:>9.2f}    {}\n", k + 1, pose.gravity.x(),
                        pose.gravity.y(), pose.gravity.z(), sd_words(pose.after));
    if (plan.coordinates.empty()) continue;
    text += "    ";
    for (std::size_t c = 0; c < plan.coordinates.size(); ++c)
      text += fmt::format(" {} {:.3f}", plan.coordinates[c],
                          pose.position[static_cast<Eigen::Index>(c)]);
    text += "\n";
  }
  if (!plan.coordinates.empty())
    text += plan.poses.front().clearance
                ? "All postures are within the joint limits and free of collisions "
                  "between links. Obstacles and the paths between postures were not "
                  "checked.\n"
                : "All postures are within the joint limits. Collisions were not checked, "
                  "because the robot file has no collision shapes.\n";
  return text + "The tensor needs motion: poses at rest do not determine it.\n";
}

}  // namespace heft
