#include "tests/oracle/point_mass_lagrangian.hpp"

namespace heft::oracle {

std::vector<PointMass> point_masses(const BodyParameters& parameters) {
  const Eigen::Matrix<Real, 10, 1> pi = parameters.cast<Real>();
  const Vector3r h(pi[1], pi[2], pi[3]);
  Matrix3r tensor;  // Heft's order: Ixx, Ixy, Iyy, Ixz, Iyz, Izz
  tensor << pi[4], pi[5], pi[7], pi[5], pi[6], pi[8], pi[7], pi[8], pi[9];
  const Matrix3r sigma = tensor.trace() / 2 * Matrix3r::Identity() - tensor;

  std::vector<PointMass> cloud;
  Vector3r shared = Vector3r::Zero();
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 3; ++j) {
      cloud.push_back({sigma(i, j), Vector3r::Unit(i) + Vector3r::Unit(j)});
      shared[i] += sigma(i, j);
      shared[j] += sigma(i, j);
    }
  for (int i = 0; i < 3; ++i) {
    const Real sum = sigma(i, i) - shared[i], difference = h[i] - shared[i];
    cloud.push_back({(sum + difference) / 2, Vector3r::Unit(i)});
    cloud.push_back({(sum - difference) / 2, -Vector3r::Unit(i)});
  }
  Real at_origin = pi[0];
  for (const PointMass& point : cloud) at_origin -= point.mass;
  cloud.push_back({at_origin, Vector3r::Zero()});
  return cloud;
}

Matrix3j rotation(const Vector3r& axis, const Jet& angle) {
  Matrix3r cross;
  cross << 0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0;
  const Matrix3r cross2 = cross * cross;
  return Matrix3j::Identity() + cross.cast<Jet>() * sin(angle) +
         cross2.cast<Jet>() * (Jet(1) - cos(angle));
}

JetPose base_path(const Robot& robot, const Motion& motion) {
  const auto skew = [](const Eigen::Vector3d& v) {
    Matrix3r cross;
    cross << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
    return cross;
  };
  const Jet t = Jet::monomial(0, 1), half_t2 = Jet(0.5L) * Jet::monomial(0, 2);
  const Matrix3r w = skew(motion.base_angular_velocity),
                 wd = skew(motion.base_angular_acceleration);
  const Matrix3r second = wd + w * w;
  const Vector3r acceleration =
      motion.base_specific_force.cast<Real>() + robot.gravity.cast<Real>();
  return {Matrix3j::Identity() + w.cast<Jet>() * t + second.cast<Jet>() * half_t2,
          acceleration.cast<Jet>() * half_t2};
}

std::vector<JetPose> body_paths(const Robot& robot, const Motion& motion,
                                const std::vector<Jet>& variation) {
  const JetPose base = base_path(robot, motion);
  std::vector<JetPose> paths;
  for (const Body& body : robot.bodies) {
    const JetPose& parent = body.parent < 0 ? base : paths[body.parent];
    const Vector3r placement = body.X_parent_body.translation().cast<Real>();
    const Vector3r axis = exact_direction(body.axis);
    JetPose path{parent.R * exact_rotation(body.X_parent_body.linear()).cast<Jet>(),
                 parent.p + parent.R * placement.cast<Jet>()};

    if (body.type != JointType::rigid) {
      const int k = body.coordinate;
      const Jet coordinate = Jet(motion.q[k]) + Jet(motion.qd[k]) * Jet::monomial(0, 1) +
                             Jet(0.5L * motion.qdd[k]) * Jet::monomial(0, 2) + variation[k];
      const Jet joint = Jet(body.ratio) * coordinate + Jet(body.offset);
      const bool turns = body.type != JointType::prismatic;
      const Jet angle = turns ? joint : Jet(0);
      const Jet slide = body.type == JointType::prismatic ? joint
                        : body.type == JointType::helical ? Jet(body.pitch) * joint
                                                          : Jet(0);
      path.p += path.R * (axis.cast<Jet>() * slide);
      path.R = path.R * rotation(axis, angle);
    }
    paths.push_back(path);
  }
  return paths;
}

std::vector<CarriedPoint> all_point_masses(const Robot& robot) {
  std::vector<CarriedPoint> points;
  for (int j = 0; j < robot.num_bodies(); ++j) {
    if (!robot.bodies[j].has_parameters) continue;
    for (const PointMass& point : point_masses(robot.bodies[j].prior)) points.push_back({j, point});
  }
  return points;
}

Vector3j path_of(const CarriedPoint& carried, const std::vector<JetPose>& paths) {
  const JetPose& body = paths[carried.body];
  return body.R * carried.point.position.cast<Jet>() + body.p;
}

Jet lagrangian(const Robot& robot, const Motion& motion, const std::vector<CarriedPoint>& points,
               const std::vector<Jet>& variation) {
  const std::vector<JetPose> paths = body_paths(robot, motion, variation);
  Jet sum;
  for (const CarriedPoint& carried : points) {
    const Vector3j x = path_of(carried, paths);
    for (int i = 0; i < 3; ++i) {
      const Jet velocity = time_derivative(x[i]);
      sum += Jet(carried.point.mass) *
             (Jet(0.5L) * velocity * velocity + Jet(robot.gravity[i]) * x[i]);
    }
  }
  return sum;
}

Eigen::Matrix<double, 6, 1> point_mass_wrench(const Robot& robot, const Motion& motion, int body) {
  const std::vector<Jet> unvaried(robot.coordinates.size());
  const std::vector<JetPose> paths = body_paths(robot, motion, unvaried);
  const auto at_start = [](const Jet& jet) { return jet.c[0][0]; };
  const auto second_derivative = [](const Jet& jet) { return 2 * jet.c[0][2]; };

  const Matrix3r R = paths[body].R.unaryExpr(at_start);
  const Vector3r origin = paths[body].p.unaryExpr(at_start);
  Vector3r force = Vector3r::Zero(), torque = Vector3r::Zero();
  for (const CarriedPoint& carried : all_point_masses(robot)) {
    if (!is_outward(robot, carried.body, body)) continue;
    const Vector3j x = path_of(carried, paths);
    const Vector3r position = x.unaryExpr(at_start), acceleration = x.unaryExpr(second_derivative);
    const Vector3r f = carried.point.mass * (acceleration - robot.gravity.cast<Real>());
    force += f;
    torque += (position - origin).cross(f);
  }
  Eigen::Matrix<double, 6, 1> wrench;
  wrench << (R.transpose() * force).cast<double>(), (R.transpose() * torque).cast<double>();
  return wrench;
}

Eigen::VectorXd point_mass_torques(const Robot& robot, const Motion& motion) {
  const int first = num_base_channels(robot);
  const std::vector<CarriedPoint> points = all_point_masses(robot);
  Eigen::VectorXd tau(num_channels(robot));
  if (robot.floating_base) tau.head<6>() = point_mass_wrench(robot, motion, 0);
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const auto varied = [&](const Jet& h) {
      std::vector<Jet> variation(robot.coordinates.size());
      variation[k] = Jet::monomial(1, 0) * h;
      return lagrangian(robot, motion, points, variation);
    };
    const Jet growing = varied(Jet::monomial(0, 1)), constant = varied(Jet(1));
    tau[first + k] = static_cast<double>(growing.c[1][1] - 2 * constant.c[1][0]);
  }
  return tau;
}

}  // namespace heft::oracle
