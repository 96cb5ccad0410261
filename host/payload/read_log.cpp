// A log of a force-torque sensor, brought into the sensor's frame and the sign of samples.hpp.
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "files/name_hint.hpp"
#include "heft/payload/wrench_log.hpp"
#include "motion_checks.hpp"
#include "table.hpp"

namespace heft {

namespace {

using payload::Table;

constexpr double kRotation = 1e-2;  // by which R R' of a logged orientation may differ from 1

std::vector<std::string> three(const std::string& stem) {
  return {stem + "x", stem + "y", stem + "z"};
}

std::vector<std::string> rotation_names() {
  std::vector<std::string> names;
  for (const char row : {'1', '2', '3'})
    for (const char column : {'1', '2', '3'}) names.push_back(std::string("r") + row + column);
  return names;
}

/// Where in a row of the table that is read each quantity begins; -1: the log has none.
struct Places {
  std::vector<int> columns;  ///< of the source, in the order read
  int time = -1, w = -1, wd = -1, a = -1, g = -1, R = -1, f = -1, n = -1;

  /// Finds columns that are all there, or none; `role`: what they are, if they are needed.
  Result<int> find(const Source& source, const std::vector<std::string>& wanted,
                   const std::string& role = "") {
    const std::vector<std::string>& names = source.groups().front().columns;
    std::vector<int> found;
    std::string missing;
    for (const std::string& name : wanted) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (at != names.end())
        found.push_back(static_cast<int>(at - names.begin()));
      else if (missing.empty())
        missing = name;
    }
    if (found.empty() && role.empty()) return -1;
    if (!missing.empty())
      return Error{source.where(), "has no column '" + missing + "'" + (role.empty() ? "" : ", " + role),
                   name_hint(missing, names, "the header has")};
    const int place = static_cast<int>(columns.size());
    columns.insert(columns.end(), found.begin(), found.end());
    return place;
  }
};

Result<Places> find_places(const Source& source) {
  Places places;
  const auto find = [&](int& place, const std::vector<std::string>& names,
                        const std::string& role = "") -> Result<Done> {
    HEFT_TRY(found, places.find(source, names, role));
    place = found;
    return Done{};
  };
  HEFT_CHECK(find(places.f, three("f"), "a force"));
  HEFT_CHECK(find(places.n, three("n"), "a torque"));
  HEFT_CHECK(find(places.w, three("w")));
  const bool moves = places.w >= 0;
  HEFT_CHECK(find(places.wd, three("al"), moves ? "an angular acceleration" : ""));
  HEFT_CHECK(find(places.a, three("a"), moves ? "an acceleration of the sensor's origin" : ""));
  if (!moves && (places.wd >= 0 || places.a >= 0))
    return Error{source.where(), "has accelerations but no angular velocity wx, wy, wz",
                 "add it, or leave accelerations out of a log of poses at rest"};
  HEFT_CHECK(find(places.g, three("g")));
  HEFT_CHECK(find(places.R, rotation_names()));
  if (places.g < 0 && places.R < 0)
    return Error{source.where(), "does not say where down is",
                 "add gravity in the sensor's frame as gx,gy,gz, or the sensor's orientation as r11..r33 "
                 "(row-major, sensor "
                 "to world); where ax..az are what an accelerometer shows, add gx,gy,gz of zeros"};
  HEFT_CHECK(find(places.time, {"t"}, moves ? "a time" : ""));
  return places;
}

Eigen::Vector3d vector_at(const Table& table, Eigen::Index row, int place) {
  return table.rows.row(row).segment<3>(place).matrix().transpose();
}

Eigen::Matrix3d rotation_at(const Table& table, Eigen::Index row, int place) {
  Eigen::Matrix3d R;
  for (int k = 0; k < 9; ++k) R(k / 3, k % 3) = table.rows(row, place + k);
  return R;
}

/// Samples x columns, grown row by row.
struct Columns {
  Eigen::ArrayXd time;
  Eigen::ArrayXXd w, wd, a, u, g, wrench;
  Eigen::Index size = 0;

  explicit Columns(Eigen::Index n) : time(n), w(n, 3), wd(n, 3), a(n, 3), u(n, 3), g(n, 3), wrench(n, 6) {}

