// Traces compared with their definitions: extremes found by brute force, contributions from Newton
// and Euler, spectra of signals of known power.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "heft/executor/executor.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random.hpp"
#include "tests/oracle/random_robot.hpp"
#include "traces/block_sums.hpp"
#include "traces/contributions.hpp"
#include "traces/envelopes.hpp"
#include "traces/spectrum.hpp"
#include "traces/spread_rows.hpp"
#include "traces/trace_recorder.hpp"

namespace heft {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Envelopes, KeepEverySampleWhileThereAreFew) {
  Envelopes envelopes(1, 8);
  const Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(16, 5, 6.5);
  const Eigen::ArrayXXd values = time.square().matrix();
  envelopes.push(0, time, values);
  Traces traces;
  envelopes.write_axis(traces);
  EXPECT_EQ(traces.samples_per_bin, 1);
  EXPECT_EQ(traces.num_samples, 16);
  EXPECT_EQ(traces.start_s, 5);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(traces.time_s[i], time[i] - 5);
    EXPECT_EQ(envelopes.envelope(0).lower[i], static_cast<float>(values(i, 0)));
    EXPECT_EQ(envelopes.envelope(0).upper[i], static_cast<float>(values(i, 0)));
  }
}

TEST(Envelopes, ContainTheExtremesOfEveryBinForEveryBlockSize) {
  oracle::Random random(7);
  const int count = 10007;
  const Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(count, 0, count - 1);
  Eigen::ArrayXXd values(count, 2);
  for (int i = 0; i < count; ++i)
    values.row(i) << random.normal(), (i % 3 == 0 ? kNaN : random.normal());
  Envelopes envelopes(2, 32);
  for (int first = 0, size = 1; first < count; first += size, size = 1 + (7 * size) % 997) {
    size = std::min(size, count - first);
    envelopes.push(0, time.segment(first, size), values.middleRows(first, size));
  }
  Traces traces;
  envelopes.write_axis(traces);
  const int width = traces.samples_per_bin;
  ASSERT_GT(width, 1);
  ASSERT_LE(traces.time_s.size(), 64u);
  ASSERT_EQ(static_cast<int>(traces.time_s.size()), (count + width - 1) / width);
  for (int bin = 0; bin * width < count; ++bin) {
    EXPECT_EQ(traces.time_s[bin], bin * width);
    for (int s = 0; s < 2; ++s) {
      float lower = static_cast<float>(kNaN), upper = lower;
      for (int i = bin * width; i < std::min(count, (bin + 1) * width); ++i) {
        lower = std::fmin(lower, static_cast<float>(values(i, s)));
        upper = std::fmax(upper, static_cast<float>(values(i, s)));
      }
      EXPECT_EQ(envelopes.envelope(s).lower[bin], lower);
      EXPECT_EQ(envelopes.envelope(s).upper[bin], upper);
    }
  }
}

TEST(Envelopes, BinsWithoutAUsedSampleHoldNothing) {
  Envelopes envelopes(1, 4);
  envelopes.push(0, Eigen::ArrayXd::LinSpaced(3, 0, 2), Eigen::ArrayXXd::Constant(3, 1, kNaN));
  for (const float value : envelopes.envelope(0).lower) EXPECT_TRUE(std::isnan(value));
}

TEST(Envelopes, AnotherLogFollowsTheFirst) {
  Envelopes envelopes(1, 16);
  const Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(5, 0, 4);
  envelopes.push(0, time, Eigen::ArrayXXd::Zero(5, 1));
  envelopes.push(1, time, Eigen::ArrayXXd::Zero(5, 1));
  Traces traces;
  envelopes.write_axis(traces);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(traces.time_s[i], i);
    EXPECT_EQ(traces.segment[i], i / 5);
  }
}

/// Integral of the squared density over all frequencies.
double power_of(const Spectrum& spectrum, int series) {
  const std::vector<double> f = spectrum.frequencies(), density = spectrum.density(series);
  double sum = 0;
  for (std::size_t k = 1; k < f.size(); ++k)
    sum += 0.5 * (density[k] * density[k] + density[k - 1] * density[k - 1]) * (f[k] - f[k - 1]);
  return sum;
}

TEST(Spectrum, OfASineHasItsPowerAtItsFrequency) {
  const double rate = 500, frequency = 20, amplitude = 3;
  const int count = 20000;
  const Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(count, 0, (count - 1) / rate);
  const Eigen::ArrayXXd values =
      (amplitude * (2 * std::numbers::pi * frequency * time).sin()).matrix();
  Spectrum spectrum(1);
  spectrum.push(0, time, values);
  spectrum.finish();
  const std::vector<double> f = spectrum.frequencies(), density = spectrum.density(0);
  const auto peak = std::max_element(density.begin(), density.end()) - density.begin();
  EXPECT_NEAR(f[peak], frequency, 0.03 * frequency);  // groups are a 24th of an octave wide
  // the groups' unequal widths cost the trapezoidal rule a few per cent
  EXPECT_NEAR(power_of(spectrum, 0), amplitude * amplitude / 2, 0.05 * amplitude * amplitude / 2);
}

