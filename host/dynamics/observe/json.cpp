#include "observe/json.hpp"

#include "files/whole_file.hpp"

namespace heft {

namespace {

nlohmann::ordered_json combinations_json(const Observability& observability,
                                         const std::vector<Combination>& combinations) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Combination& combination : combinations) {
    nlohmann::ordered_json terms = nlohmann::ordered_json::object();
    for (const Term& term : combination)
      terms[observability.parameters[term.parameter].label] = term.coefficient;
    list.push_back(std::move(terms));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json observability_json(const Observability& observability) {
  nlohmann::ordered_json json;
  json["schema"] = "heft-observe-1";
  json["robot"] = observability.robot;
  json["num_parameters"] = observability.num_parameters();
  json["num_base"] = observability.num_base;
  json["num_base_without_rotors"] = observability.num_base_without_rotors;
  json["num_base_exact"] = observability.num_base_exact;
  json["nearly_parallel"] = nlohmann::ordered_json::array();
  for (const NearlyParallel& axes : observability.nearly_parallel)
    json["nearly_parallel"].push_back(
        {{"joint", axes.joint},
         {"other", axes.other},
         {"angle_rad", axes.angle},
         {"num_base_if_parallel", axes.num_base_if_parallel},
         {"num_base_if_not_parallel", axes.num_base_if_not_parallel}});

  json["joints"] = nlohmann::ordered_json::array();
  for (const JointDimensions& joint : observability.joints) {
    nlohmann::ordered_json bodies = nlohmann::ordered_json::array();
    for (int body : joint.bodies) bodies.push_back(observability.bodies[body]);
    json["joints"].push_back({{"joint", joint.joint},
                              {"bodies", bodies},
                              {"dim_V", joint.dim_V},
                              {"dim_K", joint.dim_K},
                              {"dim_T", joint.dim_T},
                              {"num_base", joint.num_base}});
  }

  std::vector<bool> is_base(observability.parameters.size(), false);
  for (int parameter : observability.base_parameters()) is_base[parameter] = true;
  json["parameters"] = nlohmann::ordered_json::array();
  for (std::size_t j = 0; j < observability.parameters.size(); ++j) {
    const ObservedParameter& parameter = observability.parameters[j];
    json["parameters"].push_back({{"body", observability.bodies[parameter.body]},
                                  {"name", parameter.name},
                                  {"label", parameter.label},
                                  {"unit", parameter.unit},
                                  {"visibility", enum_name(parameter.visibility)},
                                  {"is_base", static_cast<bool>(is_base[j])}});
  }
  json["identifiable"] = combinations_json(observability, observability.identifiable);
  json["null_basis"] = combinations_json(observability, observability.null_basis);

  json["channels"] = nlohmann::ordered_json::array();
  for (const ChannelObservability& channel : observability.channels) {
    nlohmann::ordered_json alone = nlohmann::ordered_json::array();
    for (std::size_t j = 0; j < channel.visibility.size(); ++j)
      if (channel.visibility[j] == Visibility::alone)
        alone.push_back(observability.parameters[j].label);
    json["channels"].push_back(
        {{"channel", channel.channel},
         {"num_identifiable", channel.identifiable.size()},
         {"identifiable", combinations_json(observability, channel.identifiable)},
         {"alone", alone}});
  }
  return json;
}

Result<Done> write_observability(const Observability& observability, const std::string& path) {
  return write_file_whole(path, observability_json(observability).dump(2) + "\n");
}

}  // namespace heft
