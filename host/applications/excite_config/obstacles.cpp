#include "excite_config/obstacles.hpp"

#include <yaml-cpp/yaml.h>

#include <set>

#include "config/field_reader.hpp"
#include "files/whole_file.hpp"

namespace heft {

namespace {

constexpr std::size_t kMaxObstacles = 1000;
constexpr const char* kSizesForm =
    "write cylinder: {radius, length} or sphere: {radius}, in meters";

using config::FieldReader;

void describe_shape(Shape& shape, FieldReader& reader) {
  int num_shapes = 0;
  reader("box", shape.size, "m", "sides", [&](const Eigen::Vector3d& sides) {
    ++num_shapes;
    return sides.minCoeff() > 0 ? std::string() : std::string("has a side that is not positive");
  });
  const auto round = [&](const char* name, Shape::Kind kind) {
    reader.section(name, [&](FieldReader& sizes) {
      ++num_shapes;
      shape.kind = kind;
      sizes("radius", shape.radius, "m", "radius", config::positive());
      if (kind == Shape::Kind::cylinder)
        sizes("length", shape.length, "m", "length along its z axis", config::positive());
      if (shape.radius == 0) sizes.refuse(std::string("a ") + name + " has no radius", kSizesForm);
      if (kind == Shape::Kind::cylinder && shape.length == 0)
        sizes.refuse("a cylinder has no length", kSizesForm);
    });
  };
  round("cylinder", Shape::Kind::cylinder);
  round("sphere", Shape::Kind::sphere);
  if (num_shapes != 1)
    reader.refuse("must have exactly one of box, cylinder and sphere",
                  "write one of box: [x, y, z], cylinder: {radius, length}, sphere: {radius}");
}

Obstacle read_obstacle(FieldReader& reader) {
  Obstacle obstacle;
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero(), position = rpy;
  reader("name", obstacle.name, "", "name of the obstacle in results");
  describe_shape(obstacle.shape, reader);
  reader("position", position, "m", "position of its center in base axes");
  reader("rpy", rpy, "rad", "roll, pitch and yaw in base axes");
  if (obstacle.name.empty()) reader.refuse("has no name", "write a name, such as name: table");
  obstacle.shape.X_link_shape.translation() = position;
  obstacle.shape.X_link_shape.linear() = (Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
                                          Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
                                          Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()))
                                             .toRotationMatrix();
  return obstacle;
}

Result<std::vector<Obstacle>> obstacles_of(const YAML::Node& root, const std::string& path) {
  const YAML::Node list = root.IsMap() ? root["obstacles"] : YAML::Node();
  if (!list || !list.IsSequence() || list.size() > kMaxObstacles)
    return Error{config::place_of(path, root), "has no list 'obstacles'",
                 "write 'obstacles:' and, below it, one line '- {..}' per obstacle, at most 1000"};
  std::vector<Obstacle> obstacles;
  std::set<std::string> names;
  FieldReader reader(root, path);
  reader.list("obstacles", [&](FieldReader& one) {
    const Obstacle obstacle = read_obstacle(one);
    if (!names.insert(obstacle.name).second)
      one.refuse("another obstacle is already named '" + obstacle.name + "'",
                 "give each a unique name");
    obstacles.push_back(obstacle);
  });
  if (const auto error = reader.finish()) return *error;
  return obstacles;
}

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
        return obstacles_of(root, path);
      });
}

}  // namespace heft
