#include "base_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/random_stream.hpp"
#include "model/wrench_row.hpp"

namespace heft {

namespace {

constexpr std::uint64_t kOfRobot = 0x9e3779b97f4a7c15, kOfLog = 0xd1b54a32d192ed03;

std::vector<std::string> names_or(const std::vector<std::string>& given, const char* prefix) {
  if (!given.empty()) return given;
  std::vector<std::string> names;
  for (const char axis : {'x', 'y', 'z'}) names.push_back(std::string(prefix) + axis);
  return names;
}

/// Sensors of one robot, whose constant errors do not depend on the log.
class Sensors {
 public:
  Sensors(const SimulatedTruth& truth, const SimulateOptions& options,
          const std::vector<SimulatedFoot>& feet, const FloatingMotion& motion)
      : plan_(*truth.plan),
        base_(options.base),
        feet_(feet),
        motion_(motion),
        of_robot_(options.seed ^ kOfRobot),
        of_log_(options.seed ^ (options.trajectory_seed << 32) ^ kOfLog) {}

  Result<std::vector<NamedColumn>> read() {
    HEFT_TRY(X_root_frame, base_frame_pose(plan_.robot, base_.sensors));
    if (base_.sensors.source == BaseMeasurement::imu) add_imu(X_root_frame);
    HEFT_CHECK(add_pose(X_root_frame));
    for (const WrenchSpec& wrench : base_.wrenches) HEFT_CHECK(add_wrench(wrench));
    for (const ContactSpec& contact : base_.contacts) HEFT_CHECK(add_contact(contact));
    return std::move(columns_);
  }

 private:
  Eigen::Index size() const { return motion_.samples.size(); }

  Eigen::Vector3d normal3(RandomStream& random) {
    Eigen::Vector3d v;
    for (double& x : v) x = random.normal();
    return v;
  }

  void add(const std::vector<std::string>& names, const Eigen::MatrixXd& values) {
    for (Eigen::Index k = 0; k < values.cols(); ++k)
      columns_.push_back({names[static_cast<std::size_t>(k)], values.col(k).array()});
  }

  void add_imu(const Eigen::Isometry3d& X_root_frame) {
    const Eigen::Vector3d axis = normal3(of_robot_).normalized();
    const Eigen::Matrix3d R_imu_root =
        (X_root_frame.linear() *
         Eigen::AngleAxisd(base_.imu_rotation * std::numbers::pi / 180, axis))
            .transpose();
    const Eigen::Vector3d place = X_root_frame.translation();
    const Eigen::Vector3d gyro_bias = base_.gyro_bias * normal3(of_robot_);
    const Eigen::Vector3d accel_bias = base_.accel_bias * normal3(of_robot_);
    Eigen::MatrixXd gyro(size(), 3), accel(size(), 3);
    for (Eigen::Index i = 0; i < size(); ++i) {
      const auto row = motion_.samples.base_motion.row(i);
      const Eigen::Vector3d w = row.segment<3>(0).transpose(), wd = row.segment<3>(3).transpose(),
                            u = row.segment<3>(6).transpose();
      const Eigen::Vector3d at_imu = u + wd.cross(place) + w.cross(w.cross(place));
      gyro.row(i) = R_imu_root * w + gyro_bias + base_.gyro_noise * normal3(of_log_);
      accel.row(i) = R_imu_root * at_imu + accel_bias + base_.accel_noise * normal3(of_log_);
    }
    add(names_or(base_.sensors.gyro, "base_w"), gyro);
    add(names_or(base_.sensors.accel, "base_f"), accel);
  }

  Result<Done> add_pose(const Eigen::Isometry3d& X_root_frame) {
    const BaseSource& sensors = base_.sensors;
    if (sensors.source == BaseMeasurement::imu && sensors.pose.empty()) return Done{};
    if (sensors.pose.size() != 7)
      return Error{"base.pose", fmt::format("names {} columns", sensors.pose.size()),
                   "name seven: x, y, z and the quaternion"};
    if (sensors.quaternion == PoseQuaternion::unstated)
      return Error{"base.quaternion", "is not stated", "give xyzw or wxyz"};
    Eigen::MatrixXd pose(size(), 7);
    for (Eigen::Index i = 0; i < size(); ++i) {
      const Eigen::Vector3d turn = base_.orientation_noise * normal3(of_log_);
      const double angle = std::max(turn.norm(), 1e-300);
      const Eigen::Quaterniond root(motion_.pose(i, 6), motion_.pose(i, 3), motion_.pose(i, 4),
                                    motion_.pose(i, 5));
      const Eigen::Quaterniond frame =
          Eigen::AngleAxisd(angle, turn / angle) * root * Eigen::Quaterniond(X_root_frame.linear());
      const Eigen::Vector3d place = motion_.pose.row(i).head<3>().transpose().matrix() +
                                    root * X_root_frame.translation() +
                                    base_.pose_noise * normal3(of_log_);
      pose.row(i) << place.transpose(), frame.coeffs().transpose();
    }
    std::vector<std::string> names = sensors.pose;
    if (sensors.quaternion == PoseQuaternion::wxyz)
      std::rotate(names.begin() + 3, names.begin() + 4, names.end());
    add(names, pose);
    return Done{};
  }

