// Tensors and their possible intended meanings, compared with pseudo-inertias, point masses and
// shapes.
#include "host/identification/check/tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "heft/model/robot.hpp"
#include "linalg/factorizations.hpp"
#include "tests/documents/robot_test_support.hpp"

namespace heft::check {
namespace {

class Tensors : public testing::Test {
 protected:
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  // tensor about the center of mass of random points, and their mass and center
  LinkFacts link_of_points(int num_points) {
    LinkFacts link;
    link.has_mass = link.has_tensor = true;
    Eigen::Matrix3Xd points =
        Eigen::Matrix3Xd::NullaryExpr(3, num_points, [&] { return 0.1 * uniform(); });
    points.colwise() += Eigen::Vector3d(0.3, -0.2, 0.1);
    const Eigen::Vector3d center = points.rowwise().mean();
    for (int k = 0; k < num_points; ++k) {
      const Eigen::Vector3d r = points.col(k) - center;
      link.tensor += 0.5 * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
    }
    link.mass = 0.5 * num_points;
    link.X_link_inertial.translation() = center;
    return link;
  }

  std::mt19937 random_{7};
};

TEST_F(Tensors, PossibleExactlyWhereThePseudoInertiaIs) {
  int num_possible = 0;
  for (int k = 0; k < 200; ++k) {
    Eigen::Matrix3d tensor = Eigen::Matrix3d::NullaryExpr([&] { return 0.3 * uniform(); });
    tensor = (tensor + tensor.transpose()).eval() + 0.8 * Eigen::Matrix3d::Identity();
    const Eigen::Matrix4d J = pseudo_inertia(parameters_about_origin(2, {0.1, 0.2, -0.3}, tensor));
    const bool possible = Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(J).eigenvalues()[0] >= 0;
    EXPECT_EQ(is_possible(tensor), possible) << tensor;
    num_possible += possible;
  }
  EXPECT_GT(num_possible, 20);
  EXPECT_LT(num_possible, 180);
}

TEST_F(Tensors, PointsInAPlaneHaveNoThickness) {
  LinkFacts link = link_of_points(3);  // three points always lie in one
  EXPECT_NEAR(smallest_spread(link.tensor), 0, 1e-16);
  EXPECT_TRUE(is_possible(link.tensor));
}

TEST_F(Tensors, ReadingsInvertTheirMistakes) {
  const LinkFacts healthy = link_of_points(12);
  LinkFacts shifted = healthy;
  shifted.tensor -= parallel_axes(healthy.mass, healthy.com());
  ASSERT_FALSE(is_possible(shifted.tensor));
  const auto restored = parallel_axes_restored(shifted);
  ASSERT_TRUE(restored);
  EXPECT_LE((restored->tensor - healthy.tensor).norm(), 1e-14);
}

TEST_F(Tensors, HealthyOnesHaveNoOtherReading) {
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(about_link_origin(link_of_points(12)));
}

TEST_F(Tensors, DissimilarityIsAffineInvariant) {
  const Eigen::Matrix3d a = Eigen::Vector3d(1, 2, 4).asDiagonal(),
                        b = Eigen::Vector3d(2, 2, 2).asDiagonal();
  // ratios 1/2, 1, 2
  EXPECT_NEAR(dissimilarity(a, b), std::sqrt(2) * std::log(2), 1e-14);
  const Eigen::Matrix3d T = Eigen::Matrix3d::NullaryExpr([&] { return uniform(); });
  EXPECT_NEAR(dissimilarity(T * a * T.transpose(), T * b * T.transpose()),
              std::sqrt(2) * std::log(2), 1e-10);
  EXPECT_EQ(dissimilarity(-a, b), std::numeric_limits<double>::infinity());
}

TEST(Facts, DecimalsSayHowFarATensorMayBeOff) {
  const auto rounding = [](const std::string& ixx, const std::string& iyy) {
    const auto document = parse_robot_document(
        "r.urdf", "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='" + ixx +
                      "' ixy='0.0' ixz='0' iyy='" + iyy +
                      "' iyz='0' izz='1'/></inertial></link></robot>");
    return (*document)->as_written()->links[0].rounding;
  };
  EXPECT_NEAR(rounding("0.02", "0.013"), 0.0005, 1e-18);
  EXPECT_NEAR(rounding("2.50e-3", "1.0e-1"), 0.5e-5, 1e-19);
  EXPECT_EQ(rounding("1", "2"), 0);
}

}  // namespace
}  // namespace heft::check
