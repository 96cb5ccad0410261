// Prior moments: from a mesh, a box, points with volumes, or ten numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "base/number_text.hpp"
#include "files/whole_file.hpp"
#include "geometry/mesh.hpp"
#include "geometry/mesh_parts.hpp"
#include "heft/payload/payload.hpp"
#include "interior_points.hpp"
#include "linalg/factorizations.hpp"
#include "samples/read_table.hpp"
#include "shape_parts.hpp"

namespace heft {

namespace {

constexpr double kBallRadius = 0.1;      // [m], where nothing is known
constexpr double kLargestShape = 10;     // [m]: beyond it a mesh is in millimeters
constexpr double kSmallestShape = 2e-3;  // [m]: smaller payloads are implausible
constexpr std::size_t kLargestMesh = std::size_t{256} << 20;  // bytes, also of a device without an
                                                              // end

/// Inertia of 1 kg spread evenly over the solid. make_prior repairs plates and needles, which lack
/// extent in a direction.
Result<BodyParameters> unit_body(const Solid& solid, const std::string& where) {
  if (solid.empty() || !solid.second.allFinite())
    return Error{where, "does not enclose a volume", "give a closed shape with a volume"};
  const Eigen::Matrix3d covariance = solid.covariance();
  return parameters_about_origin(1, solid.center(),
                                 covariance.trace() * Eigen::Matrix3d::Identity() - covariance);
}

bool faces_inwards(const std::vector<MeshPart>& parts) {
  double volume = 0;
  for (const MeshPart& part : parts) volume += part.volume;
  return volume < 0;
}

/// Reads the mesh of a file, or of one material in it ("drill.obj#steel", unless a file has this
/// name).
Result<Mesh> mesh_named(const std::string& name) {
  const std::size_t mark = name.rfind('#');
  std::error_code ignored;
  const bool has_material = mark != std::string::npos && !std::filesystem::exists(name, ignored);
  const std::string path = has_material ? name.substr(0, mark) : name;
  HEFT_TRY(bytes, read_file_whole(path, kLargestMesh));
  HEFT_TRY(mesh, mesh_of(path, bytes));
  if (!has_material) return std::move(mesh);
  return of_material(path, mesh, name.substr(mark + 1));
}

Result<PayloadShape> of_mesh(const PayloadPriorOptions& options) {
  HEFT_TRY(mesh, mesh_named(options.mesh));
  const Eigen::Vector3d extent = bounding_box(mesh).sizes();
  if (extent.maxCoeff() < kSmallestShape)
    return Error{options.mesh,
                 "is only " + number_text(1e3 * extent.maxCoeff(), 4) +
                     " mm long, so its coordinates are not in meters",
                 "export it in meters"};
  if (extent.maxCoeff() > kLargestShape)
    return Error{options.mesh,
                 "is " + number_text(extent.maxCoeff(), 4) +
                     " m long, so its coordinates are probably in millimeters",
                 "export it in meters"};
  if (!is_closed(mesh))
    return Error{options.mesh, "is open: its triangles do not enclose a volume",
                 "close its holes, or give payload.prior.box"};
  const std::vector<MeshPart> parts = parts_of(mesh);
  if (const int part = part_inside_out(mesh, parts); part >= 0)
    return Error{options.mesh,
                 "has a part that is inside out: number " + std::to_string(part + 1) + " of " +
                     std::to_string(parts.size()) + ", of " +
                     number_text(1e3 * std::abs(parts[static_cast<std::size_t>(part)].volume), 3) +
                     " liters, has a negative volume and is not a cavity of the others",
                 "flip the normals of that part, so that all triangles are "
                 "counterclockwise seen from outside"};
  PayloadShape shape{.kind = PayloadShape::Kind::mesh};
  const Solid solid = transformed(options.pose, enclosed_solid(mesh));
  shape.volume = solid.volume;
  if (faces_inwards(parts))
    shape.doubts.push_back(
        {"mesh-inside-out", false,
         options.mesh + " has a negative volume: all its triangles face inward; Heft treats "
                        "them as facing outward",
         "flip its normals, so that triangles are counterclockwise seen from outside"});
  HEFT_TRY(unit, unit_body(solid, options.mesh));
  shape.unit = unit;
  shape.corners = (options.pose * mesh.corners.colwise().homogeneous()).eval();
  HEFT_TRY(bounds, enclosing_ellipsoid(shape.corners));
  shape.bounds = bounds;
  payload::fill_evenly(mesh.corners, solid.volume, options.point_density, shape);
  shape.points = (options.pose * shape.points.colwise().homogeneous()).eval();
  shape.words = "mesh " + std::filesystem::path(options.mesh).filename().string() + " of " +
                number_text(1000 * solid.volume, 4) + " liters";
  return shape;
}

Result<PayloadShape> of_meshes(const PayloadPriorOptions& options) {
  std::vector<PayloadShape> parts;
  for (const PayloadPriorOptions::Part& part : options.parts) {
    PayloadPriorOptions one = options;
    one.mesh = part.mesh;
    HEFT_TRY(shape, of_mesh(one));
    parts.push_back(std::move(shape));
  }
  return payload::of_parts(parts, options);
}

Solid solid_of(const PayloadPrimitive& primitive) {
  switch (primitive.kind) {
    case PayloadPrimitive::Kind::box:
      return box_solid(primitive.size);
    case PayloadPrimitive::Kind::ball:
      return sphere_solid(primitive.size.x() / 2);
    case PayloadPrimitive::Kind::cylinder:
      return cylinder_solid(primitive.size.x() / 2, primitive.size.z());
  }
  return {};
}

/// The smallest ellipsoid around it in its own frame; by symmetry its axes are those of the body.
Eigen::Vector3d enclosing_semi_axes(const PayloadPrimitive& primitive) {
  const Eigen::Vector3d half = primitive.size / 2;
  switch (primitive.kind) {
    case PayloadPrimitive::Kind::box:  // the least volume through a corner
      return std::sqrt(3.0) * half;
    case PayloadPrimitive::Kind::ball:
      return half;
    case PayloadPrimitive::Kind::cylinder:  // the least volume through a rim
      return half.cwiseProduct(Eigen::Vector3d(std::sqrt(1.5), std::sqrt(1.5), std::sqrt(3.0)));
  }
  return half;
}

Ellipsoid longest_first(const Eigen::Isometry3d& pose, const Eigen::Vector3d& semi_axes) {
  std::array<Eigen::Index, 3> order = {0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return semi_axes[a] > semi_axes[b]; });
  Ellipsoid ellipsoid{.center = pose.translation()};
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Eigen::Index axis = order[static_cast<std::size_t>(k)];
    ellipsoid.semi_axes[k] = semi_axes[axis];
    ellipsoid.R.col(k) = pose.linear().col(axis);
  }
  if (ellipsoid.R.determinant() < 0) ellipsoid.R.col(2) *= -1;
  return ellipsoid;
}

