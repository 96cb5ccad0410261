// Every backend, instruction set of the CPU backend, form of the moments and precision, compared
// with dense sums of the oracle's rows.
#include <gtest/gtest.h>

#include "heft/moments/moments.hpp"
#include "tests/conformance/backend_cases.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using oracle::RandomRobotOptions;
using testing::Form;
using testing::packed_sums;
using testing::RandomSamples;

class Conformance : public testing::OnBackend {};
class ConformanceOfForms : public testing::OnBackendInForm {};

PlanPtr plan_with_columns(const Robot& robot) {
  const std::vector<Channel> channels = default_channels(robot);
  Result<PlanPtr> plan =
      make_regressor_plan(robot, channels, testing::columns_of_every_kind(robot, channels));
  EXPECT_TRUE(plan.ok());
  return *plan;
}

Eigen::VectorXd some_weights(const RegressorPlan& plan) {
  Eigen::VectorXd weights(plan.num_channels());
  for (int c = 0; c < weights.size(); ++c) weights[c] = 0.5 + 0.1 * c;
  return weights;
}

/// `equations` against dense sums of the oracle's rows of samples [begin, end): |dG| / |G| in the
/// Frobenius norm, b and tau2 likewise.
void expect_equations_of_rows(const NormalEquations& equations, const RegressorPlan& plan,
                              const RandomSamples& data, int begin, int end,
                              long double tolerance) {
  const Eigen::VectorXd weights = some_weights(plan);
  const int P = plan.layout.num_parameters();
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> G(P, P);
  Eigen::Matrix<long double, Eigen::Dynamic, 1> b(P);
  G.setZero(), b.setZero();
  long double tau2 = 0, rows = 0;
  std::vector<int> present;
  for (int t = begin; t < end; ++t) {
    const Eigen::MatrixXd Y = testing::oracle_rows(plan, data, t);
    for (int c = 0; c < plan.num_channels(); ++c) {
      if (data.samples.weight(t, c) == 0) continue;
      const Eigen::Matrix<long double, Eigen::Dynamic, 1> y =
          Y.row(c).transpose().cast<long double>();
      const long double weight = weights[c], tau = data.samples.torque(t, c);
      present.clear();  // a row of a tree is zero but for the bodies that its channel carries
      for (int k = 0; k < P; ++k)
        if (y[k] != 0) present.push_back(k);
      for (std::size_t j = 0; j < present.size(); ++j)
        for (std::size_t i = j; i < present.size(); ++i)
          G(present[i], present[j]) += weight * y[present[i]] * y[present[j]];
      b += weight * tau * y;
      tau2 += weight * tau * tau;
      rows += 1;
    }
  }
  G.triangularView<Eigen::StrictlyUpper>() = G.transpose();
  EXPECT_LE((equations.G.cast<long double>() - G).norm(), tolerance * G.norm());
  EXPECT_LE((equations.b.cast<long double>() - b).norm(), tolerance * std::sqrt(G.trace() * tau2));
  EXPECT_LE(std::abs(equations.tau2 - tau2), tolerance * tau2);
  EXPECT_EQ(equations.num_rows, static_cast<double>(rows));
}

void expect_equations_of_oracle(Backend& backend, const Form& form, const Robot& robot,
                                int num_samples, std::uint64_t seed) {
  const PlanPtr plan = plan_with_columns(robot);
  const RandomSamples data = testing::random_samples(*plan, num_samples, seed);
  const Eigen::VectorXd weights = some_weights(*plan);
  AccumulateOptions options{.precision = form.precision};
  if (form.is_summed) options.channel_weights = weights;
  MomentAccumulator accumulator(plan, backend, options);
  ASSERT_TRUE(accumulator.push(0, data.samples).ok());
  Result<Moments> moments = accumulator.finish();
  ASSERT_TRUE(moments.ok()) << moments.error().message();
  expect_equations_of_rows(normal_equations(*moments, weights), *plan, data, 0, num_samples,
                           form.tolerance);
}

