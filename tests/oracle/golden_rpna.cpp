#include "tests/oracle/golden_rpna.hpp"

namespace heft::oracle {

Eigen::Isometry3d rpna_placement(const nlohmann::json& frame) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = matrix_from(frame.at("E")).transpose();
  X.translation() = vector_from(frame.at("p"));
  return X;
}

BodyParameters rpna_rotor_parameters(const Eigen::Vector4d& rotor, const Eigen::Vector3d& axis) {
  const Eigen::Matrix3d axial = axis * axis.transpose();
  const Eigen::Matrix3d I = rotor[2] * (Eigen::Matrix3d::Identity() - axial) + rotor[3] * axial;
  BodyParameters pi;
  pi << rotor[0], rotor[1] * axis, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
  return pi;
}

Robot rpna_robot(const nlohmann::json& file, bool with_rotors) {
  const nlohmann::json& torques = file.at("torque_samples");
  Robot robot;
  robot.name = file.at("robot").get<std::string>();
  robot.gravity = vector_from(torques.at("gravity"));
  std::vector<int> body_of_link{-1};
  for (const nlohmann::json& joint : file.at("model").at("joints")) {
    const int k = robot.num_coordinates();
    Body link;
    link.name = "link" + std::to_string(k + 1);
    link.joint = joint.at("name").get<std::string>();
    link.parent = body_of_link.at(joint.at("parent").get<std::size_t>());
    link.type = joint.at("type").get<std::string>() == "prismatic" ? JointType::prismatic
                                                                   : JointType::revolute;
    link.X_parent_body = rpna_placement(joint);
    link.axis = vector_from(joint.at("axis"));
    link.coordinate = k;
    const Eigen::VectorXd pi = vector_from(torques.at("pi_links").at(k));
    for (int i = 0; i < 10; ++i) link.prior[i] = pi[kRpnaOrder[i]];

    if (with_rotors) {
      const nlohmann::json& motor = joint.at("rotor");
      Body rotor;
      rotor.name = "rotor_" + link.joint;
      rotor.joint = link.joint;
      rotor.parent = body_of_link.at(motor.at("parent_link").get<std::size_t>());
      rotor.X_parent_body = rpna_placement(motor);
      rotor.axis = vector_from(motor.at("axis"));
      rotor.coordinate = k;
      rotor.ratio = motor.at("gear_ratio").get<double>();
      rotor.is_rotor = rotor.symmetric = true;
      rotor.prior = rpna_rotor_parameters(vector_from(torques.at("pi_rotors").at(k)), rotor.axis);
      robot.bodies.push_back(rotor);
    }
    body_of_link.push_back(robot.num_bodies());
    robot.bodies.push_back(link);

    Coordinate coordinate;
    coordinate.name = link.joint;
    coordinate.is_angle = link.type == JointType::revolute;
    robot.coordinates.push_back(coordinate);
  }
  return robot;
}

RpnaGolden load_golden_rpna(const std::filesystem::path& golden, const std::string& name) {
  const nlohmann::json file = read_json(golden / "rpna" / (name + ".json"));
  RpnaGolden loaded;
  loaded.links = rpna_robot(file, false);
  loaded.links_and_rotors = rpna_robot(file, true);
  loaded.urdf = golden / "rpna" / (name + ".urdf");
  loaded.rotors = golden / "rpna" / (name + "_rotors.json");
  for (const nlohmann::json& entry : file.at("torque_samples").at("samples")) {
    RpnaSample sample;
    sample.motion =
        motion_on_standing_base(loaded.links, vector_from(entry.at("q")),
                                vector_from(entry.at("qd")), vector_from(entry.at("qdd")));
    sample.tau_links = vector_from(entry.at("tau_links"));
    sample.tau_links_and_rotors = vector_from(entry.at("tau_links_and_rotors"));
    if (entry.contains("Y_links")) {
      const Eigen::MatrixXd theirs = matrix_from(entry.at("Y_links"));
      sample.Y_links = theirs;
      for (Eigen::Index column = 0; column < theirs.cols(); ++column)
        sample.Y_links->col(column) = theirs.col(column / 10 * 10 + kRpnaOrder[column % 10]);
    }
    loaded.samples.push_back(sample);
  }
  return loaded;
}

}  // namespace heft::oracle
