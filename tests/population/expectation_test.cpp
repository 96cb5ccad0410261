// Expectation and maximization compared with the same formulas in long double without shortcuts:
// H^-1 by full pivoting, every sum explicit, M by its definition H - H V H.
#include "expectation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chi_squared.hpp"
#include "linalg/factorizations.hpp"
#include "outlying.hpp"

namespace heft::population {
namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr int kSize = 12;  // two bodies of four numbers, two kinds of columns of two

PopulationLayout a_frame() {
  PopulationLayout layout{.group = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3},
                          .is_of_body = std::vector<bool>(kSize, true),
                          .file = Eigen::VectorXd::Ones(kSize),
                          .num_groups = 4};
  for (int k = 8; k < kSize; ++k) layout.is_of_body[static_cast<std::size_t>(k)] = false;
  return layout;
}

struct World {
  std::vector<Member> members;
  std::vector<Eigen::VectorXd> truth;
  Eigen::VectorXd mean;
};

/// Robots about a mean by `spread`, each seen by `rows` rows of noise 1 that leave one direction of
/// each robot open.
World a_world(int count, double spread, int rows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto noise = [&](Eigen::Index size) {
    return Eigen::VectorXd(Eigen::VectorXd::NullaryExpr(size, [&] { return normal(random); }));
  };
  World world;
  world.mean = Eigen::VectorXd::Ones(kSize) + 0.2 * noise(kSize);
  for (int r = 0; r < count; ++r) {
    world.truth.push_back(world.mean + spread * noise(kSize));
    Eigen::MatrixXd Y =
        Eigen::MatrixXd::NullaryExpr(rows, kSize, [&] { return 20 * normal(random); });
    Y.col(3) = Y.col(2);  // no data tell these two apart
    const Eigen::VectorXd tau = Y * world.truth.back() + noise(rows);
    world.members.push_back(
        {{Y.transpose() * Y, Y.transpose() * tau}, std::vector<bool>(4, false)});
  }
  return world;
}

struct Oracle {
  Vector mean, variance;
  Matrix covariance;
  Real file_variance = 0.09L;
};

Oracle oracle_round(const PopulationLayout& layout, const std::vector<Member>& members,
                    const Oracle& before) {
  Oracle after = before;
  Vector precision(kSize);
  for (int k = 0; k < kSize; ++k)
    precision[k] =
        layout.is_of_body[static_cast<std::size_t>(k)] ? 1 / before.file_variance : 0.01L;
  Matrix A = precision.asDiagonal();
  Vector a = precision.cwiseProduct(layout.file.cast<Real>());
  std::vector<Matrix> Vs;
  std::vector<Vector> Ds;
  for (const Member& member : members) {
    Vector D(kSize);
    for (int k = 0; k < kSize; ++k) {
      const auto group = static_cast<std::size_t>(layout.group[static_cast<std::size_t>(k)]);
      D[k] = member.released[group] ? 1e-2L : 1 / before.variance[static_cast<int>(group)];
    }
    const Matrix H = member.information.H.cast<Real>();
    const Vector g = member.information.g.cast<Real>();
    const Matrix V = Matrix(H + Matrix(D.asDiagonal())).fullPivLu().inverse();
    A += H - H * V * H;
    a += g - H * V * g;
    Vs.push_back(V), Ds.push_back(D);
  }
  after.covariance = A.fullPivLu().inverse();
  after.mean = after.covariance * a;
  Vector squares = Vector::Zero(4), counts = Vector::Zero(4);
  for (std::size_t r = 0; r < members.size(); ++r) {
    const Vector m =
        Vs[r] * (members[r].information.g.cast<Real>() + Ds[r].cwiseProduct(after.mean));
    for (int k = 0; k < kSize; ++k) {
      const int group = layout.group[static_cast<std::size_t>(k)];
      if (members[r].released[static_cast<std::size_t>(group)]) continue;
      squares[group] += Vs[r](k, k) + (m[k] - after.mean[k]) * (m[k] - after.mean[k]);
      counts[group] += 1;
    }
  }
  for (int group = 0; group < 4; ++group)
    if (counts[group] > 0) after.variance[group] = squares[group] / counts[group];
  Real away = 0;
  for (int k = 0; k < 8; ++k) away += after.covariance(k, k) + std::pow(after.mean[k] - 1, 2);
  after.file_variance = away / 8;
  return after;
}

Oracle oracle_start(const Belief& start) {
  return {start.mean.cast<Real>(), start.variance.cast<Real>(), start.covariance.cast<Real>(),
          0.09L};
}