TEST_P(ConformanceOfForms, SumsOfRandomTreesEqualTheOracle) {
  for (int seed = 0; seed < 12; ++seed)
    expect_equations_of_oracle(
        *backend_, form(),
        oracle::random_robot(RandomRobotOptions::everything(seed % 2), 70 + seed), 150, seed);
}

TEST_P(ConformanceOfForms, SumsOverSeveralChunksEqualTheOracle) {
  RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 3;
  expect_equations_of_oracle(*backend_, form(), oracle::random_robot(options, 5), 3 * 1024 + 77, 5);
}

/// Chunks shorter than a pack, of one and of a little more, which is also how every long chunk
/// ends.
TEST_P(ConformanceOfForms, SumsOfTheShortestChunksEqualTheOracle) {
  constexpr int kSamples = 35;
  RandomRobotOptions robot;
  robot.min_bodies = robot.max_bodies = 4;
  const PlanPtr plan = plan_with_columns(oracle::random_robot(robot, 9));
  const RandomSamples data = testing::random_samples(*plan, kSamples, 9);
  const Eigen::VectorXd weights = some_weights(*plan);
  AccumulateOptions options{.precision = form().precision};
  if (form().is_summed) options.channel_weights = weights;
  for (const int chunk : {1, 3, 8, 17}) {
    const AccumulateJob job{plan.get(), &data.samples, 0, kSamples, chunk, &options};
    const std::vector<double> partials = packed_sums(*backend_, job);
    Moments moments = zero_moments(plan, options.channel_weights);
    const std::size_t size = moments.packed.size();
    ASSERT_EQ(partials.size(), size * static_cast<std::size_t>(job.num_chunks()));
    for (int begin = 0, k = 0; begin < kSamples; begin += chunk, ++k) {
      const int end = std::min(begin + chunk, kSamples);
      moments.packed.assign(partials.begin() + k * size, partials.begin() + (k + 1) * size);
      for (int c = 0; c < plan->num_channels(); ++c)
        moments.num_rows[c] = static_cast<double>(
            (data.samples.weight.col(c).segment(begin, end - begin) != 0).count());
      expect_equations_of_rows(normal_equations(moments, weights), *plan, data, begin, end,
                               form().tolerance);
    }
  }
}

TEST_P(ConformanceOfForms, SumsOfOneTo64JointsEqualTheOracle) {
  for (const int num_joints : {1, 2, 16, 64}) {
    RandomRobotOptions options;
    options.min_bodies = options.max_bodies = num_joints;
    options.branching = 0.4;
    options.floating_base = num_joints == 16;
    expect_equations_of_oracle(*backend_, form(), oracle::random_robot(options, num_joints), 20,
                               num_joints);
  }
}

TEST_P(Conformance, RowsAsArraysEqualTheOracle) {
  for (int seed = 0; seed < 6; ++seed) {
    const PlanPtr plan = plan_with_columns(
        oracle::random_robot(RandomRobotOptions::everything(seed % 2), 90 + seed));
    const RandomSamples data = testing::random_samples(*plan, 140, seed);
    std::vector<RowArray> rows;
    const Result<Done> done = backend_->evaluate_rows(*plan, data.samples, rows);
    ASSERT_TRUE(done.ok()) << done.error().message();
    ASSERT_EQ(static_cast<int>(rows.size()), plan->num_channels());
    for (int t = 0; t < 140; ++t) {
      const Eigen::MatrixXd expected = testing::oracle_rows(*plan, data, t);
      for (int c = 0; c < plan->num_channels(); ++c) {
        Eigen::RowVectorXd structural = Eigen::RowVectorXd::Zero(plan->num_structural_columns());
        for (std::size_t i = 0; i < plan->channel_columns[c].size(); ++i)
          structural[plan->channel_columns[c][i]] += rows[c](t, static_cast<Eigen::Index>(i));
        ASSERT_LE((structural * plan->regrouping - expected.row(c)).norm(), 1e-12 * expected.norm())
            << seed << ' ' << t << ' ' << c;
      }
    }
  }
}

