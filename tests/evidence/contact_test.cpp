// Contacts found from errors of a known force, in a record made of arrays, without a log.
#include "evidence/contact.hpp"

#include <cmath>
#include <random>

#include "planar_arm.hpp"

namespace heft {
namespace {

constexpr Eigen::Index kRows = 7500, kFirst = 5000,
                       kLast = 5500;  // 30 s at 250 Hz; a push of two seconds
constexpr double kSampleStep = 0.004, kTipDistance = 0.4;

/// Joints that swing; the last `num_resting` of them stand still while something pushes.
Samples swinging(int num_resting) {
  Samples samples;
  samples.time = Eigen::ArrayXd::LinSpaced(kRows, 0, kSampleStep * (kRows - 1));
  samples.position = samples.velocity = samples.acceleration = Eigen::ArrayXXd::Zero(kRows, 2);
  for (Eigen::Index i = 0; i < kRows; ++i) {
    for (int k = 0; k < 2; ++k) {
      const bool holds = k + num_resting >= 2 && i >= kFirst - 50 && i < kLast + 50;
      const double t = kSampleStep * static_cast<double>(holds ? kFirst : i);
      samples.position(i, k) = k == 0 ? 1.1 * std::sin(1.3 * t) : 0.9 * std::cos(1.9 * t);
      if (!holds)
        samples.velocity(i, k) = k == 0 ? 1.43 * std::cos(1.3 * t) : -1.71 * std::sin(1.9 * t);
    }
  }
  samples.weight = Eigen::ArrayXXd::Ones(kRows, 2);
  return samples;
}

/// Errors of noise, and of a force of this size at the tip in the axes of the base: z . (p x f).
Eigen::ArrayXXd errors_of(const Samples& samples, double force) {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal(0, 0.05);
  Eigen::ArrayXXd error(kRows, 2);
  for (double& e : error.reshaped()) e = normal(generator);
  const Eigen::Vector2d f(0.8 * force, 0.6 * force);
  for (Eigen::Index i = kFirst; i < kLast; ++i) {
    const double a = samples.position(i, 0), b = a + samples.position(i, 1);
    const Eigen::Vector2d elbow(kLength1 * std::cos(a), kLength1 * std::sin(a)),
        arm(kTipDistance * std::cos(b), kTipDistance * std::sin(b)), tip = elbow + arm;
    error(i, 0) += tip[0] * f[1] - tip[1] * f[0];
    error(i, 1) += arm[0] * f[1] - arm[1] * f[0];
  }
  return error;
}

std::vector<Contact> contacts_of(double force, int num_resting = 0) {
  const auto setup =
      make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}));
  Samples samples = swinging(num_resting);
  samples.torque = errors_of(samples, force);
  ContactRecorder record;
  record.push(0, samples, Eigen::ArrayXXd::Zero(kRows, 2));
  LogSummary log;
  log.path = "log";
  log.num_segments = 1;
  return record.by_log({log}, false, setup->plan());
}

TEST(Contacts, AForceOnAMovingArmIsFoundAndMeasured) {
  const std::vector<Contact> contacts = contacts_of(20);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts[0].link, "lower");
  EXPECT_NEAR(contacts[0].force.norm(), 20, 3);
}

// stiction that holds a resting arm looks like a force
TEST(Contacts, NoneIsLookedForWhereAllJointsRest) {
  EXPECT_TRUE(contacts_of(20, 2).empty());
}

// friction of a joint that sticks has any size, whatever its neighbors do
TEST(Contacts, RestingJointsAreIgnored) {
  EXPECT_TRUE(contacts_of(20, 1).empty());
}

// two of the 110 N that the drives bear
TEST(Contacts, SmallForcesAreIgnored) {
  EXPECT_EQ(contacts_of(5).size(), 1u);
  EXPECT_TRUE(contacts_of(2).empty());
}

// 100 N m at 0.9 m and 50 N m at 0.4 m bear about 110 N at the tip
TEST(Contacts, ForcesThatNoDriveBearsAreIgnored) {
  EXPECT_EQ(contacts_of(100).size(), 1u);
  EXPECT_TRUE(contacts_of(700).empty());
}

}  // namespace
}  // namespace heft
