#include "robot_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "files/json_writer.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

// more than any robot has
constexpr std::size_t kMaxColumns = 10000;

constexpr const char* kJointTypes[] = {"rigid", "revolute", "prismatic", "helical"};
constexpr const char* kFeatures[] = {"one",   "q", "qd", "qdd", "sign(qd)", "tanh(qd/width)",
                                     "signal"};

/// The index of a name; the size of the list if it is absent.
template <std::size_t N>
std::size_t index_of(const char* const (&names)[N], const std::string& name) {
  std::size_t i = 0;
  while (i < N && name != names[i]) ++i;
  return i;
}

/// JSON has no infinity: null is a limit that does not exist.
Json limit_json(double limit) {
  return std::isfinite(limit) ? Json(limit) : Json(nullptr);
}
double limit_from(const Json& json, double none) {
  return json.is_null() ? none : json.get<double>();
}

Json body_json(const Body& body) {
  Json json = json_object({{"name", body.name},
                           {"joint", body.joint},
                           {"parent", body.parent},
                           {"type", kJointTypes[static_cast<int>(body.type)]},
                           {"pose", array_json(body.X_parent_body.matrix().topRows<3>())},
                           {"axis", array_json(body.axis)},
                           {"pitch", body.pitch},
                           {"coordinate", body.coordinate},
                           {"ratio", body.ratio},
                           {"offset", body.offset},
                           {"has_parameters", body.has_parameters},
                           {"is_rotor", body.is_rotor},
                           {"symmetric", body.symmetric},
                           {"prior", array_json(body.prior)}});
  json["merged_links"] = body.merged_links;
  return json;
}

Body body_from(const Json& json) {
  Body body{.name = json.at("name"), .joint = json.at("joint"), .parent = json.at("parent")};
  const std::size_t type = index_of(kJointTypes, json.at("type"));
  body.type = static_cast<JointType>(type);
  read_array(json.at("pose"), body.X_parent_body.matrix().topRows<3>());
  read_array(json.at("axis"), body.axis);
  body.pitch = json.at("pitch");
  body.coordinate = json.at("coordinate");
  body.ratio = json.at("ratio");
  body.offset = json.at("offset");
  body.has_parameters = json.at("has_parameters");
  body.is_rotor = json.at("is_rotor");
  body.symmetric = json.at("symmetric");
  read_array(json.at("prior"), body.prior);
  body.merged_links = json.at("merged_links").get<std::vector<std::string>>();
  return body;
}

/// Whether body number `index` is valid, as for every robot from a robot file.
bool is_sound(const Robot& robot, int index) {
  const Body& body = robot.bodies[static_cast<std::size_t>(index)];
  if (static_cast<std::size_t>(body.type) >= std::size(kJointTypes) || body.parent < -1 ||
      body.parent >= index)
    return false;
  const bool moves = body.type != JointType::rigid;
  if (moves && (body.coordinate < 0 || body.coordinate >= robot.num_coordinates())) return false;
  const Eigen::Matrix3d R = body.X_parent_body.linear();
  const bool turns =
      (R.transpose() * R - Eigen::Matrix3d::Identity()).norm() <= 1e-6 && R.determinant() > 0;
  const bool is_unit = std::abs(body.axis.norm() - 1) <= 1e-6;
  const double largest = std::max({body.X_parent_body.translation().norm(), std::abs(body.pitch),
                                   std::abs(body.ratio), std::abs(body.offset), body.prior.norm()});
  return turns && is_unit && largest <= 1e100;
}

Json coordinate_json(const Coordinate& coordinate) {
  return json_object({{"name", coordinate.name},
                      {"is_angle", coordinate.is_angle},
                      {"lower", limit_json(coordinate.lower)},
                      {"upper", limit_json(coordinate.upper)},
                      {"max_velocity", limit_json(coordinate.max_velocity)},
                      {"max_effort", limit_json(coordinate.max_effort)},
                      {"damping", coordinate.damping},
                      {"friction", coordinate.friction}});
}

