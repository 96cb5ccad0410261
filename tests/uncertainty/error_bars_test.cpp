// Error bars from blocks: exact on a mean, correct on filtered noise, absent for what the data do
// not determine; and the share that the prior decides.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heft/uncertainty/uncertainty.hpp"
#include "linalg/factorizations.hpp"
#include "tests/observe/builders.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

BaseQuantities plain_quantities(int size) {
  BaseQuantities quantities{.E = Eigen::MatrixXd::Identity(size, size),
                            .R = Eigen::MatrixXd::Identity(size, size)};
  for (int k = 0; k < size; ++k) quantities.names.push_back(std::to_string(k));
  return quantities;
}

NormalEquations normal_equations_of(const Eigen::MatrixXd& Y, const Eigen::VectorXd& tau) {
  return {Y.transpose() * Y, Y.transpose() * tau, tau.squaredNorm(),
          static_cast<double>(tau.size())};
}

// The mean of twelve equally long blocks: its variance is the sample variance of the block means
// over their number. Means that alternate about theirs have neither a common memory nor a drift.
TEST(ErrorBars, MeanOfBlockMeans) {
  oracle::Random random(1);
  const int num_blocks = 12, length = 7;
  std::vector<NormalEquations> blocks;
  Eigen::VectorXd means(num_blocks);
  for (int b = 0; b < num_blocks; ++b) {
    const double beside = (b % 2 == 0 ? 1 : -1) * (1 + 0.1 * random.normal());
    const Eigen::VectorXd noise = random.normal_vector(length);
    const Eigen::VectorXd tau = (3 + beside + noise.array() - noise.mean()).matrix();
    means[b] = tau.mean();
    blocks.push_back(normal_equations_of(Eigen::MatrixXd::Ones(length, 1), tau));
  }
  const double variance = (means.array() - means.mean()).square().sum() / (num_blocks - 1);
  const Result<ErrorBars> bars = error_bars(blocks, plain_quantities(1));
  ASSERT_TRUE(bars.ok()) << bars.error().message();
  EXPECT_NEAR(bars->estimate[0], means.mean(), 1e-13);
  EXPECT_NEAR(bars->standard_error[0], std::sqrt(variance / num_blocks), 1e-13);
  EXPECT_NEAR(bars->covariance(0, 0), variance / num_blocks, 1e-13);
  // Student's t, 11 degrees of freedom, 97.5 %: 2.200985 in every table
  EXPECT_NEAR(bars->degrees[0], 11, 1e-9);
  EXPECT_NEAR(bars->half_width[0] / bars->standard_error[0], 2.200985, 1e-5);
  EXPECT_EQ(bars->num_blocks, num_blocks);
  ASSERT_TRUE(bars->calibration);
  EXPECT_EQ(bars->calibration->widened_by, 1);
}

