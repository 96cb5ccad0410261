#include "excite_config/obstacles.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <set>

#include "config/field_reader.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

constexpr std::size_t kMaxObstacles = 1000;

class ObstacleReader {
 public:
  explicit ObstacleReader(const std::string& path) : path_(path) {}

  Result<std::vector<Obstacle>> read(const YAML::Node& root) {
    HEFT_CHECK(check_names(root, {"obstacles"}));
    const YAML::Node list = root["obstacles"];
    if (!list || !list.IsSequence() || list.size() > kMaxObstacles)
      return wrong(root, "has no list 'obstacles'",
                   "write 'obstacles:' and below it one line '- {..}' for each, at most 1000");
    std::vector<Obstacle> obstacles;
    for (const YAML::Node& node : list) {
      HEFT_TRY(obstacle, one(node));
      if (!names_.insert(obstacle.name).second)
        return wrong(node, "is another obstacle named '" + obstacle.name + "'",
                     "give each a unique name");
      obstacles.push_back(obstacle);
    }
    return obstacles;
  }

 private:
  Error wrong(const YAML::Node& node, const std::string& what, const std::string& remedy) const {
    return {config::place_of(path_, node), what, remedy};
  }

  Result<Done> check_names(const YAML::Node& node, const std::vector<std::string>& known) const {
    if (!node.IsMap()) return wrong(node, "must be a mapping", "write {name: value, ..}");
    if (const auto error = config::wrong_name(node, known, "option", path_)) return *error;
    return Done{};
  }

  Result<Eigen::Vector3d> vector(const YAML::Node& node, const std::string& name) const {
    Eigen::Vector3d values;
    bool good = node.IsSequence() && node.size() == 3;
    for (int i = 0; good && i < 3; ++i)
      good = node[i].IsScalar() && YAML::convert<double>::decode(node[i], values[i]) &&
             std::isfinite(values[i]);
    if (!good)
      return wrong(node, name + " is not a list of three numbers",
                   "write three numbers, [x, y, z]");
    return values;
  }

  Result<double> size(const YAML::Node& node, const char* name) const {
    double value = 0;
    const YAML::Node at = node[name];
    if (!at || !at.IsScalar() || !YAML::convert<double>::decode(at, value) || !(value > 0) ||
        !std::isfinite(value))
      return wrong(at ? at : node, std::string(name) + " is not a positive number",
                   "write it in meters");
    return value;
  }

  Result<Obstacle> one(const YAML::Node& node) const {
    HEFT_CHECK(check_names(node, {"name", "box", "cylinder", "sphere", "position", "rpy"}));
    Obstacle obstacle;
    if (!node["name"] || !node["name"].IsScalar() || node["name"].Scalar().empty())
      return wrong(node, "has no name", "write a name, such as name: table");
    obstacle.name = node["name"].Scalar();
    if ((node["box"] ? 1 : 0) + (node["cylinder"] ? 1 : 0) + (node["sphere"] ? 1 : 0) != 1)
      return wrong(node, "must have exactly one of box, cylinder and sphere",
                   "write one of box: [x, y, z], cylinder: {radius, length}, sphere: {radius}");
    Shape& shape = obstacle.shape;
    if (const YAML::Node box = node["box"]) {
      HEFT_TRY(sides, vector(box, "box"));
      if (!(sides.minCoeff() > 0))
        return wrong(box, "box has a side that is not positive", "write its sides in meters");
      shape.size = sides;
    } else if (const YAML::Node cylinder = node["cylinder"]) {
      HEFT_CHECK(check_names(cylinder, {"radius", "length"}));
      HEFT_TRY(radius, size(cylinder, "radius"));
      HEFT_TRY(length, size(cylinder, "length"));
      shape.kind = Shape::Kind::cylinder;
      shape.radius = radius;
      shape.length = length;
    } else {
      const YAML::Node sphere = node["sphere"];
      HEFT_CHECK(check_names(sphere, {"radius"}));
      HEFT_TRY(radius, size(sphere, "radius"));
      shape.kind = Shape::Kind::sphere;
      shape.radius = radius;
    }
    if (node["position"]) {
      HEFT_TRY(position, vector(node["position"], "position"));
      shape.X_link_shape.translation() = position;
    }
    if (node["rpy"]) {
      HEFT_TRY(rpy, vector(node["rpy"], "rpy"));
      shape.X_link_shape.linear() = (Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
                                     Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
                                     Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()))
                                        .toRotationMatrix();
    }
    return obstacle;
  }

  const std::string& path_;
  std::set<std::string> names_;
};

}  // namespace

Result<std::vector<Obstacle>> read_obstacles(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  return obstacles_from_yaml(text, path);
}

Result<std::vector<Obstacle>> obstacles_from_yaml(const std::string& text,
                                                  const std::string& path) {
  return config::with_root(
      text, path, [&](const YAML::Node& root) -> Result<std::vector<Obstacle>> {
        if (root.IsNull()) return Error{path, "is empty", "write 'obstacles:' and a list below it"};
        return ObstacleReader(path).read(root);
      });
}

}  // namespace heft
