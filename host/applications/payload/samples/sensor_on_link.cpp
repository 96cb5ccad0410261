#include "heft/payload/samples.hpp"

#include <algorithm>
#include <numeric>

#include "base/median.hpp"
#include "checks/channel_checks.hpp"
#include "conditioning/log_columns.hpp"
#include "heft/setup/setup.hpp"
#include "link_kinematics.hpp"
#include "model/poses.hpp"
#include "read_table.hpp"
#include "readers/log_table.hpp"
#include "sums/rows.hpp"

namespace heft {

namespace {

using payload::doubts_about_channels;
using payload::LinkKinematics;
using payload::wrench_channels;

constexpr double kPosesApart = 0.5;  // [s]: rows this far apart are a table of poses

/// Collects samples, segment after segment.
class Gathered {
 public:
  explicit Gathered(const LinkKinematics& kinematics) : kinematics_(kinematics) {}

  Result<Done> add(int segment, const Samples& block) {
    for (Eigen::Index i = 0; i < block.size(); ++i) {
      if (block.weight.rows() > 0 && (block.weight.row(i) == 0).any()) {  // a number of the wrench
                                                                          // is missing
        is_open_ = false;
        continue;
      }
      if (!is_open_ || segment != segment_) begins_.push_back(size());
      is_open_ = true, segment_ = segment;
      add(block, i);
    }
    return Done{};
  }

  WrenchSamples samples(bool has_gravity) const {
    const Eigen::Index n = size();
    WrenchSamples result;
    result.time = Eigen::Map<const Eigen::ArrayXd>(time_.data(), n);
    result.motion = table(motion_, WrenchSamples::kNumMotion);
    result.wrench = table(wrench_, 6);
    if (has_gravity) result.gravity = table(gravity_, 3);
    for (std::size_t k = 0; k < begins_.size(); ++k)
      result.segments.push_back(
          {begins_[k], (k + 1 < begins_.size() ? begins_[k + 1] : n) - begins_[k], 0});
    return result;
  }

  Eigen::Index size() const { return static_cast<Eigen::Index>(time_.size()); }

 private:
  static Eigen::ArrayXXd table(const std::vector<double>& numbers, int columns) {
    return Eigen::Map<const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        numbers.data(), static_cast<Eigen::Index>(numbers.size()) / columns, columns);
  }

  void add(const Samples& block, Eigen::Index i) {
    state_.position = block.position.row(i).transpose();
    state_.velocity = block.velocity.row(i).transpose();
    state_.acceleration = block.acceleration.row(i).transpose();
    if (block.base_motion.cols() > 0) state_.base_motion = block.base_motion.row(i).transpose();
    const BodyMotion m = kinematics_.motion(state_);
    const Vector6d logged = block.torque.row(i).transpose();
    const Vector6d wrench = kinematics_.wrench(m, logged);
    const Eigen::Vector3d g = kinematics_.gravity(m);
    const payload::MotionNumbers motion = payload::motion_numbers(m.w, m.wd, m.u);
    time_.push_back(block.time[i]);
    motion_.insert(motion_.end(), motion.begin(), motion.end());
    wrench_.insert(wrench_.end(), wrench.begin(), wrench.end());
    gravity_.insert(gravity_.end(), g.begin(), g.end());
  }