TEST(Expectation, FollowsTheFormulasRoundByRound) {
  const PopulationLayout layout = a_frame();
  World world = a_world(20, 0.05, 40, 1);
  world.members[3].released[1] = true;
  Belief belief = starting_belief(layout);
  Oracle oracle = oracle_start(belief);
  for (int round = 0; round < 40; ++round) {
    belief = next_belief(layout, world.members, belief, 2, nullptr);
    oracle = oracle_round(layout, world.members, oracle);
    // conditioned by H V, about 1e5
    ASSERT_LT((belief.mean - oracle.mean.cast<double>()).norm(), 1e-9 * belief.mean.norm())
        << round;
    ASSERT_LT((belief.variance - oracle.variance.cast<double>()).norm(),
              1e-8 * belief.variance.norm());
    ASSERT_LT((belief.covariance - oracle.covariance.cast<double>()).norm(),
              1e-8 * belief.covariance.norm());
    ASSERT_NEAR(belief.file_variance, static_cast<double>(oracle.file_variance), 1e-9);
  }
}

TEST(Expectation, FindsMeanAndScatter) {
  const PopulationLayout layout = a_frame();
  const World world = a_world(200, 0.05, 60, 2);
  Belief belief = starting_belief(layout);
  for (int round = 0; round < 40; ++round)
    belief = next_belief(layout, world.members, belief, 1, nullptr);
  for (int k = 0; k < kSize; ++k)
    if (k != 2 && k != 3) {
      EXPECT_NEAR(belief.mean[k], world.mean[k], 5 * 0.05 / std::sqrt(200.0)) << k;
    }
  for (int group = 1; group < 4; ++group)  // of 400 and more numbers
    EXPECT_NEAR(std::sqrt(belief.variance[group]), 0.05, 5 * 0.05 / std::sqrt(800.0)) << group;
}

TEST(Expectation, WithoutARobotIsTheSumOfTheOthers) {
  const PopulationLayout layout = a_frame();
  const World world = a_world(20, 0.05, 40, 3);
  Belief before = starting_belief(layout), last = before;
  Sums sums;
  for (int round = 0; round < 10; ++round)
    before = last, last = next_belief(layout, world.members, last, 1, &sums);
  const std::size_t out = 7;
  std::vector<Member> others = world.members;
  others.erase(others.begin() + out);
  const Belief left = belief_without(layout, world.members[out], before, last, sums);
  const Belief direct = next_belief(layout, others, before, 1, nullptr);
  EXPECT_LT((left.mean - direct.mean).norm(), 1e-9 * direct.mean.norm());
  EXPECT_LT((left.covariance - direct.covariance).norm(), 1e-9 * direct.covariance.norm());
  // scatter about the mean of all or of the others: a twentieth of a deviation, squared
  EXPECT_LT((left.variance - direct.variance).cwiseQuotient(direct.variance).cwiseAbs().maxCoeff(),
            0.02);
}

TEST(Expectation, ThreadsChangeNoBit) {
  const PopulationLayout layout = a_frame();
  const World world = a_world(20, 0.05, 40, 4);
  Belief one = starting_belief(layout), four = one;
  for (int round = 0; round < 5; ++round) {
    one = next_belief(layout, world.members, one, 1, nullptr);
    four = next_belief(layout, world.members, four, 4, nullptr);
  }
  EXPECT_EQ(one.mean, four.mean);
  EXPECT_EQ(one.variance, four.variance);
  EXPECT_EQ(one.covariance, four.covariance);
}

TEST(Expectation, UnexcitedGroupsKeepTheirStart) {
  PopulationLayout layout = a_frame();
  World world = a_world(20, 0.05, 40, 5);
  for (Member& member : world.members) {
    member.information.H.middleRows(8, 2).setZero(),
        member.information.H.middleCols(8, 2).setZero();
    member.information.g.segment(8, 2).setZero();
  }
  const Belief start = starting_belief(layout);
  Belief belief = start;
  for (int round = 0; round < 40; ++round)
    belief = next_belief(layout, world.members, belief, 1, nullptr);
  EXPECT_NEAR(belief.variance[2], start.variance[2], 1e-12);
}

TEST(Expectation, StaysFiniteWhereReleasedRobotsAreKnownWell) {
  // evidence beyond what adds to a prior in double precision, two columns alike, in groups that are
  // released
  const PopulationLayout layout = a_frame();
  World world = a_world(6, 0.05, 40, 5);
  for (Member& member : world.members) {
    member.information.H *= 1e6, member.information.g *= 1e6;
    member.released = {true, true, false, true};
  }
  Belief belief = starting_belief(layout);
  for (int round = 0; round < 20; ++round)
    belief = next_belief(layout, world.members, belief, 1, nullptr);
  EXPECT_TRUE(belief.mean.allFinite() && belief.covariance.allFinite() &&
              belief.variance.allFinite());
  const MemberShare share = share_of(layout, world.members[0], belief);
  const Matrix H = world.members[0].information.H.cast<Real>();
  const Matrix V = Matrix(H + Matrix(share.D.cast<Real>().asDiagonal())).fullPivLu().inverse();
  EXPECT_LT((share.V.cast<Real>() - V).norm(), 1e-2L * V.norm());
}