TEST_P(Conformance, SumsOfGivenRowsAreTheirProducts) {
  const PlanPtr plan =
      plan_with_columns(oracle::random_robot(RandomRobotOptions::everything(true), 31));
  oracle::Random random(31);
  constexpr int kSamples = 300, kBegin = 20, kCount = 270, kChunk = 128;
  std::vector<RowArray> rows;
  for (const core::ChannelEntry& channel : plan->channel_entries) {
    rows.emplace_back(kSamples, channel.width);
    for (double& x : rows.back().reshaped()) x = random.normal();
  }
  const RowsJob job{plan.get(), rows, kBegin, kCount, kChunk};
  std::vector<double> partials;
  const Result<Done> done = backend_->accumulate_rows({&job, 1}, {&partials, 1});
  ASSERT_TRUE(done.ok()) << done.error().message();
  ASSERT_EQ(static_cast<std::int64_t>(partials.size()), 3 * plan->packed_size);
  for (int chunk = 0; chunk < 3; ++chunk)
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const core::ChannelEntry& channel = plan->channel_entries[c];
      const Eigen::Index begin = kBegin + chunk * kChunk,
                         count = std::min(kChunk, kCount - chunk * kChunk);
      const Eigen::MatrixXd block = rows[c].middleRows(begin, count).matrix();
      for (int i = 0; i < channel.width; ++i)
        for (int j = i; j < channel.width; ++j) {
          const double expected = block.col(i).dot(block.col(j));
          const double sum =
              partials[static_cast<std::size_t>(chunk * plan->packed_size + channel.packed_offset +
                                                core::packed_index(channel.width, i, j))];
          ASSERT_NEAR(sum, expected, 1e-13 * block.col(i).norm() * block.col(j).norm());
        }
    }
}

TEST_P(ConformanceOfForms, SumsHaveTheSameBitsOnAnyNumberOfThreads) {
  const PlanPtr plan =
      plan_with_columns(oracle::random_robot(RandomRobotOptions::everything(true), 4));
  const RandomSamples data = testing::random_samples(*plan, 5 * 256 + 3, 4);
  const AccumulateOptions options = this->options(plan->num_channels());
  const AccumulateJob job{plan.get(), &data.samples, 0, data.samples.size(), 256, &options};
  const std::vector<double> on_two = packed_sums(*backend_, job);
  for (const int threads : {1, 3}) {
    std::string why_not;
    const auto backend = testing::make(std::get<0>(GetParam()), why_not, threads);
    EXPECT_EQ(packed_sums(*backend, job), on_two) << threads;
  }
}

TEST_P(ConformanceOfForms, SamplesWithoutTorqueAndWeightsGiveTheGramMatrix) {
  const PlanPtr plan = plan_with_columns(oracle::random_robot({}, 12));
  Samples samples = testing::random_samples(*plan, 100, 12).samples;
  samples.torque.setZero();
  samples.weight.setOnes();
  const AccumulateOptions options = this->options(plan->num_channels());
  AccumulateJob job{plan.get(), &samples, 0, samples.size(), 1024, &options};
  const std::vector<double> with_arrays = packed_sums(*backend_, job);
  samples.torque.resize(0, 0);
  samples.weight.resize(0, 0);
  EXPECT_EQ(packed_sums(*backend_, job), with_arrays);
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

/// Rows of sensors are those of oracles (RowsAsArraysEqualTheOracle, tests/setup); predictions do
/// not go through rows.
TEST_P(Conformance, PredictsWrenchesOnAnyLinkAsItsRowsDo) {
  for (int seed = 0; seed < 10; ++seed) {
    const Robot robot = oracle::random_robot(RandomRobotOptions::everything(seed % 2), 190 + seed);
    oracle::Random random(seed);
    std::vector<Channel> channels = default_channels(robot);
    for (int body = 0; body < robot.num_bodies(); body += 2)
      for (int k = 0; k < 6; ++k) {
        Channel screw{
            .name = "screw " + std::to_string(6 * body + k), .coordinate = -1, .body = body};
        screw.linear = k < 3 ? random.normal3() : Eigen::Vector3d::Zero().eval();
        screw.angular = k < 2 ? Eigen::Vector3d::Zero().eval() : random.normal3();
        channels.push_back(screw);
      }
    const PlanPtr plan = *make_regressor_plan(robot, channels, {});
    const RandomSamples data = testing::random_samples(*plan, 37, seed);
    const Eigen::VectorXd x = random.normal_vector(plan->layout.num_parameters());
    const Eigen::VectorXd structural = plan->regrouping * x;
    std::vector<RowArray> rows;
    ASSERT_TRUE(backend_->evaluate_rows(*plan, data.samples, rows).ok());
    Eigen::ArrayXXd torque = Eigen::ArrayXXd::Constant(37, plan->num_channels(), NAN);
    const PredictJob job{plan.get(), &data.samples, &x};
    ASSERT_TRUE(backend_->predict({&job, 1}, {&torque, 1}).ok());
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const std::vector<int>& columns = plan->channel_columns[c];
      for (int t = 0; t < 37; ++t) {
        double expected = 0, size = 0;
        for (std::size_t k = 0; k < columns.size(); ++k) {
          const double term = rows[c](t, static_cast<Eigen::Index>(k)) * structural[columns[k]];
          expected += term, size += std::abs(term);
        }
        ASSERT_NEAR(torque(t, static_cast<Eigen::Index>(c)), expected, 1e-12 * (1 + size))
            << seed << ' ' << c;
      }
    }
  }
}

