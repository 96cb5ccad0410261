// Prior moments: from a mesh, a box, points with volumes, or ten numbers.
#include <Eigen/Cholesky>
#include <cmath>
#include <filesystem>

#include "base/number_text.hpp"
#include "files/whole_file.hpp"
#include "geometry/mesh.hpp"
#include "geometry/parts.hpp"
#include "heft/payload/shape.hpp"
#include "interior_points.hpp"
#include "shape_parts.hpp"
#include "table.hpp"

namespace heft {

namespace {

constexpr double kBallRadius = 0.1;      // [m], where nothing is known
constexpr double kLargestShape = 10;     // [m]: beyond it a mesh is in millimetres
constexpr double kSmallestShape = 2e-3;  // [m]: nothing that small is weighed on a sensor
constexpr std::size_t kLargestMesh = std::size_t{256} << 20;  // bytes, also of a device without an end

/// Of 1 kg spread evenly over the solid. Plates and needles, which have no extent one way, are left to make_prior.
Result<BodyParameters> unit_body(const Solid& solid, const std::string& where) {
  if (solid.empty() || !solid.second.allFinite())
    return Error{where, "encloses no volume", "give a closed shape with a volume"};
  const Eigen::Matrix3d covariance = solid.covariance();
  return parameters_about_origin(1, solid.centre(),
                                 covariance.trace() * Eigen::Matrix3d::Identity() - covariance);
}

bool faces_inwards(const std::vector<MeshPart>& parts) {
  double volume = 0;
  for (const MeshPart& part : parts) volume += part.volume;
  return volume < 0;
}

/// Of a file, or of one material of it: "drill.obj#steel", unless that is a file.
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
                     " mm long: its numbers must be of another unit",
                 "export it in metres"};
  if (extent.maxCoeff() > kLargestShape)
    return Error{options.mesh,
                 "is " + number_text(extent.maxCoeff(), 4) + " m long: its numbers must be millimetres",
                 "export it in metres"};
  if (!is_closed(mesh))
    return Error{options.mesh, "is open: its triangles do not enclose a volume",
                 "close its holes, or give payload.prior.box"};
  const std::vector<MeshPart> parts = parts_of(mesh);
  if (const int part = part_inside_out(mesh, parts); part >= 0)
    return Error{
        options.mesh,
        "has a part that is inside out: number " + std::to_string(part + 1) + " of " +
            std::to_string(parts.size()) + ", of " +
            number_text(1e3 * std::abs(parts[static_cast<std::size_t>(part)].volume), 3) +
            " litres, counts as negative and is no cavity of the others",
        "flip the normals of that part, so that all triangles are counter-clockwise seen from outside"};
  PayloadShape shape{.kind = PayloadShape::Kind::mesh};
  const Solid solid = transformed(options.pose, enclosed_solid(mesh));
  shape.volume = solid.volume;
  if (faces_inwards(parts))
    shape.doubts.push_back(
        {"mesh-inside-out", false,
         options.mesh +
             " has a negative volume: all its triangles face inwards, and count as facing outwards",
         "flip its normals: triangles are counter-clockwise seen from outside"});
  HEFT_TRY(unit, unit_body(solid, options.mesh));
  shape.unit = unit;
  shape.corners = (options.pose * mesh.corners.colwise().homogeneous()).eval();
  HEFT_TRY(bounds, enclosing_ellipsoid(shape.corners));
  shape.bounds = bounds;
  payload::fill_evenly(mesh.corners, solid.volume, options.point_density, shape);
  shape.points = (options.pose * shape.points.colwise().homogeneous()).eval();
  shape.words = "mesh " + std::filesystem::path(options.mesh).filename().string() + " of " +
                number_text(1000 * solid.volume, 4) + " litres";
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

Result<PayloadShape> of_box(const PayloadPriorOptions& options) {
  const Eigen::Vector3d size = *options.box;
  if (!(size.array() > 0).all() || size.maxCoeff() > kLargestShape || size.maxCoeff() < kSmallestShape)
    return Error{
        "payload.prior.box",
        "is no box of a size in metres: its longest side is " + number_text(size.maxCoeff(), 4) + " m",
        "write three lengths in metres: [x, y, z]"};
  PayloadShape shape{.kind = PayloadShape::Kind::box, .volume = size.prod()};
  HEFT_TRY(unit, unit_body(transformed(options.pose, box_solid(size)), "payload.prior.box"));
  shape.unit = unit;
  Eigen::Matrix3Xd corners(3, 8);
  for (int k = 0; k < 8; ++k)
    corners.col(k) =
        options.pose * Eigen::Vector3d(((k & 1) - 0.5) * size.x(), ((k >> 1 & 1) - 0.5) * size.y(),
                                       ((k >> 2 & 1) - 0.5) * size.z());
  HEFT_TRY(bounds, enclosing_ellipsoid(corners));
  shape.bounds = bounds;
  payload::fill_box(size, options.point_density, shape);
  shape.points = (options.pose * shape.points.colwise().homogeneous()).eval();
  shape.words = "box of " + number_text(1e3 * size.x(), 4) + " x " + number_text(1e3 * size.y(), 4) + " x " +
                number_text(1e3 * size.z(), 4) + " mm";
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
      return Error{options.points, "point " + std::to_string(i + 1) + " has no place or a negative volume",
                   "write x,y,z in metres and a volume of zero or more"};
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
  shape.words =
      std::to_string(at.cols()) + " points of " + std::filesystem::path(options.points).filename().string();
  return shape;
}

Result<PayloadShape> of_parameters(const BodyParameters& parameters) {
  const Eigen::LLT<Eigen::Matrix4d> factor(pseudo_inertia(parameters));
  if (!parameters.allFinite() || !(parameters[core::kMass] > 0) || factor.info() != Eigen::Success)
    return Error{"payload.prior.parameters", "are not those of a real body",
                 "give m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the sensor's origin, with m > "
                 "0 and a tensor "
                 "about the centre of mass that obeys the triangle inequalities"};
  return PayloadShape{.kind = PayloadShape::Kind::parameters,
                      .unit = parameters / parameters[core::kMass],
                      .words = "given parameters"};
}

}  // namespace

Result<PayloadShape> read_payload_shape(const PayloadPriorOptions& options) {
  const int given = int{!options.mesh.empty()} + int{!options.parts.empty()} + int{options.box.has_value()} +
                    int{!options.points.empty()} + int{options.parameters.has_value()};
  if (given > 1)
    return Error{"payload.prior", "is given in more than one way",
                 "keep one of --shape, payload.prior.box, parts, points and parameters"};
  if (!options.mesh.empty()) return of_mesh(options);
  if (!options.parts.empty()) return of_meshes(options);
  if (options.box) return of_box(options);
  if (!options.points.empty()) return of_points(options);
  if (options.parameters) return of_parameters(*options.parameters);
  PayloadShape ball{.words = "no shape was given: a ball of 100 mm radius about the centre of mass"};
  ball.unit = parameters_about_origin(1, Eigen::Vector3d::Zero(),
                                      0.4 * kBallRadius * kBallRadius * Eigen::Matrix3d::Identity());
  return ball;
}

}  // namespace heft
