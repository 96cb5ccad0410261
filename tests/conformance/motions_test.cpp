// Motions by coefficients, on every backend and in every form: the moments equal those of the
// samples computed in long double.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/backend_cases.hpp"
#include "tests/oracle/random_robot.hpp"
#include "tests/oracle/spline.hpp"

namespace heft {
namespace {

using testing::packed_sums;

class Motions : public testing::OnBackendInForm {};
class BadMotions : public testing::OnBackend {};

PlanPtr plan_of(const Robot& robot) {
  return *make_regressor_plan(robot, default_channels(robot), {});
}

void fill(auto& coefficients, double size, oracle::Random& random) {
  for (double& x : coefficients.reshaped()) x = size * random.normal();
}

FourierMotion random_fourier(const Robot& robot, int num_samples, std::uint64_t seed) {
  oracle::Random random(seed);
  const int n = robot.num_coordinates();
  FourierMotion motion{.frequency = 1.3, .begin = 5, .step = 0.02, .num_samples = num_samples};
  motion.center.resize(n), motion.sine.resize(4, n), motion.cosine.resize(4, n);
  fill(motion.center, 1, random), fill(motion.sine, 0.3, random), fill(motion.cosine, 0.3, random);
  return motion;
}

/// Begins within the first interval and ends with the last.
SplineMotion random_spline(const Robot& robot, int num_samples, std::uint64_t seed) {
  oracle::Random random(seed);
  const int num_intervals = 19 + static_cast<int>(seed % 5);
  SplineMotion motion{.interval = 0.31, .begin = 0.07, .num_samples = num_samples};
  motion.step = (motion.interval * num_intervals - motion.begin) / (num_samples - 1);
  motion.control.resize(num_intervals + 5, robot.num_coordinates());
  fill(motion.control, 0.8, random);
  return motion;
}

/// Of NaN, to be filled.
Samples empty_samples(std::int64_t count, Eigen::Index num_coordinates) {
  Samples samples;
  samples.time.setZero(count);
  for (Eigen::ArrayXXd* array : {&samples.position, &samples.velocity, &samples.acceleration})
    array->setConstant(count, num_coordinates, NAN);
  return samples;
}

Samples samples_of(const FourierMotion& motion) {
  Samples samples = empty_samples(motion.num_samples, motion.center.size());
  for (int k = 0; k < motion.center.size(); ++k)
    for (int i = 0; i < motion.num_samples; ++i) {
      const long double t = motion.begin + static_cast<long double>(motion.step) * i;
      long double q = motion.center[k], qd = 0, qdd = 0;
      for (int h = 0; h < motion.sine.rows(); ++h) {
        const long double w = (h + 1) * static_cast<long double>(motion.frequency);
        const long double a = motion.sine(h, k), b = motion.cosine(h, k);
        q += a * std::sin(w * t) + b * std::cos(w * t);
        qd += w * (a * std::cos(w * t) - b * std::sin(w * t));
        qdd -= w * w * (a * std::sin(w * t) + b * std::cos(w * t));
      }
      samples.position(i, k) = static_cast<double>(q);
      samples.velocity(i, k) = static_cast<double>(qd);
      samples.acceleration(i, k) = static_cast<double>(qdd);
    }
  return samples;
}

Samples samples_of(const SplineMotion& motion) {
  Samples samples = empty_samples(motion.num_samples, motion.control.cols());
  for (int k = 0; k < motion.control.cols(); ++k) {
    const oracle::Spline q = oracle::uniform_spline(
        5, motion.interval, {motion.control.col(k).begin(), motion.control.col(k).end()});
    const oracle::Spline qd = q.derivative(), qdd = qd.derivative();
    for (int i = 0; i < motion.num_samples; ++i) {
      const long double t = motion.begin + static_cast<long double>(motion.step) * i;
      samples.position(i, k) = static_cast<double>(q.value(t));
      samples.velocity(i, k) = static_cast<double>(qd.value(t));
      samples.acceleration(i, k) = static_cast<double>(qdd.value(t));
    }
  }
  return samples;
}

Samples samples_of(const GeneratedMotion& motion) {
  return std::visit([](const auto& given) { return samples_of(given); }, motion);
}

void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                  double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  const auto size = static_cast<Eigen::Index>(actual.size());
  const Eigen::Map<const Eigen::VectorXd> a(actual.data(), size), e(expected.data(), size);
  EXPECT_GT(e.norm(), 0);
  EXPECT_LE((a - e).norm(), tolerance * e.norm());
}

TEST_P(Motions, GiveTheMomentsOfTheirSamples) {
  const Robot robot = oracle::random_robot({}, 21);
  const PlanPtr plan = plan_of(robot);
  const AccumulateOptions options = this->options(plan->num_channels());
  for (const GeneratedMotion& motion : {GeneratedMotion(random_fourier(robot, 333, 21)),
                                        GeneratedMotion(random_spline(robot, 333, 22))}) {
    const Samples samples = samples_of(motion);
    expect_close(packed_sums(*backend_, {plan.get(), nullptr, 0, 333, 100, &options, &motion}),
                 packed_sums(*backend_, {plan.get(), &samples, 0, 333, 100, &options}),
                 form().tolerance);
  }
}

/// Candidate robots and candidate motions side by side: every job has the bits that it has by
/// itself.
TEST_P(Motions, OfBothKindsGoSideBySide) {
  const Robot robots[] = {oracle::random_robot({}, 5), oracle::random_robot({}, 6)};
  const PlanPtr plans[] = {plan_of(robots[0]), plan_of(robots[1])};
  const AccumulateOptions options[] = {this->options(plans[0]->num_channels()),
                                       this->options(plans[1]->num_channels())};
  constexpr int kJobs = 40, kSamples = 45, kChunk = 30;
  std::vector<GeneratedMotion> motions;
  std::vector<AccumulateJob> jobs;
  std::vector<std::vector<double>> partials;
  for (int j = 0; j < kJobs; ++j) {
    const Robot& robot = robots[j % 2];
    motions.push_back(j % 3 == 0 ? GeneratedMotion(random_fourier(robot, kSamples, j))
                                 : GeneratedMotion(random_spline(robot, kSamples, j)));
  }
  for (int j = 0; j < kJobs; ++j) {
    jobs.push_back(
        {plans[j % 2].get(), nullptr, 0, kSamples, kChunk, &options[j % 2], &motions[j]});
    partials.emplace_back(3, NAN);
  }
  const Samples samples = samples_of(motions[1]);
  jobs.push_back({plans[1].get(), &samples, 0, kSamples, kChunk, &options[1]});
  partials.emplace_back(3, NAN);

  const Result<Done> done = backend_->accumulate(jobs, partials);
  ASSERT_TRUE(done.ok()) << done.error().message();
  for (int j = 0; j <= kJobs; ++j) EXPECT_EQ(packed_sums(*backend_, jobs[j]), partials[j]) << j;
  expect_close(partials[1], partials[kJobs], form().tolerance);
}

TEST_P(Motions, HaveTheSameBitsOnAnyNumberOfThreads) {
  const Robot robot = oracle::random_robot({}, 9);
  const PlanPtr plan = plan_of(robot);
  const AccumulateOptions options = this->options(plan->num_channels());
  for (const GeneratedMotion& motion : {GeneratedMotion(random_fourier(robot, 700, 1)),
                                        GeneratedMotion(random_spline(robot, 700, 2))}) {
    const AccumulateJob job{plan.get(), nullptr, 0, 700, 128, &options, &motion};
    const std::vector<double> on_two = packed_sums(*backend_, job);
    for (const int threads : {1, 3}) {
      std::string why_not;
      const auto backend = testing::make(std::get<0>(GetParam()), why_not, threads);
      EXPECT_EQ(packed_sums(*backend, job), on_two) << threads;
    }
  }
}

/// A job of the later samples of a motion is the later chunks of the whole.
TEST_P(Motions, ArePartedByTheirSamples) {
  const Robot robot = oracle::random_robot({}, 11);
  const PlanPtr plan = plan_of(robot);
  const AccumulateOptions options = this->options(plan->num_channels());
  const GeneratedMotion motion = random_spline(robot, 300, 7);
  const std::vector<double> whole =
      packed_sums(*backend_, {plan.get(), nullptr, 0, 300, 100, &options, &motion});
  const std::vector<double> last =
      packed_sums(*backend_, {plan.get(), nullptr, 200, 100, 100, &options, &motion});
  EXPECT_EQ(
      std::vector<double>(whole.end() - static_cast<std::ptrdiff_t>(last.size()), whole.end()),
      last);
}

TEST_P(BadMotions, AreRefused) {
  const Robot robot = oracle::random_robot({}, 3);
  const PlanPtr plan = plan_of(robot);
  const int n = robot.num_coordinates();
  const auto refusal = [&](const GeneratedMotion& motion, std::int64_t begin = 0,
                           std::int64_t count = 10) {
    const AccumulateJob job{plan.get(), nullptr, begin, count, 1024, nullptr, &motion};
    std::vector<double> partials;
    const Result<Done> done = backend_->accumulate({&job, 1}, {&partials, 1});
    return done.ok() ? std::string("none") : done.error().message();
  };
  const auto spline = [&](const auto& change) {
    SplineMotion motion = random_spline(robot, 100, 1);
    change(motion);
    return refusal(motion);
  };
  const auto expect_words = [](const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };

  FourierMotion fourier = random_fourier(robot, 100, 1);
  EXPECT_EQ(refusal(fourier), "none");
  expect_words(refusal(fourier, 95), "has 100 samples, but a job requests samples 95 to 104");
  expect_words(refusal(fourier, -1), "requests samples -1 to 8");
  fourier.sine(0, 0) = NAN;
  expect_words(refusal(fourier), "not a finite number");
  expect_words(refusal(FourierMotion{.center = Eigen::VectorXd::Zero(n + 1)}),
               "one set of coefficients");

  EXPECT_EQ(spline([](SplineMotion&) {}), "none");
  expect_words(spline([&](SplineMotion& m) { m.control.setZero(20, n + 1); }),
               "one set of control points");
  expect_words(spline([&](SplineMotion& m) { m.control.setZero(5, n); }), "5 control points");
  expect_words(spline([](SplineMotion& m) { m.interval = 0; }), "knots are 0 s apart");
  expect_words(spline([](SplineMotion& m) { m.interval = -1; }), "knots are -1 s apart");
  expect_words(spline([](SplineMotion& m) { m.interval = NAN; }), "not a finite number");
  expect_words(spline([](SplineMotion& m) { m.control(7, 0) = INFINITY; }), "not a finite number");
  expect_words(spline([](SplineMotion& m) { m.step = NAN; }), "not a finite number");
  expect_words(spline([](SplineMotion& m) { m.step *= 1.001; }), "its spline is from 0 to 6.2 s");
  expect_words(spline([](SplineMotion& m) { m.begin = -0.001; }), "its samples are from -0.001 s");
  expect_words(spline([](SplineMotion& m) { m.num_samples = 9; }), "has 9 samples");
}

TEST_P(BadMotions, MoveTheJointsAlone) {
  oracle::RandomRobotOptions floating;
  floating.floating_base = true;
  const Robot robot = oracle::random_robot(floating, 3);
  const PlanPtr plan = plan_of(robot);
  const GeneratedMotion motion = random_spline(robot, 10, 1);
  const AccumulateJob job{plan.get(), nullptr, 0, 10, 1024, nullptr, &motion};
  std::vector<double> partials;
  const Result<Done> done = backend_->accumulate({&job, 1}, {&partials, 1});
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message().find("fix the base"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Backends, Motions,
                         ::testing::Combine(::testing::ValuesIn(testing::kBackends),
                                            ::testing::ValuesIn(testing::kForms)),
                         testing::name_of_form);

INSTANTIATE_TEST_SUITE_P(Backends, BadMotions, ::testing::ValuesIn(testing::kBackends),
                         testing::name_of_backend);

}  // namespace
}  // namespace heft