/// An angle of some thousand radians, rounded, would be wrong by 1e-12. At rest nothing else is as
/// large.
TEST_P(Conformance, PredictsTorquesAtRestBehindGearsOfAThousand) {
  RandomRobotOptions options;
  options.rotors = 1, options.symmetric_rotors = 0;
  Robot robot = oracle::random_robot(options, 17);
  for (Body& body : robot.bodies)
    if (body.is_rotor) body.ratio = 1000;
  const PlanPtr plan = *make_regressor_plan(robot, default_channels(robot), {});
  RandomSamples data = testing::random_samples(*plan, 40, 17);
  data.samples.velocity.setZero(), data.samples.acceleration.setZero();
  for (oracle::Motion& motion : data.motions) motion.qd.setZero(), motion.qdd.setZero();
  oracle::Random random(17);
  const Eigen::VectorXd x = random.normal_vector(plan->layout.num_parameters());
  Eigen::ArrayXXd torque = Eigen::ArrayXXd::Constant(40, plan->num_channels(), NAN);
  const PredictJob job{plan.get(), &data.samples, &x};
  ASSERT_TRUE(backend_->predict({&job, 1}, {&torque, 1}).ok());
  for (int t = 0; t < 40; ++t) {
    const Eigen::MatrixXd Y = testing::oracle_rows(*plan, data, t);
    EXPECT_LE(oracle::largest_difference(torque.row(t).matrix().transpose(), Y * x),
              3e-14 * oracle::term_size(Y, x));
  }
}

TEST_P(Conformance, JobsMayShareSamplesAndPlans) {
  const PlanPtr plan = plan_with_columns(oracle::random_robot({}, 8));
  const RandomSamples data = testing::random_samples(*plan, 2048, 8);
  const std::vector<AccumulateJob> jobs = {{plan.get(), &data.samples, 0, 2048, 1024},
                                           {plan.get(), &data.samples, 1024, 1024, 1024},
                                           {plan.get(), &data.samples, 0, 1024, 1024}};
  std::vector<std::vector<double>> partials(3);
  ASSERT_TRUE(backend_->accumulate(jobs, partials).ok());
  ASSERT_EQ(partials[0].size(), 2 * static_cast<std::size_t>(plan->packed_size));
  EXPECT_TRUE(
      std::equal(partials[1].begin(), partials[1].end(), partials[0].begin() + plan->packed_size));
  EXPECT_TRUE(std::equal(partials[2].begin(), partials[2].end(), partials[0].begin()));
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, ::testing::ValuesIn(testing::kBackends),
                         testing::name_of_backend);

INSTANTIATE_TEST_SUITE_P(Backends, ConformanceOfForms,
                         ::testing::Combine(::testing::ValuesIn(testing::kBackends),
                                            ::testing::ValuesIn(testing::kForms)),
                         testing::name_of_form);

}  // namespace
}  // namespace heft
