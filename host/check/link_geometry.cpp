// gather_geometry: the shapes of a link as one box and one solid.
#include <algorithm>

#include "geometry/mesh.hpp"
#include "geometry/mesh_path.hpp"
#include "robot_facts.hpp"

namespace heft::check {

namespace {

struct Shape {
  Eigen::AlignedBox3d box;  // empty if the shape could not be read
  Solid solid;              // empty if it encloses nothing
};

Shape placed(const Eigen::Isometry3d& X, const Eigen::AlignedBox3d& box, const Solid& solid) {
  return {box.transformed(X), transformed(X, solid)};
}

Shape centred_shape(const Eigen::Isometry3d& X, const Eigen::Vector3d& size, const Solid& solid) {
  return placed(X, {-size / 2, size / 2}, solid);
}

Shape mesh_shape(const Eigen::Isometry3d& X, pugi::xml_node node, const std::string& urdf_path,
                 const CheckOptions& options) {
  const std::string path = find_mesh(node.attribute("filename").value(), urdf_path, options.package_folders);
  if (path.empty()) return {};
  auto mesh = read_mesh(path);
  if (!mesh) return {};
  const Eigen::Vector3d scale = read_vector(node.attribute("scale"), Eigen::Vector3d::Ones());
  mesh->corners = X * (scale.asDiagonal() * mesh->corners);
  // corners are in link axes now; a mirrored mesh faces inwards, which enclosed_solid forgives
  return {bounding_box(*mesh), is_closed(*mesh) ? enclosed_solid(*mesh) : Solid{}};
}

Shape read_shape(pugi::xml_node element, const std::string& urdf_path, const CheckOptions& options) {
  const Eigen::Isometry3d X = read_origin(element);
  const pugi::xml_node geometry = element.child("geometry");
  if (const auto box = geometry.child("box")) {
    const Eigen::Vector3d size = read_vector(box.attribute("size"), Eigen::Vector3d::Zero());
    return centred_shape(X, size, box_solid(size));
  }
  if (const auto cylinder = geometry.child("cylinder")) {
    const double r = read_number(cylinder.attribute("radius"), 0);
    const double l = read_number(cylinder.attribute("length"), 0);
    return centred_shape(X, {2 * r, 2 * r, l}, cylinder_solid(r, l));
  }
  if (const auto sphere = geometry.child("sphere")) {
    const double r = read_number(sphere.attribute("radius"), 0);
    return centred_shape(X, Eigen::Vector3d::Constant(2 * r), sphere_solid(r));
  }
  if (const auto mesh = geometry.child("mesh")) return mesh_shape(X, mesh, urdf_path, options);
  return {};
}

}  // namespace

LinkGeometry gather_geometry(pugi::xml_node link, const std::string& urdf_path, const CheckOptions& options) {
  LinkGeometry geometry;
  for (const char* kind : {"visual", "collision"}) {
    Solid solid;
    bool any_read = false, any_mesh = false, all_read = true, all_closed = true;
    for (const pugi::xml_node element : link.children(kind)) {
      const Shape shape = read_shape(element, urdf_path, options);
      const pugi::xml_node mesh = element.child("geometry").child("mesh");
      any_mesh = any_mesh || mesh;
      if (mesh && shape.box.isEmpty()) geometry.unread.emplace_back(mesh.attribute("filename").value());
      all_closed = all_closed && !shape.solid.empty();
      all_read = all_read && !shape.box.isEmpty();
      if (shape.box.isEmpty()) continue;
      any_read = true;
      geometry.box.extend(shape.box);
      geometry.largest_volume = std::max(geometry.largest_volume, shape.solid.volume);
      solid += shape.solid;
    }
    // boxes and cylinders in place of visuals that cannot be read may stand for part of the link only
    const bool trusted = any_mesh || geometry.unread.empty();
    geometry.whole = geometry.whole || (any_read && all_read && trusted);
    if (geometry.solid.empty() && all_closed) geometry.solid = solid;
  }
  constexpr double kMarker = 0.005;  // m: a shape that only marks a place
  geometry.whole = geometry.whole && geometry.diagonal() > kMarker;
  return geometry;
}

}  // namespace heft::check
