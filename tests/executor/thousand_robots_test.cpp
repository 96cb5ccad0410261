// The moments of a thousand random robots of every kind compared with sums of the oracle's rows in
// long double.
#include <gtest/gtest.h>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

TEST(ThousandRobots, MomentsEqualTheOracle) {
  constexpr int kSamples = 16;
  constexpr long double kBound = 1e-13L;  // of the norm of G
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend.ok());
  for (int seed = 0; seed < 1000; ++seed) {
    auto kinds = oracle::RandomRobotOptions::everything(seed % 2);
    kinds.max_bodies = 6;
    const Robot robot = oracle::random_robot(kinds, 10'000 + seed);
    const PlanPtr plan = *make_regressor_plan(robot, default_channels(robot), {});
    const testing::RandomSamples data = testing::random_samples(*plan, kSamples, seed);
    const Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(plan->num_channels(), 0.3, 2.1);
    AccumulateOptions options;
    if (seed % 4 >= 2) options.channel_weights = weights;
    MomentAccumulator accumulator(plan, **backend, options);
    ASSERT_TRUE(accumulator.push(0, data.samples).ok());
    const NormalEquations equations = normal_equations(*accumulator.finish(), weights);

    LongMatrix G = LongMatrix::Zero(equations.G.rows(), equations.G.cols());
    for (int t = 0; t < kSamples; ++t) {
      const LongMatrix Y = testing::oracle_rows(*plan, data, t).cast<long double>();
      for (int c = 0; c < plan->num_channels(); ++c)
        if (data.samples.weight(t, c) != 0)
          G += static_cast<long double>(weights[c]) * Y.row(c).transpose() * Y.row(c);
    }
    const long double error = (equations.G.cast<long double>() - G).norm();
    EXPECT_LE(error, kBound * G.norm()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace heft
