// Verdicts on a parameter against the bounds of a baseline.
#include "watch/baseline.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/watch/watched_arm.hpp"

namespace heft {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Baseline, VerdictsFollowFromValueAndInterval) {
  WatchBaseline baseline;
  baseline.lower = Eigen::VectorXd::Constant(1, 1.0);
  baseline.upper = Eigen::VectorXd::Constant(1, 2.0);
  struct Case {
    double value, lower, upper;
    BaselineVerdict verdict;
  };
  for (const Case& c :
       {Case{1.5, 1.4, 1.6, BaselineVerdict::within}, Case{1.9, 1.5, 2.3, BaselineVerdict::within},
        Case{2.1, 1.9, 2.3, BaselineVerdict::unresolved},
        Case{0.9, 0.7, 1.1, BaselineVerdict::unresolved},
        Case{2.5, 2.2, 2.8, BaselineVerdict::left}, Case{0.5, 0.2, 0.8, BaselineVerdict::left},
        Case{kNan, kNan, kNan, BaselineVerdict::unresolved}})
    EXPECT_EQ(verdict_on(baseline, 0, c.value, c.lower, c.upper), c.verdict) << c.value;
}

TEST(Baseline, ChangesNameParameters) {
  const WatchModel model = watched_arm_model();
  const ParameterLayout& layout = model.model.plan->layout;
  EXPECT_EQ(parameter_of_change(layout, "payload lower"), layout.index(1, core::kMass));
  const int friction = parameter_of_change(layout, "coulomb elbow");
  ASSERT_GE(friction, 0);
  EXPECT_EQ(layout.name(friction), "coulomb elbow");
  for (const char* what : {"gain elbow", "zero elbow", "gravity", "contact", "payload hand", ""})
    EXPECT_EQ(parameter_of_change(layout, what), -1) << what;
}

}  // namespace
}  // namespace heft