Coordinate coordinate_from(const Json& json) {
  const double infinity = std::numeric_limits<double>::infinity();
  return {.name = json.at("name"),
          .is_angle = json.at("is_angle"),
          .lower = limit_from(json.at("lower"), -infinity),
          .upper = limit_from(json.at("upper"), infinity),
          .max_velocity = limit_from(json.at("max_velocity"), infinity),
          .max_effort = limit_from(json.at("max_effort"), infinity),
          .damping = json.at("damping"),
          .friction = json.at("friction")};
}

Error crowd(const std::string& path, const char* what) {
  return {path, fmt::format("describes more {} than a robot can have", what),
          "regenerate it from the logs"};
}

}  // namespace

Json robot_json(const Robot& robot) {
  Json json = json_object({{"name", robot.name},
                           {"document", json_object({{"path", robot.source},
                                                     {"text", robot.source_text},
                                                     {"rotors", robot.rotors_text}})},
                           {"floating_base", robot.floating_base},
                           {"gravity", array_json(robot.gravity)}});
  json["bodies"] = Json::array();
  for (const Body& body : robot.bodies) json["bodies"].push_back(body_json(body));
  json["coordinates"] = Json::array();
  for (const Coordinate& coordinate : robot.coordinates)
    json["coordinates"].push_back(coordinate_json(coordinate));
  return json;
}

Result<Robot> robot_from(const Json& json, const std::string& path) {
  const Json& document = json.at("document");
  Robot robot{.name = json.at("name"),
              .source = document.at("path"),
              .source_text = document.at("text"),
              .rotors_text = document.at("rotors"),
              .floating_base = json.at("floating_base")};
  read_array(json.at("gravity"), robot.gravity);
  if (std::max(json.at("bodies").size(), json.at("coordinates").size()) > kMaxBodiesInFile)
    return crowd(path, "bodies");
  for (const Json& coordinate : json.at("coordinates"))
    robot.coordinates.push_back(coordinate_from(coordinate));
  for (const Json& body : json.at("bodies")) robot.bodies.push_back(body_from(body));
  for (int i = 0; i < robot.num_bodies(); ++i)
    if (!is_sound(robot, i))
      return Error{path,
                   fmt::format("has an invalid description of body '{}'", robot.bodies[i].name),
                   "regenerate it from the logs"};
  const bool has_root = !robot.bodies.empty() && robot.bodies[0].type == JointType::rigid &&
                        robot.bodies[0].parent < 0;
  if (robot.bodies.empty() || (robot.floating_base && !has_root))
    return Error{path, "describes a robot without its first body", "regenerate it from the logs"};
  return robot;
}

Json channels_json(const std::vector<Channel>& channels) {
  Json json = Json::array();
  for (const Channel& channel : channels) {
    json.push_back(json_object({{"name", channel.name},
                                {"unit", channel.unit},
                                {"coordinate", channel.coordinate},
                                {"body", channel.body},
                                {"angular", array_json(channel.angular)},
                                {"linear", array_json(channel.linear)}}));
    if (channel.is_sensor)
      json.back()["sensor"] = json_object({{"scale", channel.scale}, {"offset", channel.offset}});
  }
  return json;
}

Result<std::vector<Channel>> channels_from(const Json& json, const Robot& robot,
                                           const std::string& path) {
  if (json.size() > kMaxBodiesInFile) return crowd(path, "channels");
  std::vector<Channel> channels;
  for (const Json& entry : json) {
    Channel channel{.name = entry.at("name"),
                    .unit = entry.at("unit"),
                    .coordinate = entry.at("coordinate"),
                    .body = entry.at("body")};
    read_array(entry.at("angular"), channel.angular);
    read_array(entry.at("linear"), channel.linear);
    if (const auto sensor = entry.find("sensor"); sensor != entry.end()) {
      channel.is_sensor = true;
      channel.scale = sensor->at("scale");
      channel.offset = sensor->at("offset");
    }
    const bool is_joint = channel.coordinate >= 0 && channel.coordinate < robot.num_coordinates();
    const bool is_screw =
        channel.coordinate == -1 && channel.body >= 0 && channel.body < robot.num_bodies();
    if (!is_joint && !is_screw)
      return Error{
          path,
          fmt::format("has a channel '{}' that belongs to no joint and no body", channel.name),
          "regenerate it from the logs"};
    channels.push_back(channel);
  }
  return channels;
}