  std::size_t foot_of(const std::string& frame) const {
    const auto found = std::ranges::find(feet_, frame, &SimulatedFoot::frame);
    return static_cast<std::size_t>(found - feet_.begin());
  }

  Result<Done> add_wrench(const WrenchSpec& wrench) {
    const std::size_t foot = foot_of(wrench.frame);
    Eigen::MatrixXd values = wrench.sign * motion_.wrenches[foot].matrix();
    if (wrench.expressed_in == WrenchAxes::world)
      for (Eigen::Index i = 0; i < size(); ++i) {
        const Eigen::Matrix3d R = world_from_frame(foot, i);
        values.row(i) << (R * values.row(i).head<3>().transpose()).transpose(),
            (R * values.row(i).tail<3>().transpose()).transpose();
      }
    const auto count = static_cast<Eigen::Index>(wrench.columns.size());
    if (count != 3 && count != 6)
      return Error{"wrenches: " + wrench.name, fmt::format("names {} columns", count),
                   "name 3 (force) or 6 (force and torque) columns"};
    constexpr double kLength = 0.03;  // torque bias per force bias [m]
    for (Eigen::Index k = 0; k < 6; ++k) {
      const double noise =
          base_.wrench_noise * std::sqrt(values.col(k).squaredNorm() / static_cast<double>(size()));
      const double bias = (k < 3 ? 1 : kLength) * base_.wrench_bias * of_robot_.normal();
      for (double& value : values.col(k)) value += bias + noise * of_log_.normal();
    }
    add(wrench.columns, values.leftCols(count));
    return Done{};
  }

  Eigen::Matrix3d world_from_frame(std::size_t foot, Eigen::Index row) const {
    const Eigen::Quaterniond root(motion_.pose(row, 6), motion_.pose(row, 3), motion_.pose(row, 4),
                                  motion_.pose(row, 5));
    const FrameRows frame = frame_rows(plan_, feet_[foot].place.body, feet_[foot].place.X_body_link,
                                       motion_.samples.position.row(row).transpose().matrix());
    return root.toRotationMatrix() * frame.X_base_frame.linear();
  }

  /// Flags, or forces in the axes of the foot. With fewer than three columns, the last one is the
  /// norm of all remaining components.
  Result<Done> add_contact(const ContactSpec& contact) {
    const std::size_t foot = foot_of(contact.frame);
    if (!contact.state.column.empty()) {
      Eigen::ArrayXd flag(size());
      for (Eigen::Index i = 0; i < size(); ++i)
        flag[i] = motion_.loads(late(i), static_cast<Eigen::Index>(foot)) > 0 ? 1 : 0;
      columns_.push_back({contact.state.column, flag});
      return Done{};
    }
    const std::vector<std::string>& names = contact.state.force;
    const auto is_written = [&](const std::string& name) {
      return std::ranges::find(columns_, name, &NamedColumn::name) != columns_.end();
    };
    if (names.empty() || std::ranges::all_of(names, is_written)) return Done{};
    Eigen::MatrixXd force(size(), 3);
    for (Eigen::Index i = 0; i < size(); ++i)
      force.row(i) = motion_.wrenches[foot].row(late(i)).head<3>();
    const auto last = static_cast<Eigen::Index>(names.size()) - 1;
    if (last < 2) force.col(last) = force.rightCols(3 - last).rowwise().norm().eval();
    add(names, force.leftCols(last + 1));
    return Done{};
  }

  /// Returns the row whose contacts are logged in `row`, earlier by the delay.
  Eigen::Index late(Eigen::Index row) const {
    const double period = size() > 1 ? motion_.samples.time[1] - motion_.samples.time[0] : 1;
    const auto rows = static_cast<Eigen::Index>(std::lround(base_.contact_delay_s / period));
    return std::max<Eigen::Index>(0, row - rows);
  }

  const RegressorPlan& plan_;
  const SimulatedBase& base_;
  const std::vector<SimulatedFoot>& feet_;
  const FloatingMotion& motion_;
  RandomStream of_robot_, of_log_;
  std::vector<NamedColumn> columns_;
};

}  // namespace

Result<std::vector<NamedColumn>> base_columns(const SimulatedTruth& truth,
                                              const SimulateOptions& options,
                                              const std::vector<SimulatedFoot>& feet,
                                              const FloatingMotion& motion) {
  HEFT_TRY(columns, Sensors(truth, options, feet, motion).read());
  std::set<std::string> known = {"t"};
  for (const Coordinate& joint : truth.plan->robot.coordinates) known.insert("q_" + joint.name);
  for (const Channel& channel : truth.plan->channels) known.insert("tau_" + channel.name);
  for (const NamedColumn& column : columns)
    if (!known.insert(column.name).second)
      return Error{"column '" + column.name + "'", "is named for two quantities",
                   "rename one of them in base, wrenches or contacts"};
  return columns;
}

}  // namespace heft