TEST(Spectrum, OfWhiteNoiseIsFlat) {
  oracle::Random random(3);
  const double rate = 100;
  const int count = 60000;
  const Eigen::ArrayXd time = Eigen::ArrayXd::LinSpaced(count, 0, (count - 1) / rate);
  Eigen::ArrayXXd values(count, 1);
  for (int i = 0; i < count; ++i) values(i, 0) = random.normal();
  Spectrum spectrum(1);
  spectrum.push(0, time, values);
  spectrum.finish();
  // one-sided: variance 1 over rate / 2; 28 windows and many bins a group above 10 Hz: 5 sigma
  const std::vector<double> f = spectrum.frequencies(), density = spectrum.density(0);
  for (std::size_t k = 0; k < f.size(); ++k)
    if (f[k] > 10) {
      EXPECT_NEAR(density[k], std::sqrt(2 / rate), 0.2 * std::sqrt(2 / rate)) << f[k];
    }
}

TEST(Spectrum, OfTooFewSamplesIsEmpty) {
  Spectrum spectrum(1);
  spectrum.push(0, Eigen::ArrayXd::LinSpaced(10, 0, 1), Eigen::ArrayXXd::Ones(10, 1));
  spectrum.finish();
  EXPECT_TRUE(spectrum.frequencies().empty());
  EXPECT_TRUE(spectrum.density(0).empty());
}

TEST(SpreadRows, AreEvenlySpreadForEveryBlockSize) {
  for (const int max_rows : {2, 5, 48})
    for (const int count : {1, 7, 48, 49, 1000, 10007}) {
      SpreadRows spread(max_rows);
      for (int first = 0, size = 1; first < count; first += size, size = 1 + (7 * size) % 97) {
        size = std::min(size, count - first);
        spread.push(Eigen::ArrayXd::LinSpaced(size, first, first + size - 1));
      }
      const auto kept = static_cast<int>(spread.rows().size());
      ASSERT_LE(kept, max_rows);
      ASSERT_GE(kept, std::min(count, (max_rows + 1) / 2)) << max_rows << " of " << count;
      const long long step = kept > 1 ? spread.index(1) : 1;
      for (int k = 0; k < kept; ++k) {
        EXPECT_EQ(spread.index(k), k * step);
        EXPECT_EQ(spread.rows()[k], Eigen::RowVectorXd::Constant(1, k * step));
      }
      EXPECT_GE((kept + 1) * step, count);  // up to the end
    }
}

TEST(SpreadRows, AsksOnlyForRowsThatItKeeps) {
  SpreadRows spread(5);
  int num_asked = 0;
  const auto row = [&](Eigen::Index i) {
    ++num_asked;
    return Eigen::RowVectorXd::Constant(1, static_cast<double>(i)).eval();
  };
  for (int block = 0; block < 100; ++block) spread.push(1000, row);
  EXPECT_LT(num_asked, 100);
  ASSERT_GE(spread.rows().size(), 3u);
  for (std::size_t k = 0; k < spread.rows().size(); ++k)
    EXPECT_EQ(spread.rows()[k][0], static_cast<double>(spread.index(k) % 1000));
}

TEST(BlockSums, AreThoseOfUsedRows) {
  oracle::Random random(5);
  for (const int count : {1, 47, 48, 49, 5000}) {
    Eigen::ArrayXXd errors(count, 2), torques(count, 2);
    for (int i = 0; i < count; ++i)
      for (int c = 0; c < 2; ++c) {
        errors(i, c) = random.chance(0.2) ? kNaN : random.normal();
        torques(i, c) = 10 * random.normal();
      }
    BlockSums sums;
    for (int first = 0, size = 3; first < count; first += size)
      sums.push(errors.middleRows(first, std::min(size, count - first)),
                torques.middleRows(first, std::min(size, count - first)));
    const ErrorBlocks& blocks = sums.blocks();
    const auto width = static_cast<int>(blocks.samples_per_block);
    ASSERT_EQ(static_cast<int>(blocks.error2.size()), (count + width - 1) / width);
    ASSERT_LE(blocks.error2.size(), 48u);
    EXPECT_TRUE(width == 1 || blocks.error2.size() > 24u);
    for (int b = 0; b * width < count; ++b) {
      double error2 = 0, torque2 = 0;
      for (int i = b * width; i < std::min(count, (b + 1) * width); ++i)
        for (int c = 0; c < 2; ++c)
          if (!std::isnan(errors(i, c))) {
            error2 += errors(i, c) * errors(i, c);
            torque2 += torques(i, c) * torques(i, c);
          }
      EXPECT_NEAR(blocks.error2[b], error2, 1e-12 * error2);
      EXPECT_NEAR(blocks.torque2[b], torque2, 1e-12 * torque2);
    }
  }
}

