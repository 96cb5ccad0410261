#include "population_piece.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Eigen::VectorXd& values) {
  return std::vector<double>(values.begin(), values.end());
}

Eigen::VectorXd vector_of(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

Json to_json(const StoredPopulationPrior& stored) {
  const PopulationPrior& prior = stored.prior;
  Json json = {{"schema", "heft-fleet-prior-2"}, {"rows_worth_one", stored.rows_worth_one},
               {"population", prior.num_robots}, {"bodies", Json::array()},
               {"columns", Json::array()},       {"released", Json::array()}};
  for (const auto& body : prior.bodies)
    json["bodies"].push_back(body ? Json{{"mean", numbers(body->mean)},
                                         {"metric", numbers(body->metric)},
                                         {"deviation", body->deviation}}
                                  : Json());
  for (const auto& column : prior.columns)
    json["columns"].push_back(
        column ? Json{{"value", column->value}, {"deviation", column->deviation}} : Json());
  for (const auto& release : prior.released)
    json["released"].push_back(
        {{"group", release.group}, {"improbability", release.improbability}});
  json["most_weights"] = numbers(stored.most_weights);
  json["standard_error"] = numbers(prior.standard_error);
  json["file_share"] = numbers(prior.file_share);
  return json;
}

std::optional<StoredPopulationPrior> population_prior_from_json(const Json& json,
                                                                const ParameterLayout& layout) {
  const auto num_parameters = static_cast<std::size_t>(layout.num_parameters());
  if (!json.is_object() || json.value("schema", "") != "heft-fleet-prior-2" ||
      json["bodies"].size() != layout.bodies.size() ||
      json["columns"].size() != layout.columns.size() ||
      json["standard_error"].size() != num_parameters ||
      json["file_share"].size() != num_parameters)
    return {};
  StoredPopulationPrior stored{.rows_worth_one = json["rows_worth_one"],
                               .most_weights = vector_of(json["most_weights"])};
  PopulationPrior& prior = stored.prior;
  prior.num_robots = json["population"];
  for (const Json& body : json["bodies"]) {
    prior.bodies.emplace_back();
    if (body.is_object())
      prior.bodies.back() = {vector_of(body["mean"]), vector_of(body["metric"]), body["deviation"]};
  }
  for (const Json& column : json["columns"]) {
    prior.columns.emplace_back();
    if (column.is_object()) prior.columns.back() = {column["value"], column["deviation"]};
  }
  for (const Json& release : json["released"])
    prior.released.push_back({release["group"], release["improbability"]});
  prior.standard_error = vector_of(json["standard_error"]);
  prior.file_share = vector_of(json["file_share"]);
  return stored;
}

}  // namespace heft
