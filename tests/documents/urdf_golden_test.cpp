// read_robot compared with Pinocchio (golden/dynamics) and with the authors' models (golden/rpna).

#include <gtest/gtest.h>

#include "heft/robot/robot_document.hpp"
#include "tests/documents/robot_test_support.hpp"

namespace heft {
namespace {

using oracle::matrix_from;
using oracle::vector_from;
using test::close;

constexpr double kTolerance = 1e-12;  // of the largest entry, the bound that golden/dynamics states

// beside x.urdf lie x.json and, in rpna/, x_rotors.json
nlohmann::json answers(const std::string& urdf, const std::string& ending) {
  return oracle::read_json(std::filesystem::path(urdf).replace_extension().string() + ending);
}

TEST(GoldenFolder, IsThere) {
  if (!oracle::golden_directory()) GTEST_SKIP() << oracle::kNoGolden;
  EXPECT_EQ(test::golden_urdfs("dynamics").size(), 26u);
  EXPECT_EQ(test::golden_urdfs("rpna").size(), 5u);
}

class DynamicsGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    golden_ = answers(GetParam(), ".json");
    RobotOptions options;
    options.floating_base = golden_["floating_base"];
    options.gravity = vector_from(golden_["gravity"]);
    auto robot = read_robot(GetParam(), options);
    ASSERT_TRUE(robot.ok()) << robot.error().message();
    robot_ = *robot;
    ASSERT_EQ(robot_.num_bodies(), golden_["num_bodies"].get<int>());
  }

  // Pinocchio calls the joint of a floating base root_joint; in Heft it has no name
  std::string joint_name(int body) const {
    return robot_.bodies[body].joint.empty() ? "root_joint" : robot_.bodies[body].joint;
  }

  nlohmann::json golden_;
  Robot robot_;
};

TEST_P(DynamicsGolden, TreeIsPinocchios) {
  EXPECT_EQ(robot_.name, golden_["name"].get<std::string>());
  EXPECT_EQ(robot_.source, GetParam());
  EXPECT_EQ(robot_.gravity, Eigen::Vector3d(vector_from(golden_["gravity"])));
  const bool floating = golden_["floating_base"];
  EXPECT_EQ(robot_.floating_base, floating);
  EXPECT_EQ(robot_.num_coordinates(), golden_["nv"].get<int>() - (floating ? 6 : 0));

  for (int i = 0; i < robot_.num_bodies(); ++i) {
    const Body& body = robot_.bodies[i];
    EXPECT_EQ(joint_name(i), golden_["joint_names"][i].get<std::string>());
    const nlohmann::json& parent = golden_["parent_joint"][i];
    if (parent.is_null()) {
      EXPECT_EQ(body.parent, -1) << body.joint;
    } else {
      ASSERT_GE(body.parent, 0) << body.joint;
      EXPECT_EQ(joint_name(body.parent), parent.get<std::string>());
    }
    EXPECT_TRUE(body.has_parameters);
    EXPECT_FALSE(body.is_rotor);
    if (body.type == JointType::rigid) {
      EXPECT_TRUE(floating && i == 0);
      continue;
    }
    const std::string type = golden_["joint_type"][i];
    EXPECT_EQ(body.type == JointType::prismatic, type.starts_with("P")) << body.joint;
    EXPECT_TRUE(close(body.axis, vector_from(golden_["joint_axis"][i]), kTolerance)) << body.joint;
    EXPECT_NEAR(body.axis.norm(), 1, 4 * std::numeric_limits<double>::epsilon());
    // the golden rotation is a row-major list
    const Eigen::Matrix3d columns = body.X_parent_body.linear().transpose();
    EXPECT_TRUE(
        close(columns.reshaped(), vector_from(golden_["placement_rotation"][i]), kTolerance))
        << body.joint;
    const Eigen::VectorXd translation = vector_from(golden_["placement_translation"][i]);
    EXPECT_LE(oracle::largest_difference(body.X_parent_body.translation(), translation), kTolerance)
        << body.joint;

    ASSERT_EQ(body.coordinate, i - (floating ? 1 : 0));
    EXPECT_EQ(body.ratio, 1);
    EXPECT_EQ(body.offset, 0);
    const Coordinate& coordinate = robot_.coordinates[body.coordinate];
    EXPECT_EQ(coordinate.name, body.joint);
    EXPECT_EQ(coordinate.is_angle, body.type == JointType::revolute);
    const int row = golden_["idx_v"][i];
    EXPECT_EQ(coordinate.damping, golden_["damping"][row].get<double>());
    EXPECT_EQ(coordinate.friction, golden_["friction"][row].get<double>());
  }
}

TEST_P(DynamicsGolden, ParametersAreMerged) {
  for (int i = 0; i < robot_.num_bodies(); ++i) {
    EXPECT_TRUE(close(robot_.bodies[i].prior, vector_from(golden_["parameters"][joint_name(i)]),
                      kTolerance))
        << joint_name(i);
  }
}