/// Scatter of the scores of some blocks about their own fit; adds the directions that it leaves.
double scatter_of(const std::vector<NormalEquations>& blocks, const Eigen::MatrixXd& root,
                  const Eigen::VectorXd& estimate, int first, int count, double& left) {
  const Eigen::Index size = root.cols();
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd score = Eigen::VectorXd::Zero(size);
  for (int b = first; b < first + count; ++b) {
    information += root.transpose() * blocks[b].G * root;
    score += root.transpose() * (blocks[b].b - blocks[b].G * estimate);
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(1e-4);
  decomposition.compute(information);
  const Eigen::MatrixXd inverse = decomposition.pseudoInverse();
  const Eigen::VectorXd own = estimate + root * (inverse * score);
  double scatter = 0;
  left += static_cast<double>(decomposition.rank());
  for (int b = first; b < first + count; ++b) {
    const Eigen::VectorXd z = root.transpose() * (blocks[b].b - blocks[b].G * own);
    const Eigen::MatrixXd absorbed = inverse * (root.transpose() * blocks[b].G * root);
    scatter += z.dot(inverse * z);
    left -= (absorbed * absorbed).trace();
  }
  return scatter;
}

// Also where one half does not see a direction at all.
TEST(ErrorBars, SeparateFitsAreThoseOfTheHalves) {
  constexpr int kBlocks = 12, kLength = 60, kUnknowns = 4;
  for (const bool is_blind : {false, true}) {
    oracle::Random random(is_blind ? 4 : 3);
    std::vector<NormalEquations> blocks;
    NormalEquations all{Eigen::MatrixXd::Zero(kUnknowns, kUnknowns),
                        Eigen::VectorXd::Zero(kUnknowns)};
    for (int b = 0; b < kBlocks; ++b) {
      Eigen::MatrixXd Y(kLength, kUnknowns);
      for (int k = 0; k < kUnknowns; ++k) Y.col(k) = random.normal_vector(kLength);
      if (is_blind && b >= kBlocks / 2) Y.col(1).setZero();
      const Eigen::VectorXd tau = Y.rowwise().sum() + random.normal_vector(kLength) +
                                  0.1 * random.normal() * Eigen::VectorXd::Ones(kLength);
      blocks.push_back(normal_equations_of(Y, tau));
      all.G += blocks.back().G;
      all.b += blocks.back().b;
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(all.G);
    const Eigen::VectorXd estimate = factor.solve(all.b);
    const Eigen::MatrixXd root =
        factor.matrixU().solve(Eigen::MatrixXd::Identity(kUnknowns, kUnknowns));
    double left = 0, left_of_halves = 0;
    const double scatter = scatter_of(blocks, root, estimate, 0, kBlocks, left);
    double of_halves = 0;
    for (const int first : {0, kBlocks / 2})
      of_halves += scatter_of(blocks, root, estimate, first, kBlocks / 2, left_of_halves);
    const Result<ErrorBars> bars = error_bars(blocks, plain_quantities(kUnknowns));
    ASSERT_TRUE(bars.ok()) << bars.error().message();
    ASSERT_TRUE(bars->separate_fits);
    const double expected = std::sqrt(scatter / left / (of_halves / left_of_halves));
    EXPECT_NEAR(bars->separate_fits->ratio, expected, 1e-10 * expected) << is_blind;
  }
}

/// Noise of an experiment, in samples.
struct NoiseOfExperiment {
  double memory = 10;
  double drift = 0;          ///< from begin to end, in units of its white part
  bool heavy_tails = false;  ///< Student's t with two degrees of freedom, which has no variance
};

/// Smooth rows and noise with a memory, blocks of 250 samples.
struct Experiment {
  Eigen::Vector3d truth{1, -0.5, 2};
  std::vector<NormalEquations> blocks;
  Eigen::MatrixXd Y;
  Eigen::VectorXd tau;

  explicit Experiment(std::uint64_t seed, int num_blocks = 40, const NoiseOfExperiment& of = {}) {
    oracle::Random random(seed);
    const int length = 250, N = num_blocks * length;
    Y.resize(N, 3);
    tau.resize(N);
    const double memory = std::exp(-1 / of.memory);
    double noise = random.normal() / std::sqrt(1 - memory * memory);
    const Eigen::Vector3d phase = 6 * random.normal3();
    for (int i = 0; i < N; ++i) {
      const double tail = of.heavy_tails ? std::hypot(random.normal(), random.normal()) : 1;
      noise = memory * noise + random.normal() / std::max(tail, 1e-3);
      Y.row(i) << 1, std::sin(0.011 * i + phase[0]) + 0.5 * std::sin(0.004 * i + phase[2]),
          std::cos(0.017 * i + phase[1]);
      tau[i] = Y.row(i).dot(truth) + noise + of.drift * i / N;
    }
    for (int b = 0; b < num_blocks; ++b)
      blocks.push_back(
          normal_equations_of(Y.middleRows(b * length, length), tau.segment(b * length, length)));
  }
};

// 300 experiments of three quantities: 900 intervals, 95 % of which should hold the truth. Three
// standard deviations of that count are 2.2 %; blocks that are only nearly independent, and as many
// as forty, cost a little more.
TEST(ErrorBars, CoverTheTruthUnderFilteredNoise) {
  int num_covered = 0, num_covered_naively = 0, num_intervals = 0;
  for (int seed = 0; seed < 300; ++seed) {
    const Experiment experiment(seed);
    const Result<ErrorBars> bars = error_bars(experiment.blocks, plain_quantities(3));
    ASSERT_TRUE(bars.ok()) << bars.error().message();
    const Eigen::MatrixXd H_inverse =
        Eigen::MatrixXd(experiment.Y.transpose() * experiment.Y).inverse();
    const Eigen::VectorXd residual = experiment.tau - experiment.Y * bars->estimate;
    const double variance = residual.squaredNorm() / static_cast<double>(residual.size() - 3);
    for (int k = 0; k < 3; ++k) {
      const double error = std::abs(bars->estimate[k] - experiment.truth[k]);
      num_covered += error <= bars->half_width[k];
      num_covered_naively += error <= 1.96 * std::sqrt(variance * H_inverse(k, k));
      ++num_intervals;
    }
  }
  EXPECT_GE(num_covered, 0.90 * num_intervals);
  EXPECT_LE(num_covered, 0.98 * num_intervals);
  EXPECT_LE(num_covered_naively, 0.6 * num_intervals);  // else the noise would prove nothing
}

/// Share of intervals that contain the truth.
double held(int num_blocks, const NoiseOfExperiment& noise) {
  constexpr int kNumExperiments = 200;
  int num_held = 0;
  for (int seed = 0; seed < kNumExperiments; ++seed) {
    const Experiment experiment(seed, num_blocks, noise);
    const Result<ErrorBars> bars = error_bars(experiment.blocks, plain_quantities(3));
    EXPECT_TRUE(bars.ok()) << bars.error().message();
    if (!bars.ok()) return 0;
    for (int k = 0; k < 3; ++k)
      num_held += std::abs(bars->estimate[k] - experiment.truth[k]) <= bars->half_width[k];
  }
  return num_held / (3.0 * kNumExperiments);
}

// 600 intervals each: three standard deviations are 2.7 %.
TEST(ErrorBars, CoverTheTruthFromFewBlocks) {
  EXPECT_GE(held(8, {}), 0.92);
}
TEST(ErrorBars, CoverTheTruthUnderHeavyTails) {
  EXPECT_GE(held(24, {.heavy_tails = true}), 0.92);
}
TEST(ErrorBars, CoverTheTruthUnderNoiseAsSlowAsABlock) {
  EXPECT_GE(held(48, {.memory = 250}), 0.90);
}

// A drift as large as the noise: halves differ, bars widen and say so. Without it they rarely do.
TEST(ErrorBars, HalvesThatDifferWidenThem) {
  int num_drifting = 0, num_steady = 0;
  double drifting = 0, steady = 0;
  for (int seed = 0; seed < 100; ++seed) {
    const auto with = error_bars(Experiment(seed, 48, {.drift = 5}).blocks, plain_quantities(3));
    const auto without = error_bars(Experiment(seed, 48).blocks, plain_quantities(3));
    ASSERT_TRUE(with.ok() && without.ok());
    ASSERT_TRUE(with->calibration && without->calibration);
    num_drifting += with->calibration->widened_by > 1;
    num_steady += without->calibration->widened_by > 1;
    EXPECT_GE(with->calibration->p_value, 0);
    drifting += with->half_width[0];
    steady += without->half_width[0];
  }
  EXPECT_GE(num_drifting, 90);
  EXPECT_LE(num_steady, 12);  // 5 of 100 are expected
  EXPECT_GT(drifting, 2 * steady);
}

/// A log of as many smooth rows as unknowns, twice as many as blocks: sums of slow sines, and noise
/// with a memory, of unit variance.
struct ShortLog {
  static constexpr int kBlocks = 12, kLength = 150, kUnknowns = 24;
  Eigen::VectorXd truth;
  std::vector<NormalEquations> blocks;

  ShortLog(std::uint64_t seed, double memory) {
    oracle::Random random(seed);
    const int N = kBlocks * kLength;
    truth = random.normal_vector(kUnknowns);
    Eigen::MatrixXd Y(N, kUnknowns);
    for (int k = 0; k < kUnknowns; ++k) {
      const Eigen::VectorXd phase = 6 * random.normal_vector(3), rate = random.normal_vector(3);
      for (int i = 0; i < N; ++i)
        Y(i, k) = std::sin(0.02 * rate[0] * i + phase[0]) +
                  std::sin(0.03 * rate[1] * i + phase[1]) + std::sin(0.04 * rate[2] * i + phase[2]);
    }
    const double keep = std::exp(-1 / memory);
    double noise = random.normal();
    Eigen::VectorXd tau = Y * truth;
    for (int i = 0; i < N; ++i) {
      noise = keep * noise + std::sqrt(1 - keep * keep) * random.normal();
      tau[i] += noise;
    }
    for (int b = 0; b < kBlocks; ++b)
      blocks.push_back(normal_equations_of(Y.middleRows(b * kLength, kLength),
                                           tau.segment(b * kLength, kLength)));
  }
};

/// Shares of intervals of short logs that contain the truth, with and without the factor of
/// separate fits, and the mean of that factor.
struct OfShortLogs {
  double held = 0, held_before = 0, widened_by = 0;
};

OfShortLogs of_short_logs(double memory) {
  constexpr int kNumLogs = 60;
  OfShortLogs result;
  for (int seed = 0; seed < kNumLogs; ++seed) {
    const ShortLog log(seed, memory);
    const auto bars = error_bars(log.blocks, plain_quantities(ShortLog::kUnknowns));
    EXPECT_TRUE(bars.ok() && bars->separate_fits);
    if (!bars.ok() || !bars->separate_fits) return {};
    const double widened_by = bars->separate_fits->widened_by;
    const Eigen::ArrayXd error = (bars->estimate - log.truth).array().abs();
    result.widened_by += widened_by / kNumLogs;
    result.held += (error <= bars->half_width.array()).cast<double>().mean() / kNumLogs;
    result.held_before +=
        (widened_by * error <= bars->half_width.array()).cast<double>().mean() / kNumLogs;
  }
  return result;
}

// Twice as many unknowns as blocks. The fit absorbs slow noise, and more of it where it has fewer
// data; independent noise looks alike to one fit and to two. 1440 intervals each.
TEST(ErrorBars, FewerBlocksThanUnknownsAreNotNarrow) {
  const OfShortLogs white = of_short_logs(2), slow = of_short_logs(60);
  EXPECT_GE(white.held, 0.93);
  EXPECT_LE(white.widened_by, 1.05);
  EXPECT_GE(slow.held, 0.90);
  EXPECT_LE(slow.held_before, 0.87);  // else the noise would prove nothing
}

// A motion that repeats with every block: blocks are as independent as without repetition.
TEST(ErrorBars, CoverTheTruthOfARepeatingMotion) {
  int num_held = 0;
  constexpr int kNumLogs = 200, kLength = 250, kBlocks = 16;
  for (int seed = 0; seed < kNumLogs; ++seed) {
    oracle::Random random(seed);
    const Eigen::Vector3d truth = random.normal3(), phase = 6 * random.normal3();
    std::vector<NormalEquations> blocks;
    double noise = random.normal();
    for (int b = 0; b < kBlocks; ++b) {
      Eigen::MatrixXd Y(kLength, 3);
      Eigen::VectorXd tau(kLength);
      for (int i = 0; i < kLength; ++i) {
        const double angle = 2 * M_PI * i / kLength;
        Y.row(i) << 1, std::sin(angle + phase[0]), std::cos(3 * angle + phase[1]);
        noise = 0.9 * noise + random.normal();
        tau[i] = Y.row(i).dot(truth) + noise;
      }
      blocks.push_back(normal_equations_of(Y, tau));
    }
    const auto bars = error_bars(blocks, plain_quantities(3));
    ASSERT_TRUE(bars.ok());
    for (int k = 0; k < 3; ++k)
      num_held += std::abs(bars->estimate[k] - truth[k]) <= bars->half_width[k];
  }
  EXPECT_GE(num_held, 0.92 * 3 * kNumLogs);
}

// A column is judged by its own scatter: alone, it has no degrees of freedom from the bodies.
TEST(ErrorBars, ColumnsDoNotShareTheScatterOfBodies) {
  const Experiment experiment(3);
  BaseQuantities quantities = plain_quantities(3);
  const auto together = error_bars(experiment.blocks, quantities);
  quantities.num_columns = 1;
  const auto apart = error_bars(experiment.blocks, quantities);
  ASSERT_TRUE(together.ok() && apart.ok());
  EXPECT_LE(apart->degrees[2], 11 + 1e-9);  // of a dozen blocks
  EXPECT_GT(together->degrees[2], apart->degrees[2]);
  EXPECT_EQ(apart->estimate, together->estimate);
}

// What a single block shows cannot be judged by the scatter between blocks: its bar is not narrow.
TEST(ErrorBars, AQuantityOfOneBlockIsNotNarrow) {
  Experiment experiment(3, 12);
  const int length = 250;
  for (int b = 0; b < 12; ++b) {
    Eigen::MatrixXd Y = experiment.Y.middleRows(b * length, length);
    if (b != 5) Y.col(2).setZero();
    experiment.blocks[static_cast<std::size_t>(b)] =
        normal_equations_of(Y, experiment.tau.segment(b * length, length) -
                                   (b == 5 ? 0 : 1) * experiment.truth[2] *
                                       experiment.Y.middleRows(b * length, length).col(2));
  }
  const auto bars = error_bars(experiment.blocks, plain_quantities(3));
  ASSERT_TRUE(bars.ok());
  EXPECT_GT(bars->half_width[2], 2 * bars->half_width[1]);
  EXPECT_LE(std::abs(bars->estimate[2] - experiment.truth[2]), bars->half_width[2]);
}

TEST(ErrorBars, DataWithoutNoiseHaveNoWidth) {
  Experiment experiment(4);
  for (int b = 0; b < 40; ++b) {
    const Eigen::MatrixXd Y = experiment.Y.middleRows(b * 250, 250);
    experiment.blocks[static_cast<std::size_t>(b)] = normal_equations_of(Y, Y * experiment.truth);
  }
  const auto bars = error_bars(experiment.blocks, plain_quantities(3));
  ASSERT_TRUE(bars.ok());
  EXPECT_LE(bars->half_width.maxCoeff<Eigen::PropagateNaN>(), 1e-8);
}

// Two columns that are always equal: their sum is seen, neither of them is.
TEST(ErrorBars, UnexcitedParametersHaveNoInterval) {
  const Experiment experiment(7);
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(3, 4);
  E.leftCols<3>().setIdentity();
  E(2, 3) = 1e3;
  BaseQuantities quantities{.E = E, .R = E.transpose(), .names = {"a", "b", "c", "d"}};
  const Result<ErrorBars> bars = error_bars(experiment.blocks, quantities);
  ASSERT_TRUE(bars.ok()) << bars.error().message();
  EXPECT_EQ(bars->is_determined, (std::vector<bool>{true, true, false, false}));
  EXPECT_TRUE(std::isfinite(bars->half_width[0]));
  EXPECT_EQ(bars->half_width[3], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(bars->covariance.allFinite());
  EXPECT_NEAR(bars->estimate[2] + 1e3 * bars->estimate[3], experiment.truth[2], 0.2);
}

TEST(ErrorBars, BadInputIsReported) {
  const Experiment experiment(1);
  const auto what = [](const Result<ErrorBars>& result) {
    return result.ok() ? "" : result.error().what;
  };
  std::vector<NormalEquations> few(experiment.blocks.begin(), experiment.blocks.begin() + 7);
  EXPECT_NE(what(error_bars(few, plain_quantities(3))).find("only 7 blocks"), std::string::npos);
  EXPECT_NE(what(error_bars(experiment.blocks, plain_quantities(4))).find("different layouts"),
            std::string::npos);
  std::vector<NormalEquations> spoiled = experiment.blocks;
  spoiled[3].b[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(what(error_bars(spoiled, plain_quantities(3))).find("not finite"), std::string::npos);
  ErrorBarOptions options;
  options.confidence = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(error_bars(experiment.blocks, plain_quantities(3), options).ok());
}

// The base quantities of any robot reproduce the torques of all its parameters, and read themselves
// back.
TEST(BaseQuantities, ReproduceEveryTorque) {
  oracle::RandomRobotOptions robots;
  robots.rotors = robots.massless = 0.4;
  for (int seed = 0; seed < 20; ++seed) {
    robots.floating_base = seed % 3 == 0;
    const Robot robot = oracle::random_robot(robots, seed);
    const Result<Observability> observed = observe(robot, {.channels = false});
    ASSERT_TRUE(observed.ok()) << observed.error().message();
    const ParameterLayout layout = make_parameter_layout(robot, {});
    const Result<BaseQuantities> quantities = base_quantities(*observed, layout);
    ASSERT_TRUE(quantities.ok()) << quantities.error().message();
    const Eigen::MatrixXd& E = quantities->E;
    const Eigen::MatrixXd& R = quantities->R;
    EXPECT_LE((R * E - Eigen::MatrixXd::Identity(R.rows(), R.rows())).norm(), 1e-9);
    ASSERT_EQ(quantities->names.size(), static_cast<std::size_t>(observed->num_base));

    oracle::Random random(seed);
    const Eigen::VectorXd x = oracle::stacked_parameters(robot);
    for (int sample = 0; sample < 5; ++sample) {
      const Eigen::MatrixXd Y =
          oracle::newton_euler_regressor(robot, oracle::random_motion(robot, random));
      const Eigen::VectorXd tau = Y * x;
      EXPECT_LE((Y * (E * (R * x)) - tau).norm(), 1e-8 * (Y.cwiseAbs() * x.cwiseAbs()).norm())
          << robot.name;
    }
  }
}

TEST(BaseQuantities, ExtraColumnsAreQuantities) {
  const Robot robot = parallel_2r_arm({0, -9.81, 0});
  const Result<Observability> observed = observe(robot);
  ASSERT_TRUE(observed.ok());
  const Column friction{.name = "viscous j1", .kind = "viscous", .unit = "N m s/rad"};
  const Result<BaseQuantities> quantities =
      base_quantities(*observed, make_parameter_layout(robot, {friction}));
  ASSERT_TRUE(quantities.ok());
  EXPECT_EQ(quantities->names.back(), "viscous j1");
  EXPECT_EQ(quantities->E.cols(), 7);
  EXPECT_EQ(quantities->E(20, 6), 1);
  Robot other = robot;
  other.bodies[0].has_parameters = false;
  EXPECT_FALSE(base_quantities(*observed, make_parameter_layout(other, {})).ok());
}

class PriorShares : public testing::Test {
 protected:
  PriorShares() {
    robot_ = parallel_2r_arm({0, -9.81, 0});
    for (Body& body : robot_.bodies) body.prior << 2, 0.1, 0, 0, 0.3, 0, 0.3, 0, 0, 0.2;
    layout_ = make_parameter_layout(robot_, {});
    equations_.G = Eigen::MatrixXd::Zero(20, 20);
    equations_.b = Eigen::VectorXd::Zero(20);
    equations_.num_rows = 50;
  }

  Eigen::VectorXd shares(const PriorOptions& options) const {
    const Result<Prior> prior = make_prior(layout_, robot_, options);
    EXPECT_TRUE(prior.ok());
    const Result<Eigen::VectorXd> shares = prior_shares(layout_, equations_, *prior);
    EXPECT_TRUE(shares.ok());
    return shares.ok() ? *shares : Eigen::VectorXd();
  }

  Robot robot_;
  ParameterLayout layout_;
  NormalEquations equations_;
};

TEST_F(PriorShares, AllWithoutData) {
  const Eigen::VectorXd all = shares({});
  ASSERT_EQ(all.size(), 20);
  EXPECT_LE((all.array() - 1).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-12);
}

TEST_F(PriorShares, NoneWithoutPrior) {
  EXPECT_EQ(shares({.kind = PriorKind::none}), Eigen::VectorXd::Zero(20));
}

// One number: curvature g / N of the data against w of the prior.
TEST_F(PriorShares, WeighsCurvatures) {
  equations_.G(0, 0) = 100;
  const Eigen::VectorXd seen = shares({.kind = PriorKind::euclidean, .weight = 0.5});
  EXPECT_NEAR(seen[0], 0.5 / (100.0 / 50 + 0.5), 1e-14);
  EXPECT_NEAR(seen[1], 1, 1e-14);
}

// Data on everything, far above the prior, leave it nothing; a column is measured by its own ridge.
TEST_F(PriorShares, VanishWithGoodData) {
  layout_ = make_parameter_layout(robot_, {Column{.name = "viscous j1"}});
  equations_.G = 1e9 * Eigen::MatrixXd::Identity(21, 21);
  equations_.b.setZero(21);
  const Eigen::VectorXd seen = shares({});
  ASSERT_EQ(seen.size(), 21);
  EXPECT_LE(seen.head(20).maxCoeff<Eigen::PropagateNaN>(), 1e-4);
  EXPECT_NEAR(seen[20], 1e-3 / 1.001, 1e-12);
}

}  // namespace
}  // namespace heft
