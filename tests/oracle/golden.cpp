#include "tests/oracle/golden.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace heft::oracle {

std::optional<std::filesystem::path> golden_directory() {
  const char* named = std::getenv("HEFT_GOLDEN");
#ifdef HEFT_GOLDEN_DEFAULT
  if (named == nullptr) named = HEFT_GOLDEN_DEFAULT;
#endif
  if (named == nullptr || !std::filesystem::is_directory(std::filesystem::path(named) / "dynamics"))
    return {};
  return std::filesystem::path(named);
}

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return nlohmann::json::parse(stream);
}

Eigen::VectorXd vector_from(const nlohmann::json& numbers) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(numbers.size()));
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = numbers.at(i).get<double>();
  return v;
}

Eigen::MatrixXd matrix_from(const nlohmann::json& rows) {
  Eigen::MatrixXd m(static_cast<Eigen::Index>(rows.size()),
                    static_cast<Eigen::Index>(rows.at(0).size()));
  for (Eigen::Index i = 0; i < m.rows(); ++i) m.row(i) = vector_from(rows.at(i)).transpose();
  return m;
}

std::vector<std::string> golden_dynamics_names(const std::filesystem::path& golden) {
  std::vector<std::string> names;
  for (const nlohmann::json& entry : read_json(golden / "dynamics" / "index.json"))
    names.push_back(entry.at("name").get<std::string>());
  return names;
}

Robot golden_dynamics_robot(const nlohmann::json& file) {
  Robot robot;
  robot.name = file.at("name").get<std::string>();
  robot.floating_base = file.at("floating_base").get<bool>();
  robot.gravity = vector_from(file.at("gravity"));
  const auto names = file.at("joint_names").get<std::vector<std::string>>();
  const auto index_of = [&](const nlohmann::json& name) {
    if (name.is_null()) return -1;
    const auto found = std::find(names.begin(), names.end(), name.get<std::string>());
    if (found == names.end())
      throw std::runtime_error(robot.name + ": no joint " + name.get<std::string>());
    return static_cast<int>(found - names.begin());
  };
  for (std::size_t j = 0; j < names.size(); ++j) {
    Body body;
    body.name = names[j];
    body.parent = index_of(file.at("parent_joint").at(j));
    body.X_parent_body.linear() =
        vector_from(file.at("placement_rotation").at(j)).reshaped<Eigen::RowMajor>(3, 3);
    body.X_parent_body.translation() = vector_from(file.at("placement_translation").at(j));
    body.prior = vector_from(file.at("parameters").at(names[j]));

    // Pinocchio's short names: R revolute, RU revolute unbounded (continuous), P prismatic
    const std::string type = file.at("joint_type").at(j).get<std::string>();
    if (type == "FreeFlyer") {
      body.type = JointType::rigid;
    } else {
      body.type = type.front() == 'P' ? JointType::prismatic : JointType::revolute;
      body.joint = names[j];
      body.axis = vector_from(file.at("joint_axis").at(j));
      body.coordinate = robot.num_coordinates();
      Coordinate coordinate;
      coordinate.name = names[j];
      coordinate.is_angle = body.type == JointType::revolute;
      const int row = file.at("idx_v").at(j).get<int>();
      coordinate.damping = file.at("damping").at(row).get<double>();
      coordinate.friction = file.at("friction").at(row).get<double>();
      robot.coordinates.push_back(coordinate);
    }
    robot.bodies.push_back(body);
  }
  return robot;
}

Motion golden_dynamics_motion(const Robot& robot, const nlohmann::json& state) {
  Eigen::VectorXd q(robot.num_coordinates());
  int k = 0;
  for (const nlohmann::json& position : state.at("joint_position"))
    if (!position.is_null()) q[k++] = position.get<double>();
  const Eigen::VectorXd qd = vector_from(state.at("qd")), qdd = vector_from(state.at("qdd"));
  Motion motion = motion_on_standing_base(robot, q, qd.tail(q.size()), qdd.tail(q.size()));
  if (robot.floating_base) {
    const Eigen::Vector4d xyzw = vector_from(state.at("q")).segment<4>(3);
    const Eigen::Matrix3d R = Eigen::Quaterniond(xyzw).toRotationMatrix();
    const Eigen::Vector3d v = qd.head<3>(), w = qd.segment<3>(3), vd = qdd.head<3>();
    motion.base_angular_velocity = w;
    motion.base_angular_acceleration = qdd.segment<3>(3);
    motion.base_specific_force = vd + w.cross(v) - R.transpose() * robot.gravity;
  }
  return motion;
}

GoldenRobot load_golden_dynamics(const std::filesystem::path& golden, const std::string& name) {
  const nlohmann::json file = read_json(golden / "dynamics" / (name + ".json"));
  GoldenRobot loaded;
  loaded.robot = golden_dynamics_robot(file);
  loaded.urdf = golden / "dynamics" / file.at("urdf").get<std::string>();
  for (const nlohmann::json& state : file.at("states"))
    loaded.states.push_back({state.at("kind").get<std::string>(),
                             golden_dynamics_motion(loaded.robot, state),
                             vector_from(state.at("tau")),
                             {}});
  for (const nlohmann::json& regressor : file.at("regressors"))
    loaded.states.at(regressor.at("state").get<std::size_t>()).Y = matrix_from(regressor.at("Y"));
  return loaded;
}

}  // namespace heft::oracle
