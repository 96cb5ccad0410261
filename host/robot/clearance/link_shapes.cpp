#include "link_shapes.hpp"

#include <algorithm>
#include <map>

#include "files/whole_file.hpp"
#include "geometry/mesh.hpp"
#include "heft/robot/robot_document.hpp"
#include "shape_hull.hpp"

namespace heft {

namespace {

/// A sphere that encloses the spheres of all hulls.
void put_reach(LinkShapes& link) {
  Eigen::Matrix3Xd centers(3, static_cast<Eigen::Index>(link.hulls.size()));
  for (std::size_t i = 0; i < link.hulls.size(); ++i)
    centers.col(static_cast<Eigen::Index>(i)) = link.hulls[i].center;
  link.center = enclosing_sphere(centers).first;
  for (const Hull& hull : link.hulls)
    link.reach = std::max(link.reach, (hull.center - link.center).norm() + hull.reach);
}

class Reader {
 public:
  Reader(const RobotDocument& document, const std::vector<std::string>& folders)
      : document_(document), folders_(folders) {}

  /// X is the pose of the link in the axes of the hulls.
  Result<LinkShapes> read(const std::string& name, int body, const Eigen::Isometry3d& X) const {
    LinkShapes link{.name = name, .body = body};
    HEFT_TRY(shapes, document_.shapes(name, ShapeUse::collision));
    for (const Shape& shape : shapes) {
      Eigen::Matrix3Xd corners;
      if (shape.kind == Shape::Kind::mesh) {
        HEFT_TRY(read, mesh_corners(shape));
        corners = read;
      }
      auto hull = shape_hull(shape, X * shape.X_link_shape, corners);
      if (!hull)
        return Error{document_.path() + ": link '" + name + "'",
                     hull.error().where + ": " + hull.error().what, hull.error().remedy};
      link.hulls.push_back(*std::move(hull));
    }
    if (!link.hulls.empty()) put_reach(link);
    return link;
  }

 private:
  Result<Eigen::Matrix3Xd> mesh_corners(const Shape& shape) const {
    const std::string path = document_.find_mesh(shape.mesh, folders_);
    if (path.empty())
      return Error{
          shape.mesh, "cannot be found near the URDF",
          "name the folder that contains its package with --package-path, or ignore collisions: "
          "--ignore-collisions"};
    HEFT_TRY(mesh, read_mesh(path));
    return Eigen::Matrix3Xd(shape.scale.asDiagonal() * mesh.corners);
  }

  const RobotDocument& document_;
  const std::vector<std::string>& folders_;
};

}  // namespace

Result<ShapesOfLinks> read_link_shapes(const Robot& robot,
                                       const std::vector<std::string>& package_folders) {
  HEFT_TRY(document, parse_robot_document(robot.source, robot.source_text));
  ShapesOfLinks shapes{.all = document->links()};
  std::map<std::string, int> carrier;
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const Body& body = robot.bodies[i];
    if (body.is_rotor || !body.has_parameters) continue;
    carrier[body.name] = i;
    for (const std::string& link : body.merged_links) carrier[link] = i;
  }
  // a link without a moving ancestor is fixed to the root of the file
  std::string root;
  for (const std::string& link : shapes.all)
    if (!carrier.contains(link) &&
        std::all_of(shapes.all.begin(), shapes.all.end(), [&](const std::string& other) {
          return carrier.contains(other) || document->pose(other, link).ok();
        }))
      root = link;
  const Reader reader(*document, package_folders);
  std::vector<bool> has_shape(robot.bodies.size(), false);
  for (const std::string& name : shapes.all) {
    const auto found = carrier.find(name);
    const int body = found == carrier.end() ? -1 : found->second;
    HEFT_TRY(X, document->pose(name, body < 0 ? root : robot.bodies[body].name));
    HEFT_TRY(link, reader.read(name, body, X));
    if (link.hulls.empty()) continue;
    if (body >= 0) has_shape[body] = true;
    shapes.links.push_back(std::move(link));
  }
  for (int i = 0; i < robot.num_bodies(); ++i)
    if (robot.bodies[i].has_parameters && !robot.bodies[i].is_rotor && !has_shape[i])
      shapes.without.push_back(robot.bodies[i].name);
  return shapes;
}

}  // namespace heft
