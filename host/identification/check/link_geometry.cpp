// gather_geometry: combines the shapes of a link into one box and one solid.
#include <algorithm>

#include "geometry/mesh.hpp"
#include "robot_facts.hpp"

namespace heft::check {

namespace {

struct Extent {
  Eigen::AlignedBox3d box;  // empty if the shape could not be read
  Solid solid;              // empty if it encloses nothing
};

Extent centered(const Eigen::Isometry3d& X, const Eigen::Vector3d& size, const Solid& solid) {
  return {Eigen::AlignedBox3d(-size / 2, size / 2).transformed(X), transformed(X, solid)};
}

Extent mesh_extent(const Shape& shape, const RobotDocument& document, const CheckOptions& options) {
  const std::string path = document.find_mesh(shape.mesh, options.package_folders);
  if (path.empty()) return {};
  auto mesh = read_mesh(path);
  if (!mesh) return {};
  mesh->corners = shape.X_link_shape * (shape.scale.asDiagonal() * mesh->corners);
  // corners are in link axes now; a mirrored mesh faces inwards, which enclosed_solid forgives
  return {bounding_box(*mesh), is_closed(*mesh) ? enclosed_solid(*mesh) : Solid{}};
}

Extent extent_of(const std::optional<Shape>& shape, const RobotDocument& document,
                 const CheckOptions& options) {
  if (!shape) return {};
  const Eigen::Isometry3d& X = shape->X_link_shape;
  const double r = shape->radius, l = shape->length;
  switch (shape->kind) {
    case Shape::Kind::box:
      return centered(X, shape->size, box_solid(shape->size));
    case Shape::Kind::cylinder:
      return centered(X, {2 * r, 2 * r, l}, cylinder_solid(r, l));
    case Shape::Kind::sphere:
      return centered(X, Eigen::Vector3d::Constant(2 * r), sphere_solid(r));
    case Shape::Kind::mesh:
      break;
  }
  return mesh_extent(*shape, document, options);
}

}  // namespace

LinkGeometry gather_geometry(const WrittenLink& link, const RobotDocument& document,
                             const CheckOptions& options) {
  LinkGeometry geometry;
  for (const auto* shapes : {&link.visuals, &link.collisions}) {
    Solid solid;
    bool any_read = false, any_mesh = false, all_read = true, all_closed = true;
    for (const WrittenShape& written : *shapes) {
      const Extent shape = extent_of(written.shape, document, options);
      any_mesh = any_mesh || written.has_mesh;
      if (written.has_mesh && shape.box.isEmpty()) geometry.unread.push_back(written.mesh);
      all_closed = all_closed && !shape.solid.empty();
      all_read = all_read && !shape.box.isEmpty();
      if (shape.box.isEmpty()) continue;
      if (written.has_mesh)
        geometry.largest_mesh = std::max(geometry.largest_mesh, shape.box.diagonal().norm());
      any_read = true;
      geometry.box.extend(shape.box);
      geometry.largest_volume = std::max(geometry.largest_volume, shape.solid.volume);
      solid += shape.solid;
    }
    // boxes and cylinders in place of visuals that cannot be read may stand for part of the link
    // only
    const bool trusted = any_mesh || geometry.unread.empty();
    geometry.whole = geometry.whole || (any_read && all_read && trusted);
    if (geometry.solid.empty() && all_closed) geometry.solid = solid;
  }
  constexpr double kMarker = 0.005;  // m: a shape that only marks a place
  geometry.whole = geometry.whole && geometry.diagonal() > kMarker;
  return geometry;
}

}  // namespace heft::check
