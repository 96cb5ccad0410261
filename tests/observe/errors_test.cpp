// Errors of observe(), with place and reason.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "heft/observe/observe.hpp"
#include "tests/observe/builders.hpp"

namespace heft {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct BadInput {
  const char* name;
  std::function<void(Robot&, ObserveOptions&)> spoil;
  const char* what;  ///< part of the message
};

class ObserveErrorTest : public testing::TestWithParam<BadInput> {};

TEST_P(ObserveErrorTest, IsReported) {
  Robot robot = parallel_2r_arm({0, -9.81, 0});
  ObserveOptions options;
  ASSERT_TRUE(observe(robot, options).ok());
  GetParam().spoil(robot, options);
  const Result<Observability> result = observe(robot, options);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find(GetParam().what), std::string::npos)
      << result.error().message();
  EXPECT_FALSE(result.error().remedy.empty());
}

const BadInput kBadInputs[] = {
    {"NoBodies", [](Robot& r, ObserveOptions&) { r.bodies.clear(); }, "no moving body"},
    {"NoParameters",
     [](Robot& r, ObserveOptions&) {
       for (Body& body : r.bodies) body.has_parameters = false;
     },
     "no body has parameters"},
    {"MirrorImage",
     [](Robot& r, ObserveOptions&) { r.bodies[1].X_parent_body.linear().col(0) *= -1; },
     "body b2: its pose is not a rotation"},
    {"TranslationNotANumber",
     [](Robot& r, ObserveOptions&) { r.bodies[1].X_parent_body.translation().x() = kNan; },
     "body b2: its pose"},
    {"RotationNotANumber",
     [](Robot& r, ObserveOptions&) { r.bodies[0].X_parent_body.linear()(1, 2) = kNan; },
     "body b1: its pose"},
    {"ZeroAxis", [](Robot& r, ObserveOptions&) { r.bodies[1].axis.setZero(); },
     "not a unit vector"},
    {"AxisNotANumber", [](Robot& r, ObserveOptions&) { r.bodies[1].axis.z() = kNan; },
     "not a unit vector"},
    {"RatioNotANumber", [](Robot& r, ObserveOptions&) { r.bodies[1].ratio = kNan; },
     "not a finite number"},
    {"NoSuchCoordinate", [](Robot& r, ObserveOptions&) { r.bodies[1].coordinate = 2; },
     "does not have"},
    {"ChildBeforeParent", [](Robot& r, ObserveOptions&) { r.bodies[0].parent = 1; },
     "before the body"},
    {"FloatingBaseWithoutRoot", [](Robot& r, ObserveOptions&) { r.floating_base = true; },
     "not its root"},
    {"GravityNotANumber", [](Robot& r, ObserveOptions&) { r.gravity.x() = kNan; }, "gravity"},
    {"ToleranceNotANumber", [](Robot&, ObserveOptions& o) { o.tolerance = kNan; }, "tolerance"},
    {"ToleranceZero", [](Robot&, ObserveOptions& o) { o.tolerance = 0; }, "tolerance"},
    {"AlignmentNegative", [](Robot&, ObserveOptions& o) { o.alignment = -1e-5; }, "alignment"},
};

INSTANTIATE_TEST_SUITE_P(Inputs, ObserveErrorTest, testing::ValuesIn(kBadInputs),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

// Offsets of a few tolerances are neither zero nor not: whatever is decided, the two counts agree
// or it is an error.
TEST(ObserveError, NearlySpecialArrangementsAreConsistent) {
  for (double offset = 1e-13; offset < 1e-5; offset *= 1.7) {
    Robot robot = parallel_2r_arm({0, -9.81, 0});
    const Eigen::Matrix3d tilt =
        Eigen::AngleAxisd(offset, Eigen::Vector3d::UnitX()).toRotationMatrix();
    add_joint(robot, 1, JointType::revolute, Eigen::Vector3d::UnitZ(), {0.4, 0, offset}, tilt);
    ObserveOptions options;
    options.alignment = 0;
    const Result<Observability> result = observe(robot, options);
    if (!result.ok()) {
      EXPECT_NE(result.error().what.find("ambiguous"), std::string::npos);
      continue;
    }
    EXPECT_EQ(result->identifiable.size(), static_cast<std::size_t>(result->num_base));
    EXPECT_EQ(result->null_basis.size() + result->identifiable.size(), 30u);
  }
}

}  // namespace
}  // namespace heft
