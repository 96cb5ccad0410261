// Conventions compared with closed forms of point masses, written for each program according to its
// documents, and Jacobians with differences.
#include "heft/charts/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/random.hpp"

namespace heft {
namespace {

using oracle::largest_difference;
using oracle::largest_entry;

struct PlacedMass {
  double m;
  Eigen::Vector3d r;
};

std::vector<PlacedMass> points(oracle::Random& random) {
  std::vector<PlacedMass> list;
  for (int i = 0; i < 5; ++i) list.push_back({random.log_uniform(0.1, 3), 0.3 * random.normal3()});
  return list;
}

/// Integrals over the masses: m, sum m r, and the tensor about a point.
struct Integrals {
  double m = 0;
  Eigen::Vector3d h = Eigen::Vector3d::Zero(), c = h;
  Eigen::Matrix3d about_origin = Eigen::Matrix3d::Zero(), about_center = about_origin;

  explicit Integrals(const std::vector<PlacedMass>& list) {
    for (const PlacedMass& p : list) m += p.m, h += p.m * p.r;
    c = h / m;
    for (const PlacedMass& p : list)
      about_origin += tensor(p.m, p.r), about_center += tensor(p.m, p.r - c);
  }
  static Eigen::Matrix3d tensor(double m, const Eigen::Vector3d& r) {
    Eigen::Matrix3d I;
    I << r[1] * r[1] + r[2] * r[2], -r[0] * r[1], -r[0] * r[2], -r[0] * r[1],
        r[0] * r[0] + r[2] * r[2], -r[1] * r[2], -r[0] * r[2], -r[1] * r[2],
        r[0] * r[0] + r[1] * r[1];
    return m * I;
  }
};

std::map<Convention, std::vector<double>> in_all_conventions(const Integrals& b) {
  const Eigen::Matrix3d &O = b.about_origin, &C = b.about_center;
  const double m = b.m;
  const Eigen::Vector3d &h = b.h, &c = b.c;
  return {{Convention::heft,
           {m, h[0], h[1], h[2], O(0, 0), O(0, 1), O(1, 1), O(0, 2), O(1, 2), O(2, 2)}},
          {Convention::pinocchio,
           {m, h[0], h[1], h[2], O(0, 0), O(0, 1), O(1, 1), O(0, 2), O(1, 2), O(2, 2)}},
          {Convention::idyntree,
           {m, h[0], h[1], h[2], O(0, 0), O(0, 1), O(0, 2), O(1, 1), O(1, 2), O(2, 2)}},
          {Convention::khalil,
           {O(0, 0), O(0, 1), O(0, 2), O(1, 1), O(1, 2), O(2, 2), h[0], h[1], h[2], m}},
          {Convention::wensing,
           {m, h[0], h[1], h[2], O(0, 0), O(1, 1), O(2, 2), O(1, 2), O(0, 2), O(0, 1)}},
          {Convention::mujoco,
           {m, c[0], c[1], c[2], C(0, 0), C(1, 1), C(2, 2), C(0, 1), C(0, 2), C(1, 2)}},
          {Convention::drake,
           {m, c[0], c[1], c[2], O(0, 0) / m, O(1, 1) / m, O(2, 2) / m, O(0, 1) / m, O(0, 2) / m,
            O(1, 2) / m}},
          {Convention::urdf,
           {m, c[0], c[1], c[2], C(0, 0), C(0, 1), C(0, 2), C(1, 1), C(1, 2), C(2, 2)}},
          {Convention::sdf,
           {m, c[0], c[1], c[2], C(0, 0), C(0, 1), C(0, 2), C(1, 1), C(1, 2), C(2, 2)}},
          {Convention::matlab,
           {m, c[0], c[1], c[2], O(0, 0), O(1, 1), O(2, 2), O(1, 2), O(0, 2), O(0, 1)}}};
}

Eigen::VectorXd vector(const std::vector<double>& list) {
  return Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
}

TEST(Conventions, EveryPairOfPrograms) {
  oracle::Random random(11);
  for (int i = 0; i < 20; ++i) {
    const auto numbers = in_all_conventions(Integrals(points(random)));
    ASSERT_EQ(numbers.size(), std::size(EnumNames<Convention>::kList) - 4);  // all but the charts
    for (const auto& [from, in] : numbers)
      for (const auto& [to, out] : numbers) {
        const auto converted = convert(from, to, in);
        ASSERT_TRUE(converted.ok());
        EXPECT_EQ(converted->status, BodyStatus::ok);
        EXPECT_LE(largest_difference(vector(converted->numbers), vector(out)),
                  2e-14 * largest_entry(vector(out)))
            << enum_name(from) << " to " << enum_name(to);
      }
  }
}

TEST(Conventions, EveryPairHasTheJacobianOfDifferences) {
  oracle::Random random(12);
  const auto numbers = in_all_conventions(Integrals(points(random)));
  const BodyParameters prior =
      vector(in_all_conventions(Integrals(points(random))).at(Convention::heft));
  for (const auto& entry_from : EnumNames<Convention>::kList)
    for (const auto& entry_to : EnumNames<Convention>::kList) {
      const Convention from = entry_from.value, to = entry_to.value;
      if (from == Convention::manifold || to == Convention::manifold) continue;  // below
      const std::vector<double> in =
          convert(Convention::heft, from, numbers.at(Convention::heft), prior)->numbers;
      const auto converted = convert(from, to, in, prior, true);
      ASSERT_TRUE(converted.ok());
      ASSERT_EQ(converted->jacobian.size(), 100) << entry_from.name << " to " << entry_to.name;
      const double h = 1e-4;
      for (int k = 0; k < 10; ++k) {
        const auto at = [&](double step) {
          std::vector<double> moved = in;
          moved[k] += step * std::max(1e-2, std::abs(in[k]));
          return vector(convert(from, to, moved, prior)->numbers);
        };
        const Eigen::VectorXd slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) /
                                      (12 * h * std::max(1e-2, std::abs(in[k])));
        EXPECT_LE(largest_difference(Eigen::VectorXd(converted->jacobian.col(k)), slope),
                  1e-6 * (largest_entry(slope) + largest_entry(vector(converted->numbers))))
            << entry_from.name << " to " << entry_to.name << ", column " << k;
      }
    }
}

TEST(Conventions, JacobiansToAndFromTheManifoldAreInverse) {
  oracle::Random random(13);
  const auto numbers = in_all_conventions(Integrals(points(random)));
  const auto there =
      convert(Convention::urdf, Convention::manifold, numbers.at(Convention::urdf), {}, true);
  ASSERT_TRUE(there.ok());
  ASSERT_EQ(there->numbers.size(), 11u);
  const auto back = convert(Convention::manifold, Convention::urdf, there->numbers, {}, true);
  EXPECT_LE(largest_difference(Eigen::MatrixXd(back->jacobian * there->jacobian),
                               Eigen::MatrixXd::Identity(10, 10)),
            1e-9);
}

TEST(Conventions, BoundaryAndImpossible) {
  const std::vector<double> rod = {2, 0.1, 0, 0, 0.02, 0, 0, 0.02, 0, 0};  // urdf
  const auto plain = convert(Convention::urdf, Convention::heft, rod, {}, true);
  EXPECT_EQ(plain->status, BodyStatus::boundary);
  EXPECT_EQ(plain->numbers.size(), 10u);
  EXPECT_EQ(plain->jacobian.size(), 100);
  const auto near = convert(Convention::urdf, Convention::log_cholesky, rod, {}, true);
  EXPECT_EQ(near->status, BodyStatus::boundary);
  EXPECT_EQ(near->numbers.size(), 10u);
  EXPECT_EQ(near->jacobian.size(), 0);
  const std::vector<double> impossible = {2, 0.1, 0, 0, 0.02, 0, 0, 0.02, 0, 0.2};
  for (const auto& entry : EnumNames<Convention>::kList) {
    const auto converted = convert(Convention::urdf, entry.value, impossible,
                                   BodyParameters(vector({1, 0, 0, 0, 1, 0, 1, 0, 0, 1})));
    ASSERT_TRUE(converted.ok()) << entry.name;
    EXPECT_EQ(converted->status, BodyStatus::impossible) << entry.name;
    EXPECT_EQ(converted->numbers.empty(), chart_of(entry.value).has_value()) << entry.name;
  }
  // without mass: nothing to divide by
  const std::vector<double> massless(10, 0.0);
  for (const Convention to : {Convention::urdf, Convention::drake, Convention::pinocchio}) {
    const auto converted = convert(Convention::heft, to, massless, {}, true);
    EXPECT_EQ(converted->status, BodyStatus::boundary);
    EXPECT_EQ(converted->numbers, massless);
  }
  EXPECT_TRUE(
      convert(Convention::heft, Convention::urdf, {0, 1, 0, 0, 1, 0, 1, 0, 0, 1})->numbers.empty());
  EXPECT_TRUE(convert(Convention::heft, Convention::drake, {0, 0, 0, 0, 1, 0, 1, 0, 0, 1})
                  ->numbers.empty());
}

TEST(Conventions, WrongNumbersAreRefused) {
  const auto says = [](const Result<ConvertedBody>& result, const std::string& words) {
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().what.find(words), std::string::npos) << result.error().what;
  };
  says(convert(Convention::heft, Convention::urdf, {1, 2, 3}),
       "has 3 numbers, but the heft convention needs 10");
  says(convert(Convention::manifold, Convention::heft, std::vector<double>(10, 1.0)),
       "has 10 numbers, but the manifold convention needs 11");
  says(convert(Convention::manifold, Convention::heft, {1, 0, 0, 0, 2, 0, 0, 0, 1, 1, 1}),
       "quaternion");
  says(convert(Convention::heft, Convention::urdf, {1, 0, 0, 0, NAN, 0, 1, 0, 0, 1}), "not finite");
  says(convert(Convention::log_cholesky, Convention::heft, {400, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
       "overflow");
  says(convert(Convention::exponential, Convention::heft, {800, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
       "overflow");
  says(convert(Convention::heft, Convention::exponential_at_prior, {1, 0, 0, 0, 1, 0, 1, 0, 0, 1}),
       "needs a prior");
}

}  // namespace
}  // namespace heft
