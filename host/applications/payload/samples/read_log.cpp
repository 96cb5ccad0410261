// Reads a log of a force-torque sensor and converts it to the sensor's frame and the sign of
// samples.hpp.
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "checks/channel_checks.hpp"
#include "checks/motion_checks.hpp"
#include "heft/payload/samples.hpp"
#include "plan/sphere.hpp"
#include "read_table.hpp"
#include "readers/log_table.hpp"
#include "wrench_columns.hpp"

namespace heft {

namespace {

/// Samples x columns, grown row by row.
struct Columns {
  Eigen::ArrayXd time;
  Eigen::ArrayXXd w, wd, a, u, g, wrench;
  Eigen::ArrayXXd logged;  ///< the wrench as the log has it
  Eigen::Index size = 0;

  explicit Columns(Eigen::Index n)
      : time(n), w(n, 3), wd(n, 3), a(n, 3), u(n, 3), g(n, 3), wrench(n, 6), logged(n, 6) {}

  void end() {
    time.conservativeResize(size);
    for (Eigen::ArrayXXd* columns : {&w, &wd, &a, &u, &g, &wrench, &logged})
      columns->conservativeResize(size, columns->cols());
  }
};

/// payload.gravity applies only if the log has an orientation and no gx, gy, gz.
void doubt_unused_gravity(const Eigen::ArrayXXd& gravity, const SensorOptions& options,
                          std::vector<PayloadDoubt>& doubts) {
  const double logged = gravity.square().rowwise().sum().sqrt().mean();
  if (!options.gravity || std::abs(logged - *options.gravity) < 1e-3) return;
  doubts.push_back({"gravity-unused", false,
                    "payload.gravity: " + number_text(*options.gravity, 5) +
                        " is not used: the log has gx,gy,gz with a size of " +
                        number_text(logged, 5) + " m/s^2",
                    "scale gx,gy,gz, or log the orientation r11..r33 instead"});
}

}  // namespace

Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOptions& options,
                                      PayloadLog& about) {
  HEFT_TRY(opened, open_table(log, {}, 0));
  const SourcePtr& source = opened.source;
  HEFT_TRY(places,
           payload::find_wrench_columns(opened.columns().columns, options, source->where()));
  HEFT_TRY(table, payload::read_columns(*source, places.columns));
  const bool moves = places.moves();
  Columns columns(table.rows.rows());
  std::vector<double> values(places.columns.size());
  for (Eigen::Index row = 0; row < table.rows.rows(); ++row) {
    if (!table.rows.row(row).allFinite()) continue;
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = table.rows(row, static_cast<Eigen::Index>(k));
    const double time =
        places.time >= 0 ? values[static_cast<std::size_t>(places.time)] : static_cast<double>(row);
    const std::string where = source->where(0, table.lines[static_cast<std::size_t>(row)]);
    if (moves && columns.size > 0 && !(time > columns.time[columns.size - 1])) {
      if (time == columns.time[columns.size - 1]) continue;  // repeated
      return Error{where, "time decreases",
                   "sort the rows, or give separate recordings as separate logs"};
    }
    const auto read = payload::wrench_row(places, values.data(), options);
    if (!read) return Error{where, read.error().what, read.error().remedy};
    const Eigen::Index i = columns.size++;
    columns.time[i] = time;
    columns.w.row(i) = read->w.transpose(), columns.wd.row(i) = read->wd.transpose();
    columns.a.row(i) = read->a.transpose(), columns.g.row(i) = read->g.transpose();
    columns.u.row(i) = (read->a - read->g).transpose();
    columns.wrench.row(i) << read->force.transpose().array(), read->torque.transpose().array();
    columns.logged.row(i) = payload::logged_wrench(places, values.data()).transpose();
  }
  columns.end();
  about = {.path = log.name(),
           .sha256 = table.sha256,
           .num_rows = table.rows.rows(),
           .num_dropped = table.rows.rows() - columns.size,
           .wrench = places.wrench,
           .rotation = places.q >= 0        ? LoggedRotation::quaternion
                       : places.uses_matrix ? LoggedRotation::matrix
                                            : LoggedRotation::none};
  if (columns.size == 0)
    return Error{log.name(), "has no complete row", "record the log again, or name another file"};
  auto samples =
      moves ? make_wrench_samples(columns.time, columns.w, columns.wd, columns.u, columns.wrench)
      : places.has_orientation()
          ? make_pose_samples(columns.g, columns.wrench)
          : payload::poses_by_force(columns.wrench, options.gravity.value_or(kUsualGravity));
  if (!samples) return Error{log.name(), samples.error().what, samples.error().remedy};
  if (!moves && places.time >= 0) samples->logged_time = columns.time;
  // zeros: ax, ay, az are accelerometer readings, which include gravity
  if (moves && columns.g.square().rowwise().sum().minCoeff() > 0) samples->gravity = columns.g;
  about.doubts =
      payload::doubts_about_motion(*samples, {columns.w, columns.wd, columns.g, columns.a});
  if (!moves && places.time >= 0 && places.has_orientation())
    for (PayloadDoubt& doubt : payload::doubts_about_rest(columns.time, columns.g))
      about.doubts.push_back(std::move(doubt));
  if (places.g >= 0) doubt_unused_gravity(columns.g, options, about.doubts);
  for (PayloadDoubt& doubt : payload::doubts_about_channels(columns.logged))
    about.doubts.push_back(std::move(doubt));
  for (PayloadDoubt& doubt : about.doubts) doubt.log = log.name();
  if (moves)
    about.duration_s = columns.time[columns.size - 1] - columns.time[0],
    about.rate_hz = rate_of(*samples);
  return samples;
}

}  // namespace heft
