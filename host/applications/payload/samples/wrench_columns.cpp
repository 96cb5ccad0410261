#include "wrench_columns.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "files/name_hint.hpp"
#include "linalg/factorizations.hpp"

namespace heft::payload {

namespace {

constexpr double kRotation = 1e-2;    // by which R R' of a logged orientation may differ from 1
constexpr double kUnitLength = 1e-2;  // by which the length of a quaternion may

std::vector<std::string> three(const std::string& stem) {
  return {stem + "x", stem + "y", stem + "z"};
}

std::vector<std::string> rotation_names() {
  std::vector<std::string> names;
  for (const char row : {'1', '2', '3'})
    for (const char column : {'1', '2', '3'}) names.push_back(std::string("r") + row + column);
  return names;
}

/// Adds the columns to the row and returns their offset; -1 if they are missing and no `role` needs
/// them.
Result<int> find(const std::vector<std::string>& header, const std::vector<std::string>& wanted,
                 const std::string& role, const std::string& where, std::vector<int>& columns) {
  std::vector<int> found;
  std::string missing;
  for (const std::string& name : wanted) {
    const auto at = std::find(header.begin(), header.end(), name);
    if (at != header.end())
      found.push_back(static_cast<int>(at - header.begin()));
    else if (missing.empty())
      missing = name;
  }
  if (found.empty() && role.empty()) return -1;
  if (!missing.empty())
    return Error{where, "has no column '" + missing + "'" + (role.empty() ? "" : ", " + role),
                 name_hint(missing, header, "the header has")};
  const int place = static_cast<int>(columns.size());
  columns.insert(columns.end(), found.begin(), found.end());
  return place;
}

/// The rotation nearest to an approximate one, logged with few digits or interpolated.
Eigen::Matrix3d rotation_near(Eigen::Matrix3d R) {
  for (int step = 0; step < 2; ++step) R = (1.5 * R - 0.5 * R * R.transpose() * R).eval();
  return R;
}

Eigen::Vector3d vector_at(const double* values, int place) {
  return Eigen::Map<const Eigen::Vector3d>(values + place);
}

/// The rotation of a log row. Error: the nine numbers are not a rotation.
Result<Eigen::Matrix3d> logged_matrix(const double* values) {
  const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(values);
  if ((R * R.transpose() - Eigen::Matrix3d::Identity()).norm() > kRotation || R.determinant() < 0)
    return Error{"", "r11..r33 are not a rotation",
                 "write the rotation matrix row by row, sensor to world; a left-handed "
                 "matrix has a wrong sign"};
  return rotation_near(R);
}

/// Error: the four numbers are not a unit quaternion.
Result<Eigen::Matrix3d> logged_quaternion(const double* values, QuaternionOrder order) {
  Eigen::Quaterniond q(values[3], values[0], values[1], values[2]);
  if (order == QuaternionOrder::wxyz)
    q = Eigen::Quaterniond(values[0], values[1], values[2], values[3]);
  const double length = q.norm();
  if (!(length > 0))
    return Error{"", "the quaternion qx,qy,qz,qw is zero",
                 "drop the row, or log a valid orientation"};
  if (std::abs(length - 1) > kUnitLength)
    return Error{
        "", "the quaternion qx,qy,qz,qw has length " + number_text(length, 4) + ", not 1",
        "check which columns contain it; divide the four numbers by their length if they are "
        "scaled"};
  return q.normalized().toRotationMatrix();
}

/// Rotation from the sensor's mounting to the world, from the log and the options. Errors as above.
Result<Eigen::Matrix3d> logged_orientation(const WrenchColumns& places, const double* values,
                                           const SensorOptions& options) {
  HEFT_TRY(R, places.R >= 0 ? logged_matrix(values + places.R)
                            : logged_quaternion(values + places.q, options.quaternion));
  if (options.orientation == OrientationKind::world_to_sensor)
    return Eigen::Matrix3d(R.transpose());
  return R;
}

}  // namespace

Result<WrenchColumns> find_wrench_columns(const std::vector<std::string>& header,
                                          const SensorOptions& options, const std::string& where) {
  WrenchColumns places;
  const auto put = [&](int& place, const std::vector<std::string>& names,
                       const std::string& role = "") -> Result<Done> {
    HEFT_TRY(found, find(header, names, role, where, places.columns));
    place = found;
    return Done{};
  };
  HEFT_TRY(wrench, wrench_names(header, options, where));
  places.wrench = wrench;
  HEFT_CHECK(put(places.f, {wrench[0], wrench[1], wrench[2]}, "a force"));
  HEFT_CHECK(put(places.n, {wrench[3], wrench[4], wrench[5]}, "a torque"));
  HEFT_CHECK(put(places.w, three("w")));
  const bool moves = places.moves();
  HEFT_CHECK(put(places.wd, three("al"), moves ? "an angular acceleration" : ""));
  HEFT_CHECK(put(places.a, three("a"), moves ? "an acceleration of the sensor's origin" : ""));
  if (!moves && (places.wd >= 0 || places.a >= 0))
    return Error{where, "has accelerations but no angular velocity wx, wy, wz",
                 "add it, or remove accelerations from a log of poses at rest"};
  HEFT_CHECK(put(places.g, three("g")));
  HEFT_CHECK(put(places.R, rotation_names()));
  const bool is_in_base = options.wrench_frame == WrenchFrame::base;
  const bool needs_rotation = places.g < 0 || is_in_base;
  places.uses_matrix = places.R >= 0 && needs_rotation;
  if (places.R < 0 && needs_rotation) {
    const std::vector<std::string> names = quaternion_names(header);
    HEFT_CHECK(
        put(places.q, names.empty() ? std::vector<std::string>{"qx", "qy", "qz", "qw"} : names));
  }
  if (moves && !places.has_orientation())
    return Error{where, "does not say which direction is down",
                 "add gravity in the sensor's frame as gx,gy,gz, or the sensor's "
                 "orientation as r11..r33 (row-major) or qx,qy,qz,qw, sensor to world; "
                 "if ax..az are accelerometer readings, add gx,gy,gz of zeros"};
  if (is_in_base && places.R < 0 && places.q < 0)
    return Error{where, "has no orientation, which a wrench in the base's frame needs",
                 "add r11..r33 or qx,qy,qz,qw, or set payload.wrench_frame: sensor"};
  if (options.wrench_frame == WrenchFrame::base_origin)
    return Error{where,
                 "does not contain the position of the sensor, which a torque about the "
                 "base's origin needs",
                 "name the robot that carries the sensor: --robot and --sensor-link"};
  HEFT_CHECK(put(places.time, {"t"}, moves ? "a time" : ""));
  return places;
}

Result<WrenchRow> wrench_row(const WrenchColumns& places, const double* values,
                             const SensorOptions& options) {
  const Eigen::Matrix3d M = options.mounting.linear();
  const Eigen::Vector3d p = options.mounting.translation();
  WrenchRow row;
  if (places.time >= 0) row.time = values[places.time];
  // R: sensor to world; the log's orientation is that of the frame in which the sensor is mounted
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  const bool has_rotation = places.R >= 0 || places.q >= 0;
  if (has_rotation) {
    HEFT_TRY(logged, logged_orientation(places, values, options));
    R = logged * M;
  }
  if (places.g >= 0)
    row.g = M.transpose() * vector_at(values, places.g);
  else if (has_rotation)
    row.g = options.gravity.value_or(kUsualGravity) * (R.transpose() * options.down);
  if (places.moves()) {
    const Eigen::Vector3d w = vector_at(values, places.w), wd = vector_at(values, places.wd);
    row.w = M.transpose() * w, row.wd = M.transpose() * wd;
    row.a = M.transpose() * (vector_at(values, places.a) + wd.cross(p) + w.cross(w.cross(p)));
  }
  row.force = options.sign * vector_at(values, places.f);
  row.torque = options.sign * vector_at(values, places.n);
  if (options.wrench_frame == WrenchFrame::base)
    row.force = (R.transpose() * row.force).eval(),
    row.torque = (R.transpose() * row.torque).eval();
  return row;
}

Eigen::Matrix<double, 6, 1> logged_wrench(const WrenchColumns& places, const double* values) {
  Eigen::Matrix<double, 6, 1> wrench;
  wrench << vector_at(values, places.f), vector_at(values, places.n);
  return wrench;
}

}  // namespace heft::payload