TEST(TraceRecorder, PostureAndFrictionAreThoseOfTheSamples) {
  const Robot robot = oracle::random_robot({}, 3);
  const std::vector<Channel> channels = default_channels(robot);
  const int n = robot.num_coordinates();
  std::vector<Column> columns;
  for (int c = 0; c < n; ++c)
    columns.push_back({.name = "viscous " + std::to_string(c),
                       .kind = "viscous",
                       .terms = {{c, core::Feature::velocity, c, 1}}});
  const auto plan = make_regressor_plan(robot, channels, columns);
  ASSERT_TRUE(plan.ok());
  const ParameterLayout& layout = (*plan)->layout;
  Eigen::VectorXd parameters(layout.num_parameters());
  for (int i = 0; i < layout.num_bodies(); ++i)
    parameters.segment<10>(10 * i) = robot.bodies[layout.body_index[i]].prior;
  parameters.tail(n).setLinSpaced(0.3, 2.1);
  const testing::RandomSamples data = testing::random_samples(**plan, 500, 3);
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  TraceRecorder recorder(**plan, parameters, std::vector<double>(channels.size(), 1.0), **backend);
  const PredictJob job{plan->get(), &data.samples, &parameters};
  Eigen::ArrayXXd predicted;
  ASSERT_TRUE((*backend)->predict({&job, 1}, {&predicted, 1}).ok());
  ASSERT_TRUE(recorder.push(0, data.samples, predicted).ok());
  const Traces traces = recorder.traces(true);

  ASSERT_GE(traces.postures.size(), 24u);
  for (const Posture& posture : traces.postures) {
    const auto i = std::lround(posture.time_s / 0.001);
    EXPECT_EQ(posture.position, data.samples.position.row(i).matrix().transpose());
  }
  for (int c = 0; c < n; ++c) {
    const FrictionPoints& points = traces.channels[c].friction;
    ASSERT_GT(points.speed.size(), 100u);
    // 0.1 of the rows are not used
    EXPECT_LT(points.speed.size(), 490u);
    for (std::size_t k = 0; k < points.speed.size(); ++k) {
      const double speed = points.speed[k];
      EXPECT_NEAR(points.fit[k], parameters[layout.num_parameters() - n + c] * speed,
                  1e-5 * (1 + std::abs(speed)));
      // the sample of that speed: what was measured, less what Newton and Euler say
      int i = 0;
      while (static_cast<float>(data.samples.velocity(i, c)) != points.speed[k])
        ASSERT_LT(++i, 500);
      EXPECT_NE(data.samples.weight(i, c), 0);
      const double rigid = oracle::newton_euler_torques(robot, data.motions[i])[c];
      EXPECT_NEAR(points.torque[k], data.samples.torque(i, c) - rigid,
                  1e-5 * (10 + std::abs(rigid)));
    }
  }
}

TEST(Contributions, AreThoseOfNewtonAndEulerAndAddUp) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Robot robot = oracle::random_robot({}, seed);
    const std::vector<Channel> channels = default_channels(robot);
    const int last = static_cast<int>(channels.size()) - 1,
              coordinate = robot.num_coordinates() - 1;
    const std::vector<Column> columns = {
        {.name = "viscous",
         .kind = "viscous",
         .terms = {{last, core::Feature::velocity, coordinate, 1}}},
        {.name = "reflected",
         .kind = "reflected_inertia",
         .terms = {{last, core::Feature::acceleration, coordinate, 1}}}};
    const auto plan = make_regressor_plan(robot, channels, columns);
    ASSERT_TRUE(plan.ok());
    const ParameterLayout& layout = (*plan)->layout;
    Eigen::VectorXd parameters(layout.num_parameters());
    for (int i = 0; i < layout.num_bodies(); ++i)
      parameters.segment<10>(10 * i) = robot.bodies[layout.body_index[i]].prior;
    parameters.tail<2>() << 0.7, 0.2;

    const testing::RandomSamples data = testing::random_samples(**plan, 40, seed);
    const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
    ASSERT_TRUE(backend.ok());
    const PredictJob job{plan->get(), &data.samples, &parameters};
    Eigen::ArrayXXd predicted;
    ASSERT_TRUE((*backend)->predict({&job, 1}, {&predicted, 1}).ok());
    const Contributions contributions(**plan, parameters);
    ASSERT_EQ(contributions.names(),
              (std::vector<std::string>{"inertia", "gravity", "friction", "rotors"}));
    const auto parts = contributions.split(data.samples, predicted, **backend);
    ASSERT_TRUE(parts.ok());

    const Eigen::ArrayXXd sum = (*parts)[0] + (*parts)[1] + (*parts)[2] + (*parts)[3];
    const double size = predicted.abs().maxCoeff();
    EXPECT_LE((sum - predicted).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-13 * size);
    for (int t = 0; t < 40; ++t) {
      oracle::Motion still = data.motions[t];
      still.qd.setZero(), still.qdd.setZero();
      still.base_angular_velocity.setZero(), still.base_angular_acceleration.setZero();
      const Eigen::VectorXd weight = oracle::newton_euler_torques(robot, still);
      const double tolerance = 1e-11 * std::max(1.0, size);
      for (int c = 0; c <= last; ++c) {
        EXPECT_NEAR((*parts)[1](t, c), weight[c], tolerance);
        EXPECT_NEAR((*parts)[2](t, c), c == last ? 0.7 * data.motions[t].qd[coordinate] : 0,
                    tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace heft
