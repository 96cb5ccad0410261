#include "predict/identified_model.hpp"

#include <filesystem>

#include "files/json_text.hpp"
#include "heft/config/module_options.hpp"
#include "heft/robot/robot_document.hpp"
#include "report/result_document.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

/// Reads parameters by name, regardless of order and additional entries.
Result<Eigen::VectorXd> parameters_of(const Json& json, const ParameterLayout& layout,
                                      const std::string& where) {
  Eigen::VectorXd parameters(layout.num_parameters());
  for (int i = 0; i < layout.num_bodies(); ++i) {
    const auto body =
        std::find_if(json.at("bodies").begin(), json.at("bodies").end(),
                     [&](const Json& entry) { return entry.at("name") == layout.bodies[i]; });
    if (body == json.at("bodies").end())
      return Error{where, "has no body '" + layout.bodies[i] + "' of the URDF next to it",
                   "keep result.json and identified.urdf together"};
    for (int k = 0; k < core::kNumParameters; ++k)
      parameters[layout.index(i, static_cast<core::Parameter>(k))] =
          body->at("parameters").at(core::kParameterNames[k]);
  }
  for (int j = 0; j < layout.num_columns(); ++j) {
    const auto column =
        std::find_if(json.at("columns").begin(), json.at("columns").end(),
                     [&](const Json& entry) { return entry.at("name") == layout.columns[j].name; });
    if (column == json.at("columns").end())
      return Error{where, "has no column '" + layout.columns[j].name + "'",
                   "the file was edited: identify again"};
    parameters[layout.column_index(j)] = unknown_of(layout.columns[j], column->at("value"));
  }
  return parameters;
}

/// Rms residuals by channel; zero where the result has none.
Eigen::VectorXd residuals_of(const Json& json, const RegressorPlan& plan) {
  Eigen::VectorXd rms = Eigen::VectorXd::Zero(plan.num_channels());
  const Json& fit = json.at(json.contains("validation") ? "validation" : "training");
  for (const Json& entry : fit.at("per_channel"))
    for (int c = 0; c < plan.num_channels(); ++c)
      if (entry.at("channel") == plan.channels[c].name) rms[c] = entry.at("rms_error");
  return rms;
}

/// Empty unless every channel of the plan is present.
ChannelParts channel_parts_of(const Json& uncertainty, const RegressorPlan& plan,
                              Eigen::Index size) {
  const int num_channels = plan.num_channels();
  if (!uncertainty.contains("channels")) return {};
  ChannelParts parts{.times_estimate = Eigen::MatrixXd(size, num_channels),
                     .score = Eigen::VectorXd(num_channels)};
  for (int c = 0; c < num_channels; ++c) {
    const Json& list = uncertainty.at("channels");
    const auto entry = std::find_if(list.begin(), list.end(), [&](const Json& one) {
      return one.at("channel") == plan.channels[c].name;
    });
    if (entry == list.end() || std::ssize(entry->at("times_estimate")) != size) return {};
    for (Eigen::Index k = 0; k < size; ++k)
      parts.times_estimate(k, c) = entry->at("times_estimate").at(static_cast<std::size_t>(k));
    parts.score[c] = entry->at("score");
  }
  return parts;
}

/// The result's own errors, if recorded.
void read_information(const Json& json, IdentifiedModel& model) {
  if (!json.contains("uncertainty")) return;
  model.no_intervals = json["uncertainty"].value("no_intervals", "");
  if (!json["uncertainty"].contains("information")) return;
  const Json &known = json["uncertainty"], &rows = known.at("information"),
             &times_estimate = known.at("information_times_estimate"),
             &base = known.at("base_parameters");
  const auto size = static_cast<Eigen::Index>(rows.size());
  model.information.setZero(size, size);
  model.information_times_estimate.setZero(size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const auto at = static_cast<std::size_t>(k);
    model.quantities.push_back(base.at(at).at("name"));
    model.information_times_estimate[k] = times_estimate.at(at);
    for (std::size_t j = 0; j <= at; ++j)
      model.information(k, static_cast<Eigen::Index>(j)) =
          model.information(static_cast<Eigen::Index>(j), k) = rows.at(at).at(j);
  }
  model.channel_parts = channel_parts_of(known, *model.model.plan, size);
}

}  // namespace

Result<IdentifiedModel> read_identified_model(const std::string& given) {
  namespace fs = std::filesystem;
  const std::string result_path = result_path_of(given);
  HEFT_TRY(json, read_result_document(result_path));
  try {
    HEFT_TRY(configuration,
             configuration_from_json(json.at("provenance").at("options").dump(), result_path));
    const fs::path directory = fs::path(result_path).parent_path();
    if (!configuration.robot.rotors_path.empty())
      configuration.robot.rotors_path = (directory / "rotors.yaml").string();
    const std::string robot_file = identified_file_in(directory.string());
    if (std::error_code ignored; !fs::exists(robot_file, ignored))
      return Error{result_path,
                   "has no identified.urdf next to it; results with impossible bodies are "
                   "written without one",
                   "identify with the default solver, or restore the file"};
    HEFT_TRY(robot, read_robot(robot_file, robot_options(configuration)));
    HEFT_TRY(model, make_model(std::move(robot), model_options(configuration)));
    HEFT_TRY(parameters, parameters_of(json, model.plan->layout, result_path));
    Eigen::VectorXd residual_rms = residuals_of(json, *model.plan);
    IdentifiedModel identified{.model = std::move(model),
                               .configuration = configuration,
                               .parameters = parameters,
                               .residual_rms = std::move(residual_rms),
                               .doubts = open_doubts(json)};
    read_information(json, identified);
    return identified;
  } catch (const Json::exception& e) {
    return Error{result_path, "is not a valid result:" + complaint_of(e), "identify again"};
  }
}

}  // namespace heft