std::string words_of(const PayloadPrimitive& primitive) {
  const auto mm = [](double length) { return number_text(1e3 * length, 4); };
  const Eigen::Vector3d& size = primitive.size;
  switch (primitive.kind) {
    case PayloadPrimitive::Kind::box:
      return "box of " + mm(size.x()) + " x " + mm(size.y()) + " x " + mm(size.z()) + " mm";
    case PayloadPrimitive::Kind::ball:
      return "ball of " + mm(size.x() / 2) + " mm radius";
    case PayloadPrimitive::Kind::cylinder:
      return "cylinder of " + mm(size.x() / 2) + " mm radius and " + mm(size.z()) + " mm length";
  }
  return {};
}

Result<PayloadShape> of_primitive(const PayloadPriorOptions& options) {
  const PayloadPrimitive& primitive = *options.primitive;
  const std::string where = std::string("payload.prior.") + enum_name(primitive.kind);
  const Eigen::Vector3d& size = primitive.size;
  if (!(size.array() > 0).all() || !(size.maxCoeff() <= kLargestShape) ||
      size.maxCoeff() < kSmallestShape)
    return Error{where,
                 "does not have a plausible size in meters: its longest side is " +
                     number_text(size.maxCoeff(), 4) + " m",
                 "give positive lengths in meters"};
  PayloadShape shape{.kind = PayloadShape::Kind::primitive};
  const Solid solid = transformed(options.pose, solid_of(primitive));
  shape.volume = solid.volume;
  HEFT_TRY(unit, unit_body(solid, where));
  shape.unit = unit;
  shape.bounds = longest_first(options.pose, enclosing_semi_axes(primitive));
  payload::fill_primitive(primitive, solid.volume, options.point_density, shape);
  shape.points = (options.pose * shape.points.colwise().homogeneous()).eval();
  shape.words = words_of(primitive);
  return shape;
}