  const LinkKinematics& kinematics_;
  CoordinateMotion state_;
  std::vector<double> time_, motion_, wrench_, gravity_;  ///< row by row
  std::vector<Eigen::Index> begins_;
  int segment_ = 0;
  bool is_open_ = false;
};

/// The logged sensor data, samples x 6, before filtering; incomplete rows are dropped.
Result<Eigen::ArrayXXd> logged_wrench(const Log& log, const SensorOnLink& sensor,
                                      const std::vector<Channel>& channels) {
  HEFT_TRY(opened, open_table(log, sensor.format, 0));
  Source& source = *opened.source;
  LogFormat format = sensor.format;
  format.torque = {"{joint}"};
  HEFT_TRY(found, find_log_columns(opened.columns(), sensor.robot, channels, format,
                                   sensor.conditioning, {}, source.where()));
  std::vector<int> wanted;
  for (const int k : found.torque)
    wanted.push_back(found.values[static_cast<std::size_t>(k)].column);
  HEFT_TRY(table, payload::read_columns(source, wanted));
  Eigen::ArrayXXd wrench(table.rows.rows(), 6);
  Eigen::Index size = 0;
  for (Eigen::Index row = 0; row < table.rows.rows(); ++row)
    if (table.rows.row(row).allFinite()) wrench.row(size++) = table.rows.row(row);
  return Eigen::ArrayXXd(wrench.topRows(size));
}

/// Treats every row as a pose: no smoothing, no motion.
Result<WrenchSamples> read_poses(LogTable& opened, const SensorOnLink& sensor,
                                 const LinkKinematics& kinematics,
                                 const std::vector<Channel>& channels, PayloadLog& about) {
  Source& source = *opened.source;
  ColumnGroup table = opened.columns();
  table.clock = std::max(table.clock, 0);  // poses need no time
  ConditioningOptions conditioning = sensor.conditioning;
  conditioning.velocity = VelocitySource::from_position;
  LogFormat format = sensor.format;
  format.torque = {"{joint}"};
  HEFT_TRY(found, find_log_columns(table, sensor.robot, channels, format, conditioning, {},
                                   source.where()));
  std::vector<int> wanted;
  for (const LogColumns::Value& value : found.values) wanted.push_back(value.column);
  HEFT_TRY(rows, payload::read_columns(source, wanted));
  const int num_coordinates = sensor.robot.num_coordinates();
  CoordinateMotion state{Eigen::VectorXd::Zero(num_coordinates),
                         Eigen::VectorXd::Zero(num_coordinates),
                         Eigen::VectorXd::Zero(num_coordinates)};
  Eigen::ArrayXXd gravity(rows.rows.rows(), 3), wrench(rows.rows.rows(), 6),
      logged(rows.rows.rows(), 6);
  Eigen::Index size = 0;
  for (Eigen::Index row = 0; row < rows.rows.rows(); ++row) {
    if (!rows.rows.row(row).allFinite()) continue;
    const auto value = [&](int k) {
      const LogColumns::Value& v = found.values[static_cast<std::size_t>(k)];
      return v.scale * rows.rows(row, k) - v.offset;
    };
    for (int k = 0; k < num_coordinates; ++k) state.position[k] = value(found.first_position + k);
    for (int c = 0; c < 6; ++c) logged(size, c) = value(found.torque[static_cast<std::size_t>(c)]);
    const BodyMotion motion = kinematics.motion(state);
    gravity.row(size) = -motion.u.transpose();
    wrench.row(size) = kinematics.wrench(motion, logged.row(size).matrix().transpose()).transpose();
    ++size;
  }
  about.sha256 = rows.sha256;
  about.num_rows = rows.rows.rows(), about.num_dropped = rows.rows.rows() - size;
  if (size == 0)
    return Error{source.name(), "has no complete row",
                 "record the log again, or name another file"};
  about.doubts = doubts_about_channels(logged.topRows(size));
  return make_pose_samples(gravity.topRows(size), wrench.topRows(size));
}

struct Overview {
  payload::WrenchNames wrench;
  bool holds_poses = true;  ///< rows without time, or too far apart, are poses
};

Result<Overview> overview_of(const Log& log, const SensorOnLink& sensor,
                             const SensorOptions& options) {
  HEFT_TRY(opened, open_table(log, sensor.format, 0));
  Overview overview;
  HEFT_TRY(names, payload::wrench_names(opened.columns().columns, options, opened.source->where()));
  overview.wrench = names;
  const int clock = opened.columns().clock;
  if (clock < 0) return overview;
  HEFT_TRY(times, payload::read_columns(*opened.source, {clock}));
  overview.holds_poses = times.rows.rows() < 2 ||
                         sensor.format.time_scale * median_step(times.rows.col(0)) >= kPosesApart;
  return overview;
}

}  // namespace

Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOnLink& sensor,
                                      const SensorOptions& options, PayloadLog& about) {
  HEFT_TRY(kinematics, LinkKinematics::make(sensor, options));
  HEFT_TRY(overview, overview_of(log, sensor, options));
  const std::vector<Channel> channels = wrench_channels(kinematics.place().body, overview.wrench);
  about = {.path = log.name(), .wrench = overview.wrench};
  if (overview.holds_poses && !sensor.robot.floating_base) {
    HEFT_TRY(opened, open_table(log, sensor.format, 0));
    auto poses = read_poses(opened, sensor, kinematics, channels, about);
    for (PayloadDoubt& doubt : about.doubts) doubt.log = log.name();
    return poses;
  }
  LogFormat format = sensor.format;
  format.torque = {"{joint}"};
  Gathered gathered(kinematics);
  DerivedSignals derived;
  HEFT_TRY(X_root_frame, base_frame_pose(sensor.robot, sensor.conditioning.base));
  derived.X_root_frame = X_root_frame;
  HEFT_TRY(summary,
           condition_log(
               log, {sensor.robot, channels, format, sensor.conditioning, derived},
               [&](int segment, const Samples& block) { return gathered.add(segment, block); }));
  about.sha256 = summary.sha256;
  about.num_rows = summary.num_rows;
  for (const char* reason : {"not a number", "repeated time stamp"})
    if (const auto rows = summary.dropped.find(reason); rows != summary.dropped.end())
      about.num_dropped += rows->second / static_cast<std::int64_t>(channels.size());
  about.duration_s = summary.duration_s, about.rate_hz = 1 / summary.sample_period_s;
  if (gathered.size() == 0)
    return Error{log.name(), "has no sample with a complete wrench", "check the columns fx..nz"};
  HEFT_TRY(logged, logged_wrench(log, sensor, channels));
  about.doubts = doubts_about_channels(logged);
  for (PayloadDoubt& doubt : about.doubts) doubt.log = log.name();
  return gathered.samples(!sensor.robot.floating_base);
}

}  // namespace heft
