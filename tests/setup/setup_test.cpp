// A setup made by a program, without any file: one rigid body on a moving base with a measured
// wrench, like a tool on a force-torque sensor. Body and wrench are those of a few point masses.
#include "heft/setup/setup.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heft/identify/identify.hpp"
#include "heft/log/arrays.hpp"

namespace heft {
namespace {

struct PointMass {
  double mass;
  Eigen::Vector3d at;
};

const std::vector<PointMass> kTool = {{0.7, {0.02, 0.01, 0.08}},
                                      {0.3, {-0.05, 0.03, 0.12}},
                                      {0.2, {0.01, -0.06, 0.02}},
                                      {0.1, {0.04, 0.05, -0.03}}};

/// Columns w (3), wd (3), a - g (3), force (3), torque (3) about the origin, all in the axes of the
/// body.
Eigen::ArrayXXd recorded(const Eigen::ArrayXd& time) {
  Eigen::ArrayXXd log(time.size(), 15);
  for (Eigen::Index i = 0; i < time.size(); ++i) {
    const double t = time[i];
    const Eigen::Vector3d w(2 * std::sin(1.3 * t), 1.5 * std::cos(2.1 * t), std::sin(2.9 * t));
    const Eigen::Vector3d wd(2.6 * std::cos(1.3 * t), -3.15 * std::sin(2.1 * t),
                             2.9 * std::cos(2.9 * t));
    const Eigen::Vector3d f(4 * std::sin(0.7 * t), 9.81 * std::cos(0.4 * t), 6 * std::cos(1.1 * t));
    Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = force;
    for (const PointMass& point : kTool) {
      const Eigen::Vector3d pull =
          point.mass * (f + wd.cross(point.at) + w.cross(w.cross(point.at)));
      force += pull, torque += point.at.cross(pull);
    }
    log.row(i) << w.transpose().array(), wd.transpose().array(), f.transpose().array(),
        force.transpose().array(), torque.transpose().array();
  }
  return log;
}

Robot tool_on_sensor() {
  Robot robot{.name = "tool on a sensor"};
  robot.floating_base = true;
  robot.bodies.push_back({.name = "tool", .type = JointType::rigid});
  return robot;
}

BodyParameters truth() {
  BodyParameters sum = BodyParameters::Zero();
  for (const PointMass& point : kTool)
    sum += parameters_about_origin(point.mass, point.at, Eigen::Matrix3d::Zero());
  return sum;
}

class ToolOnASensor : public ::testing::Test {
 protected:
  IdentifyRequest request_with(const PriorOptions& prior) const {
    IdentifyRequest request{
        .setup = *make_setup(tool_on_sensor(), {.model = {.columns = {}}, .prior = prior})};
    const auto three = [](const std::string& stem) {
      return std::vector<std::string>{stem + "x", stem + "y", stem + "z"};
    };
    const auto columns = [this](Eigen::Index first) {
      return ArrayView(&log_(0, first), log_.rows(), 3, 1, log_.rows());
    };
    const ArrayGroup group{.time = time_,
                           .columns = {{three("base_w"), columns(0)},
                                       {three("base_wd"), columns(3)},
                                       {three("base_f"), columns(6)},
                                       {three("tau_base_f"), columns(9)},
                                       {three("tau_base_n"), columns(12)}}};
    request.training_logs = {array_log("shaken tool", {group})};
    request.gathering.conditioning.filter = FilterKind::none;
    request.gathering.conditioning.trim = 0;
    request.estimation.uncertainty.bootstrap = 0;
    return request;
  }

  const Eigen::ArrayXd time_ = Eigen::ArrayXd::LinSpaced(4001, 0, 20);
  const Eigen::ArrayXXd log_ = recorded(time_);
};

TEST_F(ToolOnASensor, OfUnknownMassIsWeighed) {
  const auto result = identify(request_with({.unknown = {"tool"}}));
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_TRUE(result->optimum->certificate.certified) << result->optimum->certificate.verdict;
  const Eigen::VectorXd& x = result->answer().parameters;
  EXPECT_LE((x - truth()).norm(), 1e-4 * truth().norm()) << x.transpose() << "\n"
                                                         << truth().transpose();
}

TEST_F(ToolOnASensor, WithAPriorByNameIsIdentifiedAroundIt) {
  const BodyParameters believed = 1.5 * truth();
  const IdentifyRequest request =
      request_with({.weight = 1e-6, .references = {{"tool", believed}}});
  EXPECT_FALSE(request.setup.prior.held[0]);
  EXPECT_LE((request.setup.prior.references[0] - believed).norm(), 1e-12 * believed.norm());
  const auto result = identify(request);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_LE((result->answer().parameters - truth()).norm(), 1e-4 * truth().norm());
}

TEST_F(ToolOnASensor, WithoutMassAndWordLeavesNothingToFind) {
  const auto setup = make_setup(tool_on_sensor(), {.model = {.columns = {}}});
  ASSERT_FALSE(setup.ok());
  EXPECT_EQ(setup.error().where, "link tool");
  EXPECT_NE(setup.error().remedy.find("unknown"), std::string::npos);
}

TEST(Setup, AnotherModelKeepsBeliefsAndConstraints) {
  const heft::Setup setup =
      *make_setup(tool_on_sensor(), {.model = {.columns = {}},
                                     .prior = {.weight = 0.3, .unknown = {"tool"}},
                                     .constraints = {.margin = 1e-4}});
  ColumnSpec drift{.kind = "expression", .name = "drift", .unit = "N"};
  drift.rows = {{"base_fz", "1"}};
  const auto other = with_model(setup, {.columns = {drift}});
  ASSERT_TRUE(other.ok()) << other.error().message();
  EXPECT_EQ(other->plan().layout.num_columns(), 1);
  EXPECT_EQ(other->prior.weight, 0.3);
  EXPECT_EQ(other->prior.weight_of(0), 0.3 * kUnknownShare);
  EXPECT_EQ(other->constraints.margin, 1e-4);
}

TEST(Setup, RefusesMissingNames) {
  const auto refused = [](const SetupOptions& options, const std::string& where) {
    const auto setup = make_setup(tool_on_sensor(), options);
    ASSERT_FALSE(setup.ok());
    EXPECT_NE(setup.error().where.find(where), std::string::npos) << setup.error().message();
    EXPECT_FALSE(setup.error().remedy.empty());
  };
  refused({.prior = {.unknown = {"tol"}}}, "tol");
  refused({.prior = {.references = {{"tol", truth()}}}}, "tol");
  refused({.model = {.columns = {{.kind = "viscous", .joints = {"elbow"}}}},
           .prior = {.unknown = {"tool"}}},
          "viscous");
  refused({.prior = {.unknown = {"tool"}},
           .constraints = {.consistency = Consistency::semi,
                           .bounding_ellipsoids = MassBound::collision}},
          "bounding_ellipsoids");
}

TEST(Setup, RefusesAnUnknownKindOfColumnByItsName) {
  for (const char* kind : {"viscuous", "constant", "stribeck", ""}) {
    const auto setup = make_setup(
        tool_on_sensor(), {.model = {.columns = {{.kind = kind}}}, .prior = {.unknown = {"tool"}}});
    ASSERT_FALSE(setup.ok()) << kind;
    EXPECT_NE(setup.error().what.find("'" + std::string(kind) + "'"), std::string::npos)
        << setup.error().message();
    for (const char* known :
         {"viscous", "coulomb", "offset", "reflected_inertia", "spring", "expression"})
      EXPECT_NE(setup.error().remedy.find(known), std::string::npos) << setup.error().message();
  }
}

}  // namespace
}  // namespace heft
