// Identifiability of five published arms in six situations each (golden/rpna): counts, dimensions,
// the class of every parameter, and the spans of the identifiable combinations and of the null
// space.
//
// The files order ten parameters as m, mcx, mcy, mcz, Ixx, Iyy, Izz, Iyz, Ixz, Ixy, so their
// echelon forms differ from ours: spans are compared. With motors their dim_T counts twenty columns
// per joint, six of which a symmetric rotor does not have.
#include <gtest/gtest.h>

#include <map>

#include "heft/observe/observe.hpp"
#include "heft/robot/robot_document.hpp"
#include "tests/oracle/golden_rpna.hpp"

namespace heft {
namespace {

class RpnaGoldenTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto golden = oracle::golden_directory();
    if (!golden) GTEST_SKIP() << oracle::kNoGolden;
    file_ = oracle::read_json(*golden / "rpna" / (std::string(GetParam()) + ".json"));
  }

  static ObserveOptions options_of(const nlohmann::json& expected) {
    ObserveOptions options;
    options.gravity = oracle::vector_from(expected.at("gravity")).any();
    options.base =
        expected.at("free_base").get<bool>() ? BaseMotion::uncounted : BaseMotion::as_modeled;
    options.channels = false;
    return options;
  }

  nlohmann::json file_;
};

/// Index of a parameter by the file's names: "Izz_2", "I_axial_rotor3".
std::map<std::string, int> parameters_by_golden_name(const Robot& robot,
                                                     const Observability& observed) {
  std::map<std::string, int> index;
  for (int j = 0; j < observed.num_parameters(); ++j) {
    const ObservedParameter& parameter = observed.parameters[j];
    const Body& body = robot.bodies[parameter.body];
    const std::string number = std::to_string(body.coordinate + 1);
    index[parameter.name + (body.is_rotor ? "_rotor" : "_") + number] = j;
  }
  return index;
}

Eigen::MatrixXd rows_from(const std::vector<nlohmann::json>& combinations,
                          const std::map<std::string, int>& index) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(combinations.size(), index.size());
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    for (const auto& [name, coefficient] : combinations[i].items())
      rows(i, index.at(name)) = coefficient.get<double>();
  return rows;
}

/// Equal dimension and orthogonal complements: then the spans are equal. The files print thirteen
/// digits, and coefficients reach 2 304: gear ratios squared.
void expect_complementary(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& columns, int rank) {
  ASSERT_EQ(rows.rows(), rank);
  ASSERT_EQ(columns.cols(), rows.cols() - rank);
  EXPECT_LE((rows.rowwise().normalized() * columns.colwise().normalized())
                .cwiseAbs()
                .maxCoeff<Eigen::PropagateNaN>(),
            1e-11);
}

const char* golden_class(Visibility visibility) {
  if (visibility == Visibility::alone) return "identifiable_alone";
  return visibility == Visibility::in_combination ? "identifiable_in_combination"
                                                  : "unidentifiable";
}

TEST_P(RpnaGoldenTest, EveryCase) {
  for (const auto& [name, expected] : file_.at("cases").items()) {
    SCOPED_TRACE(name);
    const bool motors = expected.at("motors").get<bool>();
    const Robot robot = oracle::rpna_robot(file_, motors);
    const Result<Observability> result = observe(robot, options_of(expected));
    ASSERT_TRUE(result.ok()) << result.error().message();
    const Observability& observed = *result;

    EXPECT_EQ(observed.num_parameters(), expected.at("n_params").get<int>());
    EXPECT_EQ(observed.num_base, expected.at("n_base").get<int>());
    ASSERT_EQ(observed.joints.size(), static_cast<std::size_t>(robot.num_coordinates()));
    for (std::size_t i = 0; i < observed.joints.size(); ++i) {
      const JointDimensions& joint = observed.joints[i];
      EXPECT_EQ(joint.dim_V, expected.at("dim_V").at(i).get<int>()) << joint.joint;
      EXPECT_EQ(joint.dim_K, expected.at("dim_K").at(i).get<int>()) << joint.joint;
      EXPECT_EQ(joint.dim_T + (motors ? 6 : 0), expected.at("dim_T").at(i).get<int>())
          << joint.joint;
      EXPECT_EQ(joint.num_base, (motors ? 20 : 10) - expected.at("dim_T").at(i).get<int>())
          << joint.joint;
    }

    const std::map<std::string, int> index = parameters_by_golden_name(robot, observed);
    ASSERT_EQ(index.size(), observed.parameters.size());
    for (const char* kind : {"classification", "rotor_classification"}) {
      if (!expected.contains(kind)) continue;
      for (const auto& [body, parameters] : expected.at(kind).items())
        for (const auto& [parameter, entry] : parameters.items()) {
          const std::string suffix = body.substr(0, 4) == "body" ? body.substr(4) : body;
          const int j = index.at(parameter + "_" + suffix);
          EXPECT_EQ(golden_class(observed.parameters[j].visibility),
                    entry.at("cls").get<std::string>())
              << parameter << " " << body;
        }
    }

    std::vector<nlohmann::json> combinations;
    for (const nlohmann::json& row : expected.at("identifiable_basis_rref"))
      combinations.push_back(row.at("combination"));
    const Eigen::MatrixXd theirs = rows_from(combinations, index);
    const Eigen::MatrixXd their_null = rows_from(expected.at("null_basis"), index).transpose();
    expect_complementary(observed.base_matrix(), observed.null_matrix(), observed.num_base);
    expect_complementary(theirs, observed.null_matrix(), observed.num_base);
    expect_complementary(observed.base_matrix(), their_null, observed.num_base);
  }
}

