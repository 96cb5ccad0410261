#include "body_priors.hpp"

#include "config/field_reader.hpp"

namespace heft::config {

namespace {

constexpr const char* kPriorForm =
    "write tool: {mass: 0.7, com: [0, 0, 0.05], inertia: [Ixx, Ixy, Iyy, Ixz, Iyz, Izz]}, or "
    "tool: unknown";

/// A check that a list has so many numbers, if it was given.
auto has_numbers(std::size_t count) {
  return [count](const std::vector<double>& numbers) {
    return numbers.size() == count ? std::string()
                                   : "must be " + std::to_string(count) + " numbers";
  };
}

Result<BodyPrior> read_body_prior(const YAML::Node& node, const std::string& file) {
  if (node.IsScalar() && node.Scalar() == "unknown") return BodyPrior{.is_unknown = true};
  if (!node.IsMap())
    return Error{place_of(file, node), "a prior must be a mapping or the word unknown", kPriorForm};
  double mass = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  std::vector<double> inertia, parameters;
  FieldReader reader(node, file);
  reader("mass", mass, "kg", "mass of the body", positive());
  reader("com", com, "m", "center of mass in the body's axes");
  reader("inertia", inertia, "kg m^2", "Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the center of mass",
         has_numbers(6));
  reader("parameters", parameters, "",
         "m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin",
         has_numbers(core::kNumParameters));
  if (const auto error = reader.finish()) return *error;
  if (!parameters.empty()) {
    if (node["mass"] || node["com"] || node["inertia"])
      return Error{place_of(file, node), "has the ten parameters and other keys",
                   "give parameters, or mass, com and inertia"};
    return BodyPrior{.parameters = Eigen::Map<const BodyParameters>(parameters.data())};
  }
  if (!(mass > 0) || inertia.empty())
    return Error{place_of(file, node), "a prior needs mass and inertia, or parameters", kPriorForm};
  Eigen::Matrix3d tensor;
  tensor << inertia[0], inertia[1], inertia[3], inertia[1], inertia[2], inertia[4], inertia[3],
      inertia[4], inertia[5];
  return BodyPrior{.parameters = parameters_about_origin(mass, com, tensor)};
}

}  // namespace

Result<std::map<std::string, BodyPrior>> read_body_priors(const YAML::Node& node,
                                                          const std::string& file) {
  std::map<std::string, BodyPrior> priors;
  if (!node || node.IsNull()) return priors;
  if (!node.IsMap())
    return Error{place_of(file, node), "priors must map bodies to their known parameters",
                 kPriorForm};
  for (const auto& entry : node) {
    HEFT_TRY(prior, read_body_prior(entry.second, file));
    if (!priors.emplace(entry.first.Scalar(), prior).second)
      return Error{place_of(file, entry.first),
                   "the prior of '" + entry.first.Scalar() + "' is given twice",
                   "remove one of them"};
  }
  return priors;
}

nlohmann::ordered_json write_body_priors(const std::map<std::string, BodyPrior>& priors) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [body, prior] : priors)
    if (prior.is_unknown)
      json[body] = "unknown";
    else
      json[body] = {
          {"parameters", std::vector<double>(prior.parameters.begin(), prior.parameters.end())}};
  return json;
}

}  // namespace heft::config