  void end() {
    time.conservativeResize(size);
    for (Eigen::ArrayXXd* columns : {&w, &wd, &a, &u, &g, &wrench})
      columns->conservativeResize(size, columns->cols());
  }
};

/// payload.gravity counts where the log has an orientation and no gx, gy, gz.
void doubt_unused_gravity(const Eigen::ArrayXXd& gravity, const SensorOptions& options,
                          std::vector<PayloadDoubt>& doubts) {
  const double logged = gravity.square().rowwise().sum().sqrt().mean();
  if (options.gravity == SensorOptions{}.gravity || std::abs(logged - options.gravity) < 1e-3) return;
  doubts.push_back({"gravity-unused", false,
                    "payload.gravity: " + number_text(options.gravity, 5) +
                        " is not used: the log has gx,gy,gz of " + number_text(logged, 5) + " m/s^2",
                    "scale gx,gy,gz, or log the orientation r11..r33 in their place"});
}

}  // namespace

Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOptions& options, PayloadLog& about) {
  HEFT_TRY(source, log.open({}));
  HEFT_TRY(places, find_places(*source));
  if (options.wrench_frame == WrenchFrame::base && places.R < 0)
    return Error{source->where(), "has no orientation, which a wrench in the base's frame needs",
                 "add r11..r33, or set payload.wrench_frame: sensor"};
  HEFT_TRY(table, payload::read_columns(*source, places.columns));
  const bool moves = places.w >= 0;
  const Eigen::Matrix3d M = options.mounting.linear();
  const Eigen::Vector3d p = options.mounting.translation();
  Columns columns(table.rows.rows());
  for (Eigen::Index row = 0; row < table.rows.rows(); ++row) {
    const bool has_time = places.time >= 0;
    const double time = has_time ? table.rows(row, places.time) : static_cast<double>(row);
    if (!std::isfinite(time) || !table.rows.row(row).allFinite()) continue;
    const std::string where = source->where(0, table.lines[static_cast<std::size_t>(row)]);
    if (moves && columns.size > 0 && !(time > columns.time[columns.size - 1])) {
      if (time == columns.time[columns.size - 1]) continue;  // repeated
      return Error{where, "time goes back",
                   "sort the rows, or give parts that were recorded apart as several logs"};
    }
    // R: sensor to world; the log's orientation is that of the frame in which the sensor is mounted
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    if (places.R >= 0) {
      R = rotation_at(table, row, places.R);
      if ((R * R.transpose() - Eigen::Matrix3d::Identity()).norm() > kRotation || R.determinant() < 0)
        return Error{
            where, "r11..r33 are no rotation",
            "write the rotation matrix row by row, sensor to world; a left-handed one has a sign wrong"};
      R = (R * M).eval();
    }
    const Eigen::Vector3d g = places.g >= 0 ? Eigen::Vector3d(M.transpose() * vector_at(table, row, places.g))
                                            : Eigen::Vector3d(-options.gravity * R.transpose().col(2));
    Eigen::Vector3d w = Eigen::Vector3d::Zero(), wd = w, a = w;
    if (moves) {
      w = vector_at(table, row, places.w);
      wd = vector_at(table, row, places.wd);
      a = vector_at(table, row, places.a) + wd.cross(p) + w.cross(w.cross(p));
      w = (M.transpose() * w).eval(), wd = (M.transpose() * wd).eval(), a = (M.transpose() * a).eval();
    }
    Eigen::Vector3d f = options.sign * vector_at(table, row, places.f);
    Eigen::Vector3d n = options.sign * vector_at(table, row, places.n);
    if (options.wrench_frame == WrenchFrame::base)
      f = (R.transpose() * f).eval(), n = (R.transpose() * n).eval();
    const Eigen::Index i = columns.size++;
    columns.time[i] = time;
    columns.w.row(i) = w.transpose(), columns.wd.row(i) = wd.transpose(), columns.g.row(i) = g.transpose();
    columns.a.row(i) = a.transpose(), columns.u.row(i) = (a - g).transpose();
    columns.wrench.row(i) << f.transpose().array(), n.transpose().array();
  }
  columns.end();
  about = {.path = log.name(),
           .sha256 = table.sha256,
           .num_rows = table.rows.rows(),
           .num_dropped = table.rows.rows() - columns.size};
  if (columns.size == 0)
    return Error{log.name(), "has no row without a missing number",
                 "record the log again, or name another file"};
  auto samples = moves ? make_wrench_samples(columns.time, columns.w, columns.wd, columns.u, columns.wrench)
                       : make_pose_samples(columns.g, columns.wrench);
  if (!samples) return Error{log.name(), samples.error().what, samples.error().remedy};
  about.doubts = payload::doubts_about_motion(*samples, {columns.w, columns.wd, columns.g, columns.a});
  if (!moves && places.time >= 0)
    for (PayloadDoubt& doubt : payload::doubts_about_rest(columns.time, columns.g))
      about.doubts.push_back(std::move(doubt));
  if (places.g >= 0) doubt_unused_gravity(columns.g, options, about.doubts);
  for (PayloadDoubt& doubt : about.doubts) doubt.log = log.name();
  if (moves)
    about.duration_s = columns.time[columns.size - 1] - columns.time[0], about.rate_hz = rate_of(*samples);
  return samples;
}

}  // namespace heft
