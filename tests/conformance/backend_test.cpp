// Every backend, and every instruction set of the CPU backend, against dense sums of the oracle's rows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>

#include "heft/moments.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using oracle::RandomRobotOptions;
using testing::RandomSamples;

struct BackendCase {
  const char* name;
  BackendKind kind;
  const char* instruction_set;
};

void PrintTo(const BackendCase& test_case, std::ostream* out) {
  *out << test_case.name;
}

class Conformance : public ::testing::TestWithParam<BackendCase> {
 protected:
  void SetUp() override {
    setenv("HEFT_CPU", GetParam().instruction_set, 1);
    auto made = make_backend({.kind = GetParam().kind, .threads = 2});
    if (!made) {
      if (std::getenv("HEFT_REQUIRE_GPU")) FAIL() << made.error().message();
      GTEST_SKIP() << made.error().message();
    }
    backend_ = std::move(*made);
  }
  void TearDown() override { unsetenv("HEFT_CPU"); }

  std::unique_ptr<Backend> backend_;
};

PlanPtr plan_with_columns(const Robot& robot) {
  const std::vector<Channel> channels = default_channels(robot);
  Result<PlanPtr> plan =
      make_regressor_plan(robot, channels, testing::columns_of_every_kind(robot, channels));
  EXPECT_TRUE(plan.ok());
  return *plan;
}

/// |dG| / |G| in the Frobenius norm; the bound of the moments' contract.
void expect_equations_of_oracle(Backend& backend, const Robot& robot, int num_samples, std::uint64_t seed) {
  const PlanPtr plan = plan_with_columns(robot);
  const RandomSamples data = testing::random_samples(*plan, num_samples, seed);
  MomentAccumulator accumulator(plan, backend);
  ASSERT_TRUE(accumulator.push(0, data.samples).ok());
  Result<Moments> moments = accumulator.finish();
  ASSERT_TRUE(moments.ok());

  Eigen::VectorXd weights(plan->num_channels());
  for (int c = 0; c < weights.size(); ++c) weights[c] = 0.5 + 0.1 * c;
  const NormalEquations equations = normal_equations(*moments, weights);

  const int P = plan->layout.num_parameters();
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> G(P, P);
  Eigen::Matrix<long double, Eigen::Dynamic, 1> b(P);
  G.setZero(), b.setZero();
  long double tau2 = 0, rows = 0;
  for (int t = 0; t < num_samples; ++t) {
    const Eigen::MatrixXd Y = testing::oracle_rows(*plan, data, t);
    for (int c = 0; c < plan->num_channels(); ++c) {
      if (data.samples.weight(t, c) == 0) continue;
      const Eigen::Matrix<long double, Eigen::Dynamic, 1> y = Y.row(c).transpose().cast<long double>();
      const long double weight = weights[c], tau = data.samples.torque(t, c);
      G += weight * y * y.transpose();
      b += weight * tau * y;
      tau2 += weight * tau * tau;
      rows += 1;
    }
  }
  EXPECT_LE((equations.G.cast<long double>() - G).norm(), 1e-13L * G.norm());
  EXPECT_LE((equations.b.cast<long double>() - b).norm(), 1e-13L * std::sqrt(G.trace() * tau2));
  EXPECT_LE(std::abs(equations.tau2 - tau2), 1e-13L * tau2);
  EXPECT_EQ(equations.num_rows, static_cast<double>(rows));
}

TEST_P(Conformance, SumsOfRandomTreesEqualTheOracle) {
  for (int seed = 0; seed < 12; ++seed)
    expect_equations_of_oracle(
        *backend_, oracle::random_robot(RandomRobotOptions::everything(seed % 2), 70 + seed), 150, seed);
}

TEST_P(Conformance, SumsOverSeveralChunksEqualTheOracle) {
  RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 3;
  expect_equations_of_oracle(*backend_, oracle::random_robot(options, 5), 3 * 1024 + 77, 5);
}

TEST_P(Conformance, PredictsTorquesOfTheOracle) {
  for (int seed = 0; seed < 10; ++seed) {
    const Robot robot = oracle::random_robot(RandomRobotOptions::everything(seed % 2), 170 + seed);
    const PlanPtr plan = plan_with_columns(robot);
    const int num_samples = 1030;
    const RandomSamples data = testing::random_samples(*plan, num_samples, seed);
    oracle::Random random(seed);
    const Eigen::VectorXd x = random.normal_vector(plan->layout.num_parameters());
    Eigen::ArrayXXd torque = Eigen::ArrayXXd::Constant(num_samples, plan->num_channels(), NAN);
    const PredictJob job{plan.get(), &data.samples, &x};
    ASSERT_TRUE(backend_->predict({&job, 1}, {&torque, 1}).ok());
    for (const int t : {0, 1, 511, 1023, 1024, num_samples - 1}) {
      const Eigen::MatrixXd Y = testing::oracle_rows(*plan, data, t);
      EXPECT_LE(oracle::largest_difference(torque.row(t).matrix().transpose(), Y * x),
                1e-12 * oracle::term_size(Y, x));
    }
  }
}

TEST_P(Conformance, JobsMayShareSamplesAndPlans) {
  const PlanPtr plan = plan_with_columns(oracle::random_robot({}, 8));
  const RandomSamples data = testing::random_samples(*plan, 2048, 8);
  const std::vector<AccumulateJob> jobs = {{plan.get(), &data.samples, 0, 2048},
                                           {plan.get(), &data.samples, 1024, 1024},
                                           {plan.get(), &data.samples, 0, 1024}};
  std::vector<std::vector<double>> partials(3);
  ASSERT_TRUE(backend_->accumulate(jobs, partials).ok());
  ASSERT_EQ(partials[0].size(), 2 * static_cast<std::size_t>(plan->packed_size));
  EXPECT_TRUE(std::equal(partials[1].begin(), partials[1].end(), partials[0].begin() + plan->packed_size));
  EXPECT_TRUE(std::equal(partials[2].begin(), partials[2].end(), partials[0].begin()));
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance,
                         ::testing::Values(BackendCase{"cpu_widest", BackendKind::cpu, ""},
                                           BackendCase{"cpu_avx2", BackendKind::cpu, "avx2"},
                                           BackendCase{"cpu_baseline", BackendKind::cpu, "baseline"},
                                           BackendCase{"cuda", BackendKind::cuda, ""}),
                         [](const auto& test_case) { return test_case.param.name; });

}  // namespace
}  // namespace heft