TEST_P(RpnaGoldenTest, GravityAlone) {
  const nlohmann::json& expected = file_.at("static_gravity_only");
  Robot robot = oracle::rpna_robot(file_, false);
  robot.gravity = oracle::vector_from(expected.at("gravity"));
  ObserveOptions options;
  options.static_only = true;
  const Result<Observability> observed = observe(robot, options);
  ASSERT_TRUE(observed.ok()) << observed.error().message();
  EXPECT_EQ(observed->num_base, expected.at("rank").get<int>());
  for (std::size_t i = 0; i < observed->joints.size(); ++i)
    EXPECT_EQ(observed->joints[i].num_base,
              expected.at("per_body_rank_increment").at(i).get<int>());
}

TEST_P(RpnaGoldenTest, CountsWithoutRotors) {
  for (const char* name : {"fixed_gravity", "fixed_nogravity", "free_base"}) {
    const nlohmann::json& expected = file_.at("cases").at(name);
    ObserveOptions options = options_of(expected);
    options.dimensions_only = true;
    const Result<Observability> observed = observe(oracle::rpna_robot(file_, true), options);
    ASSERT_TRUE(observed.ok()) << observed.error().message();
    EXPECT_EQ(observed->num_base_without_rotors, expected.at("n_base").get<int>());
    EXPECT_EQ(observed->num_base,
              file_.at("cases").at(std::string(name) + "_motors").at("n_base").get<int>());
    EXPECT_TRUE(observed->identifiable.empty());
  }
}

// Which gear ratio a motor has decides nothing, neither the count nor what can be seen of each
// parameter, unless the motor turns exactly like its joint (hand_cases_test.cpp).
TEST_P(RpnaGoldenTest, GearRatios) {
  Robot robot = oracle::rpna_robot(file_, true);
  for (const char* name : {"fixed_gravity_motors", "fixed_nogravity_motors", "free_base_motors"}) {
    const nlohmann::json& expected = file_.at("cases").at(name);
    const ObserveOptions options = options_of(expected);
    std::vector<Visibility> seen;
    for (double ratio : {10.0, 1.5, 2.0, 3.0, 100.0, 1000.0, -1.5, -2.0, -50.0, -1000.0}) {
      for (Body& body : robot.bodies)
        if (body.is_rotor) body.ratio = ratio;
      const Result<Observability> observed = observe(robot, options);
      ASSERT_TRUE(observed.ok()) << observed.error().message();
      EXPECT_EQ(observed->num_base, expected.at("n_base").get<int>()) << name << " ratio " << ratio;
      std::vector<Visibility> now;
      for (const ObservedParameter& parameter : observed->parameters)
        now.push_back(parameter.visibility);
      if (seen.empty()) seen = now;
      EXPECT_EQ(now, seen) << name << " ratio " << ratio;
    }
  }
}

// The whole way of a user: names are those of the URDF's links.
TEST_P(RpnaGoldenTest, FromTheUrdf) {
  const nlohmann::json& expected = file_.at("cases").at("fixed_gravity");
  const std::filesystem::path urdf =
      *oracle::golden_directory() / "rpna" / (std::string(GetParam()) + ".urdf");
  const Result<Robot> robot =
      read_robot(urdf.string(), {.gravity = oracle::vector_from(expected.at("gravity"))});
  ASSERT_TRUE(robot.ok()) << robot.error().message();
  const Result<Observability> observed = observe(*robot);
  ASSERT_TRUE(observed.ok()) << observed.error().message();
  EXPECT_EQ(observed->num_base, expected.at("n_base").get<int>());
  const std::string last = std::to_string(robot->num_bodies());
  EXPECT_EQ(observed->text(observed->identifiable.back()), "Izz_link" + last);
  // the last joint's torque sees nothing but the last link
  for (const Combination& combination : observed->channels.back().identifiable)
    for (const Term& term : combination)
      EXPECT_EQ(observed->parameters[term.parameter].body, robot->num_bodies() - 1);
}

INSTANTIATE_TEST_SUITE_P(Arms, RpnaGoldenTest, testing::ValuesIn(oracle::kRpnaNames),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace heft