Result<PayloadShape> of_points(const PayloadPriorOptions& options) {
  HEFT_TRY(table, payload::read_table(options.points, {"x", "y", "z", "volume"}));
  Solid solid;
  Eigen::Matrix3Xd at(3, table.rows.rows());
  for (Eigen::Index i = 0; i < table.rows.rows(); ++i) {
    const Eigen::Vector3d p = table.rows.row(i).head<3>();
    const double volume = table.rows(i, 3);
    if (!p.allFinite() || !(volume >= 0) || !std::isfinite(volume))
      return Error{options.points,
                   "point " + std::to_string(i + 1) + " has no position or a negative volume",
                   "write x,y,z in meters and a volume of zero or more"};
    solid += {volume, volume * p, volume * p * p.transpose()};
    at.col(i) = p;
  }
  PayloadShape shape{.kind = PayloadShape::Kind::points};
  shape.points = at;
  shape.volumes = table.rows.col(3);
  shape.volume = solid.volume;
  HEFT_TRY(unit, unit_body(solid, options.points));
  shape.unit = unit;
  if (at.cols() > 3) {
    HEFT_TRY(bounds, enclosing_ellipsoid(at));
    shape.bounds = bounds;
  }
  shape.words = std::to_string(at.cols()) + " points of " +
                std::filesystem::path(options.points).filename().string();
  return shape;
}

Result<PayloadShape> of_parameters(const BodyParameters& parameters) {
  const Eigen::LLT<Eigen::Matrix4d> factor(pseudo_inertia(parameters));
  if (!parameters.allFinite() || !(parameters[core::kMass] > 0) || factor.info() != Eigen::Success)
    return Error{
        "payload.prior.parameters", "are not physically consistent",
        "give m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the sensor's origin, with m > "
        "0 and a tensor "
        "about the center of mass that obeys the triangle inequalities"};
  return PayloadShape{.kind = PayloadShape::Kind::parameters,
                      .unit = parameters / parameters[core::kMass],
                      .words = "given parameters"};
}

}  // namespace

Result<PayloadShape> read_payload_shape(const PayloadPriorOptions& options) {
  const int given = int{!options.mesh.empty()} + int{!options.parts.empty()} +
                    int{options.primitive.has_value()} + int{!options.points.empty()} +
                    int{options.parameters.has_value()};
  if (given > 1)
    return Error{
        "payload.prior", "is given in more than one way",
        "keep one of --shape, payload.prior.box, ball, cylinder, parts, points and parameters"};
  if (!options.mesh.empty()) return of_mesh(options);
  if (!options.parts.empty()) return of_meshes(options);
  if (options.primitive) return of_primitive(options);
  if (!options.points.empty()) return of_points(options);
  if (options.parameters) return of_parameters(*options.parameters);
  PayloadShape ball{.words =
                        "a ball of 100 mm radius about the center of mass, because no shape was "
                        "given"};
  ball.unit = parameters_about_origin(
      1, Eigen::Vector3d::Zero(), 0.4 * kBallRadius * kBallRadius * Eigen::Matrix3d::Identity());
  return ball;
}

}  // namespace heft