Json columns_json(const std::vector<Column>& columns) {
  Json json = Json::array();
  for (const Column& column : columns) {
    Json terms = Json::array();
    for (const ColumnTerm& term : column.terms)
      terms.push_back(json_object({{"channel", term.channel},
                                   {"feature", kFeatures[static_cast<int>(term.feature)]},
                                   {"source", term.source},
                                   {"width", term.width}}));
    json.push_back(json_object({{"name", column.name},
                                {"kind", column.kind},
                                {"unit", column.unit},
                                {"joints", column.joints},
                                {"definition", column.definition},
                                {"constants", column.constants},
                                {"terms", std::move(terms)},
                                {"nonnegative", column.nonnegative}}));
    if (column.effect != ColumnEffect::gain) continue;
    json.back()["gain"] = column.gain;
    json.back()["gain_sd"] = column.gain_sd;
  }
  return json;
}

Result<std::vector<Column>> columns_from(const Json& json, const std::string& path) {
  if (json.size() > kMaxColumns) return crowd(path, "columns");
  std::vector<Column> columns;
  for (const Json& entry : json) {
    Column column{.name = entry.at("name"),
                  .kind = entry.at("kind"),
                  .unit = entry.at("unit"),
                  .joints = entry.at("joints").get<std::vector<std::string>>(),
                  .definition = entry.at("definition"),
                  .constants = entry.at("constants").get<std::vector<double>>(),
                  .nonnegative = entry.at("nonnegative"),
                  .gain_sd = entry.value("gain_sd", 0.0),
                  .gain = entry.value("gain", 1.0)};
    for (const Json& term : entry.at("terms")) {
      const std::size_t feature = index_of(kFeatures, term.at("feature"));
      const int source = term.at("source");
      if (feature == std::size(kFeatures) || source < 0 || source >= static_cast<int>(kMaxColumns))
        return Error{path,
                     fmt::format("builds the column '{}' from a feature that this version of heft "
                                 "does not support",
                                 column.name),
                     "use the version of heft that wrote it, or a later one"};
      column.terms.push_back(
          {term.at("channel"), static_cast<core::Feature>(feature), source, term.at("width")});
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

Json ellipsoids_json(const BoundingEllipsoids& ellipsoids) {
  Json bodies = Json::array(), meshes = Json::array();
  for (const std::optional<Ellipsoid>& ellipsoid : ellipsoids.bodies)
    bodies.push_back(!ellipsoid ? Json(nullptr)
                                : Json{{"centre", array_json(ellipsoid->center)},
                                       {"semi_axes", array_json(ellipsoid->semi_axes)},
                                       {"R", array_json(ellipsoid->R)}});
  for (const MeshFile& mesh : ellipsoids.meshes)
    meshes.push_back(json_object({{"path", mesh.path}, {"sha256", mesh.sha256}}));
  return json_object(
      {{"bodies", bodies}, {"without_shapes", ellipsoids.without_shapes}, {"meshes", meshes}});
}

Result<BoundingEllipsoids> ellipsoids_from(const Json& json, const Robot& robot,
                                           const std::string& path) {
  BoundingEllipsoids ellipsoids;
  for (const Json& entry : json.at("bodies")) {
    std::optional<Ellipsoid>& ellipsoid = ellipsoids.bodies.emplace_back();
    if (entry.is_null()) continue;
    ellipsoid.emplace();
    read_array(entry.at("centre"), ellipsoid->center);
    read_array(entry.at("semi_axes"), ellipsoid->semi_axes);
    read_array(entry.at("R"), ellipsoid->R);
    if (!(ellipsoid->semi_axes.minCoeff() > 0) || !ellipsoid->R.isUnitary(1e-6))
      return Error{path, "has bounding ellipsoids with zero extent", "regenerate it from the logs"};
  }
  if (static_cast<int>(ellipsoids.bodies.size()) != robot.num_bodies())
    return Error{path, "does not have a bounding ellipsoid for every body",
                 "regenerate it from the logs"};
  ellipsoids.without_shapes = json.at("without_shapes").get<std::vector<std::string>>();
  for (const Json& mesh : json.at("meshes"))
    ellipsoids.meshes.push_back({mesh.at("path"), mesh.at("sha256")});
  return ellipsoids;
}

}  // namespace heft