TEST_P(DynamicsGolden, LinksAreCarriedByTheRightBody) {
  std::map<std::string, std::string> carrier;
  for (int i = 0; i < robot_.num_bodies(); ++i) {
    carrier[robot_.bodies[i].name] = joint_name(i);
    for (const std::string& link : robot_.bodies[i].merged_links) carrier[link] = joint_name(i);
  }
  std::size_t num_moving_links = 0;
  for (const auto& [link, joint] : golden_["body_of_link"].items()) {
    if (joint.is_null()) {
      EXPECT_FALSE(carrier.contains(link)) << link;
    } else {
      EXPECT_EQ(carrier[link], joint.get<std::string>()) << link;
      ++num_moving_links;
    }
  }
  EXPECT_EQ(carrier.size(), num_moving_links);
}

INSTANTIATE_TEST_SUITE_P(Urdf, DynamicsGolden, testing::ValuesIn(test::golden_urdfs("dynamics")),
                         test::stem);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DynamicsGolden);

class RpnaGolden : public testing::TestWithParam<std::string> {};

// rotors.json as the YAML that Heft reads; a symmetric rotor's numbers are m, h along the axis a,
// and the tensor I_perp (1 - a a') + I_axial a a' about the rotor frame's origin
std::string rotors_yaml(const nlohmann::json& rotors) {
  std::ostringstream yaml;
  yaml.precision(17);
  yaml << "rotors:\n";
  for (const auto& [joint, rotor] : rotors.items()) {
    const Eigen::VectorXd p = vector_from(rotor["rotor_params_m_mcaxial_Iperp_Iaxial"]);
    const double transverse_about_com = p[2] - p[1] * p[1] / p[0];
    yaml << "  - joint: " << joint << "\n    link: " << rotor["parent_link"].get<std::string>()
         << "\n    origin: {xyz: " << rotor["origin_xyz"] << ", rpy: " << rotor["origin_rpy"]
         << "}\n    axis: " << rotor["axis"]
         << "\n    gear_ratio: " << rotor["gear_ratio"].get<double>() << "\n    mass: " << p[0]
         << "\n    com: [0, 0, " << p[1] / p[0] << "]"
         << "\n    inertia: {ixx: " << transverse_about_com << ", iyy: " << transverse_about_com
         << ", izz: " << p[3] << "}\n";
  }
  return yaml.str();
}

TEST_P(RpnaGolden, LinksAndRotorsAreTheAuthors) {
  const nlohmann::json golden = answers(GetParam(), ".json");
  const nlohmann::json rotors = answers(GetParam(), "_rotors.json");
  const test::ScratchFolder folder;
  RobotOptions options;
  options.rotors_path = folder.write("rotors.yaml", rotors_yaml(rotors["rotors"]));
  const auto read = read_robot(GetParam(), options);
  ASSERT_TRUE(read.ok()) << read.error().message();
  const Robot& robot = *read;

  const int num_joints = golden["model"]["nb"];
  ASSERT_EQ(robot.num_coordinates(), num_joints);
  ASSERT_EQ(robot.num_bodies(), 2 * num_joints);
  for (int i = 0; i < num_joints; ++i) {
    const nlohmann::json& joint = golden["model"]["joints"][i];
    const Body& link = robot.bodies[i];
    EXPECT_EQ(link.joint, joint["name"].get<std::string>());
    EXPECT_EQ(link.parent + 1, joint["parent"].get<int>());
    EXPECT_EQ(link.is_rotor, false);
    EXPECT_TRUE(
        link.X_parent_body.rotation().transpose().isApprox(matrix_from(joint["E"]), kTolerance));
    EXPECT_LE((link.X_parent_body.translation() - vector_from(joint["p"])).norm(), kTolerance);

    const Body& rotor = robot.bodies[num_joints + i];
    const nlohmann::json& expected = joint["rotor"];
    EXPECT_EQ(rotor.joint, joint["name"].get<std::string>());
    EXPECT_EQ(rotor.parent + 1, expected["parent_link"].get<int>());
    EXPECT_TRUE(rotor.is_rotor && rotor.symmetric && rotor.has_parameters);
    EXPECT_EQ(rotor.type, JointType::revolute);
    EXPECT_EQ(rotor.coordinate, link.coordinate);
    EXPECT_EQ(rotor.ratio, expected["gear_ratio"].get<double>());
    EXPECT_EQ(rotor.offset, 0);
    EXPECT_TRUE(close(rotor.axis, vector_from(expected["axis"]), kTolerance));
    EXPECT_TRUE(rotor.X_parent_body.rotation().transpose().isApprox(matrix_from(expected["E"]),
                                                                    kTolerance));
    EXPECT_LE((rotor.X_parent_body.translation() - vector_from(expected["p"])).norm(), kTolerance);

    const Eigen::VectorXd p =
        vector_from(rotors["rotors"][link.joint]["rotor_params_m_mcaxial_Iperp_Iaxial"]);
    const Eigen::VectorXd about_origin{{p[0], 0, 0, p[1], p[2], 0, p[2], 0, 0, p[3]}};
    EXPECT_TRUE(close(rotor.prior, about_origin, kTolerance)) << rotor.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Urdf, RpnaGolden, testing::ValuesIn(test::golden_urdfs("rpna")),
                         test::stem);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RpnaGolden);

}  // namespace
}  // namespace heft