TEST(Outlying, FindsTheRobotAndTheGroup) {
  const PopulationLayout layout = a_frame();
  World world = a_world(40, 0.05, 60, 6);
  world.members[11].information.g +=
      world.members[11].information.H.middleCols(4, 4) * Eigen::Vector4d::Constant(0.5);
  Belief belief = starting_belief(layout);
  for (int round = 0; round < 40; ++round)
    belief = next_belief(layout, world.members, belief, 1, nullptr);
  std::vector<std::vector<Discrepancy>> all;
  for (const Member& member : world.members) all.push_back(discrepancies(layout, member, belief));
  const std::vector<Typical> typical = typical_discrepancies(all);
  for (std::size_t r = 0; r < all.size(); ++r) {
    EXPECT_EQ(all[r][0].rank, 3);  // two of its four are not told apart
    for (std::size_t group = 0; group < 4; ++group)
      EXPECT_EQ(improbability(all[r][group], typical[group]) > kImprobable, r == 11 && group == 1)
          << r << " " << group;
  }
}

TEST(Outlying, JudgesByTheFleetsOwnSpread) {
  // directions of one group scatter unlike: sums of squares of unequal weights, whose tail is
  // heavier than chi-squared of as many
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  const auto drawn = [&] {
    Discrepancy one{.rank = 6};
    for (const double weight : {3.0, 3.0, 3.0, 0.3, 0.3, 0.3})
      one.ratio += weight * std::pow(normal(random), 2);
    return std::vector<Discrepancy>{one};
  };
  constexpr int kDraws = 20000;
  std::vector<std::vector<Discrepancy>> fleet, others;
  for (int k = 0; k < kDraws; ++k) fleet.push_back(drawn()), others.push_back(drawn());
  const Typical typical = typical_discrepancies(fleet).front();
  int alarms = 0, without_spread = 0, above_the_median = 0;
  for (const auto& other : others) {
    alarms += improbability(other.front(), typical) > 2;
    without_spread += improbability(other.front(), {.scale = typical.scale}) > 2;
    above_the_median += improbability(other.front(), typical) > -std::log10(0.5);
  }
  EXPECT_NEAR(above_the_median, 0.5 * kDraws, 300);
  EXPECT_LT(alarms, 0.015 * kDraws);  // one in a hundred is what was asked for
  EXPECT_GT(alarms, 0.005 * kDraws);
  EXPECT_GT(without_spread, 0.03 * kDraws);
}

TEST(ChiSquared, IsTheIntegralOfItsDensity) {
  for (const auto& [degrees, x] :
       {std::pair{1.3L, 9.0L}, {4.7L, 2.0L}, {7.25L, 40.0L}, {10.0L, 11.9L}}) {
    // of t^(degrees / 2 - 1) e^(-t / 2) from x on, by Simpson's rule
    constexpr int kSteps = 40000;
    const Real width = 200, h = width / kSteps;
    Real integral = 0;
    for (int k = 0; k <= kSteps; ++k) {
      const Real t = x + k * h, weight = k == 0 || k == kSteps ? 1 : k % 2 == 1 ? 4 : 2;
      integral += weight * std::pow(t, degrees / 2 - 1) * std::exp(-t / 2);
    }
    integral *= h / 3 / (std::pow(2.0L, degrees / 2) * std::tgamma(degrees / 2));
    EXPECT_NEAR(chi_squared_improbability(static_cast<double>(x), static_cast<double>(degrees)),
                static_cast<double>(-std::log10(integral)), 1e-9);
  }
}

TEST(ChiSquared, IsThatOfTables) {  // Abramowitz, Stegun 1964, table 26.8
  EXPECT_NEAR(chi_squared_improbability(3.84146, 1), -std::log10(0.05), 1e-5);
  EXPECT_NEAR(chi_squared_improbability(18.3070, 10), -std::log10(0.05), 1e-5);
  EXPECT_NEAR(chi_squared_improbability(24.9958, 15), -std::log10(0.05), 1e-5);
  EXPECT_NEAR(chi_squared_improbability(29.5883, 10), 3, 1e-5);
  EXPECT_EQ(chi_squared_improbability(1e6, 10), 300);
  EXPECT_EQ(chi_squared_improbability(0, 3), 0);
  EXPECT_NEAR(chi_squared_median(10), 9.34182, 0.01);
  EXPECT_NEAR(chi_squared_deviate(18.3070, 10), 1.64485, 0.02);
}

}  // namespace
}  // namespace heft::population
