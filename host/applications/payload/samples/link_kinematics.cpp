#include "link_kinematics.hpp"

namespace heft::payload {

Result<LinkKinematics> LinkKinematics::make(const SensorOnLink& sensor,
                                            const SensorOptions& options) {
  HEFT_TRY(place, find_link(sensor.robot, sensor.link, "--sensor-link " + sensor.link));
  LinkKinematics kinematics;
  kinematics.robot_ = &sensor.robot;
  kinematics.options_ = &options;
  kinematics.place_ = place;
  kinematics.X_body_sensor_ = place.X_body_link * options.mounting;
  const double size = sensor.robot.gravity.norm();
  if (!sensor.robot.floating_base && options.gravity && size > 0)
    kinematics.scale_of_gravity_ = *options.gravity / size;
  return kinematics;
}

BodyMotion LinkKinematics::motion(const CoordinateMotion& state) const {
  BodyMotion motion = body_motion(*robot_, place_.body, X_body_sensor_, state);
  // u = a - g, with the robot's g
  motion.u += motion.X_base_body.linear().transpose() * robot_->gravity - gravity(motion);
  return motion;
}

Eigen::Vector3d LinkKinematics::gravity(const BodyMotion& motion) const {
  return scale_of_gravity_ * (motion.X_base_body.linear().transpose() * robot_->gravity);
}

Vector6d LinkKinematics::wrench(const BodyMotion& motion, const Vector6d& logged) const {
  Vector6d wrench = options_->sign * logged;
  if (options_->wrench_frame == WrenchFrame::base_origin)
    wrench.tail<3>() -= motion.X_base_body.translation().cross(wrench.head<3>());
  if (options_->wrench_frame != WrenchFrame::sensor) {
    const Eigen::Matrix3d R = motion.X_base_body.linear();
    wrench << R.transpose() * wrench.head<3>().eval(), R.transpose() * wrench.tail<3>().eval();
  }
  return wrench;
}

std::vector<Channel> wrench_channels(int body, const WrenchNames& names) {
  std::vector<Channel> channels;
  for (std::size_t k = 0; k < names.size(); ++k)
    channels.push_back(
        {.name = names[k], .unit = k < 3 ? "N" : "N m", .body = body, .is_sensor = true});
  return channels;
}

}  // namespace heft::payload
