// Conditioning of whole logs: closed forms, windows, blocks, weights, units.
#include <cmath>
#include <numbers>
#include <random>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using std::numbers::pi;

// |H|^2 of a Butterworth low-pass after the bilinear transform, both frequencies as shares of the
// rate.
double gain_of(double frequency, double cutoff, int order) {
  return 1 / (1 + std::pow(std::tan(pi * frequency) / std::tan(pi * cutoff), 2 * order));
}

// Deterministic noise: white, then summed with a slow wave, so that filters have something to do.
std::function<double(int)> noise(unsigned seed, double offset) {
  return [seed, offset](int row) {
    std::minstd_rand random(seed * 7919 + static_cast<unsigned>(row) * 104729 + 1);
    random.discard(3);
    return offset + std::sin(0.01 * row + seed) +
           0.2 * (static_cast<double>(random()) / random.max() - 0.5);
  };
}

class ConditioningTest : public LogTest {
 protected:
  static std::function<double(int)> clock(double rate) {
    return [rate](int row) { return row / rate; };
  }

  // Two joints at 250 Hz with noise in position, velocity and torque.
  std::string noisy_log(int num_rows) {
    return write(table("t,q1,q2,qd1,qd2,tau1,tau2", num_rows,
                       {clock(250), noise(1, 0.3), noise(2, -1), noise(3, 0), noise(4, 0.1),
                        noise(5, 20), noise(6, -5)}));
  }

  static ConditioningRun noisy_run() {
    ConditioningRun run{arm_of({"shoulder", "elbow"})};
    run.options.lowpass_hz = 20;
    run.options.torque_lowpass_hz = 15;
    run.options.trim = 30;
    return run;
  }
};

const std::vector<Eigen::ArrayXXd Samples::*> kMembers = {
    &Samples::position, &Samples::velocity,     &Samples::acceleration, &Samples::torque,
    &Samples::weight,   &Samples::known_torque, &Samples::signal};

void expect_same(const Conditioned& a, const Conditioned& b, double tolerance) {
  ASSERT_TRUE(a.ok() && b.ok()) << a.error() << b.error();
  ASSERT_EQ(a.time().size(), b.time().size());
  EXPECT_TRUE((a.time() == b.time()).all());
  for (const auto member : kMembers) {
    const Eigen::ArrayXXd x = a.all(member), y = b.all(member);
    ASSERT_EQ(x.cols(), y.cols());
    if (x.size() == 0) continue;
    EXPECT_LE((x - y).abs().maxCoeff<Eigen::PropagateNaN>(), tolerance * y.abs().maxCoeff());
  }
}

TEST_F(ConditioningTest, ADelayTakesTheMotionEarlierAndNothingElse) {
  const double rate = 250, w = 2 * pi * 2, delay = 0.0037;
  const auto path = write(table("t,q1,tau1", 2001,
                                {clock(rate), [&](int k) { return 0.8 * std::sin(w * k / rate); },
                                 [&](int k) { return 30 * std::cos(w * k / rate); }}));
  ConditioningRun run{arm_of({"joint"})};
  run.options.filter = FilterKind::none;
  run.options.trim = 50;
  run.options.dead_band = {1.0};
  const Conditioned on_time = run(path);
  run.options.torque_delay_s = delay;
  const Conditioned late = run(path);
  ASSERT_TRUE(on_time.ok() && late.ok()) << on_time.error() << late.error();
  EXPECT_TRUE((late.all(&Samples::torque) == on_time.all(&Samples::torque)).all());
  EXPECT_TRUE((late.all(&Samples::weight) == on_time.all(&Samples::weight)).all());
  EXPECT_GT(late.dropped("dead band"), 0);
  // the cubic through four samples errs by at most 3/128 of the fourth difference
  const double cubic = 3.0 / 128 * std::pow(w / rate, 4);
  const Eigen::ArrayXd earlier = late.time() - delay;
  EXPECT_LE((late.all(&Samples::position).col(0) - 0.8 * (w * earlier).sin())
                .abs()
                .maxCoeff<Eigen::PropagateNaN>(),
            0.81 * cubic);
  // a central difference scales by sin(w dt) / (w dt)
  const double slope = 0.8 * std::sin(w / rate) * rate;
  EXPECT_LE((late.all(&Samples::velocity).col(0) - slope * (w * earlier).cos())
                .abs()
                .maxCoeff<Eigen::PropagateNaN>(),
            1.01 * slope * cubic);
}

TEST_F(ConditioningTest, TheDeadBandCanLookAtAFilterOfItsOwn) {
  ConditioningRun run = noisy_run();
  run.options.dead_band = {0.5};
  const std::string path = noisy_log(1500);
  const Conditioned reference = run(path);
  run.options.lowpass_hz = 8;
  const Conditioned other = run(path);
  run.options.dead_band_lowpass_hz = 20;
  const Conditioned same_rows = run(path);
  ASSERT_TRUE(reference.ok() && other.ok() && same_rows.ok());
  EXPECT_TRUE((same_rows.all(&Samples::weight) == reference.all(&Samples::weight)).all());
  EXPECT_FALSE((other.all(&Samples::weight) == reference.all(&Samples::weight)).all());
  EXPECT_TRUE((same_rows.all(&Samples::velocity) == other.all(&Samples::velocity)).all());
}

TEST_F(ConditioningTest, ASineKeepsItsPhaseAndIsScaledByTheSquaredGain) {
  const double rate = 500, f = 4, w = 2 * pi * f, dt = 1 / rate;
  const auto path = write(table("t,q1,tau1", 3001,
                                {clock(rate), [&](int k) { return 0.8 * std::sin(w * k * dt); },
                                 [&](int k) { return 30 * std::cos(w * k * dt); }}));
  ConditioningRun run{arm_of({"joint"})};
  run.options.lowpass_hz = 9;
  run.options.torque_lowpass_hz = 6;
  run.options.trim = 1490;
  const Conditioned log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  const Eigen::ArrayXd t = log.time();
  ASSERT_EQ(t.size(), 3001 - 2 * 1490);
  EXPECT_NEAR(log.summary->rate_hz, rate, 1e-9 * rate);

  // central differences of a sine scale it by sin(w dt) / dt and turn it by a quarter
  const double gain = 0.8 * gain_of(f / rate, 9 / rate, 4), slope = std::sin(w * dt) / dt;
  const auto near = [](const Eigen::ArrayXd& value, const Eigen::ArrayXd& expected) {
    return (value - expected).abs().maxCoeff<Eigen::PropagateNaN>() / expected.abs().maxCoeff();
  };
  EXPECT_LE(near(log.all(&Samples::position), gain * (w * t).sin()), 1e-12);
  EXPECT_LE(near(log.all(&Samples::velocity), gain * slope * (w * t).cos()), 1e-11);
  EXPECT_LE(near(log.all(&Samples::acceleration), -gain * slope * slope * (w * t).sin()), 1e-9);
  EXPECT_LE(near(log.all(&Samples::torque), 30 * gain_of(f / rate, 6 / rate, 4) * (w * t).cos()),
            1e-12);
}

TEST_F(ConditioningTest, WithoutAFilterValuesAreRawAndDifferencesCentral) {
  const auto path = write("t,q1,tau1\n0,1,5\n0.5,4,6\n1,9,7\n1.5,16,8\n2,25,9\n");
  ConditioningRun run{arm_of({"joint"})};
  run.options.filter = FilterKind::none;
  run.options.trim = 2;
  const Conditioned log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  ASSERT_EQ(log.summary->num_samples, 1);
  EXPECT_EQ(log.time()[0], 1);
  EXPECT_EQ(log.all(&Samples::position)(0, 0), 9);
  EXPECT_EQ(log.all(&Samples::velocity)(0, 0), 12);
  EXPECT_EQ(log.all(&Samples::acceleration)(0, 0), (16.0 - 8.0) / 1.0);
  EXPECT_EQ(log.all(&Samples::torque)(0, 0), 7);
  EXPECT_EQ(log.dropped("edge of segment"), 4);
}

TEST_F(ConditioningTest, SavitzkyGolayFollowsACubicExactly) {
  const double dt = 0.01;
  const auto cubic = [&](int k) { return 0.2 + 0.5 * k * dt - std::pow(k * dt, 3); };
  const auto path = write(table("t,q1,tau1", 100, {clock(100), cubic, cubic}));
  ConditioningRun run{arm_of({"joint"})};
  run.options.filter = FilterKind::savitzky_golay;
  run.options.trim = 0;
  const Conditioned log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  const Eigen::ArrayXXd q = log.all(&Samples::position);
  ASSERT_EQ(q.rows(), 100);
  for (int k = 0; k < 100; ++k) EXPECT_NEAR(q(k, 0), cubic(k), 1e-13) << k;
  EXPECT_NEAR(log.all(&Samples::velocity)(50, 0), (cubic(51) - cubic(49)) / (2 * dt), 1e-11);
}

TEST_F(ConditioningTest, WindowsDoNotAffectSamples) {
  const auto path = noisy_log(6000);
  for (const auto velocity : {VelocitySource::from_position, VelocitySource::logged}) {
    for (const auto filter :
         {FilterKind::butterworth, FilterKind::savitzky_golay, FilterKind::none}) {
      ConditioningRun run = noisy_run();
      run.options.velocity = velocity;
      run.options.filter = filter;
      run.options.keep_every = 3;
      run.derived.known_torque[1] = "2*cos(q2) + 0.1*tau1";
      run.derived.signals = {"q1*qd2"};
      run.options.window = 1000000;
      const Conditioned whole = run(path);
      ASSERT_TRUE(whole.ok()) << whole.error();
      EXPECT_EQ(whole.blocks.size(), 1u);
      EXPECT_EQ(whole.summary->num_samples, (6000 - 60 + 2) / 3);
      for (const int window : {700, 1024}) {
        run.options.window = window;
        const Conditioned windowed = run(path);
        EXPECT_GE(windowed.blocks.size(), 5u);
        // differences of positions near 1 over 4 ms, twice: rounding grows to eps / dt^2 against
        // values near
        // 1
        expect_same(windowed, whole, 1e-12);
      }
    }
  }
}

TEST_F(ConditioningTest, EveryRowComesOnceWhereverTheSegmentEnds) {
  ConditioningRun run = noisy_run();
  run.options.filter = FilterKind::savitzky_golay;
  run.options.window = 100;
  run.options.trim = 7;
  run.options.keep_every = 4;
  std::size_t last_blocks = 0;
  for (int num_rows = 90; num_rows < 420; num_rows += 3) {
    const Conditioned log = run(noisy_log(num_rows));
    ASSERT_TRUE(log.ok()) << log.error();
    const Eigen::ArrayXd t = log.time();
    ASSERT_EQ(t.size(), (num_rows - 14 + 3) / 4) << num_rows;
    for (int k = 0; k < t.size(); ++k) EXPECT_NEAR(t[k] * 250, 7 + 4 * k, 1e-9);
    EXPECT_EQ(log.dropped("edge of segment"), 14 * 2);
    EXPECT_GE(log.blocks.size(), last_blocks);
    // the last window has two guards of rows or more: 2 (21 + 2) less 7 trimmed, every 4th
    EXPECT_GE(log.blocks.back().size(), 9);
    last_blocks = log.blocks.size();
  }
  EXPECT_GE(last_blocks, 3u);
}

TEST_F(ConditioningTest, ReadSizeChangesNoBit) {
  const auto path = noisy_log(3000);
  ConditioningRun run = noisy_run();
  run.options.window = 500;
  const Conditioned reference = run(path);
  for (const std::size_t read_size : {std::size_t{1}, std::size_t{13}, std::size_t{4096}}) {
    run.read_size = read_size;
    const Conditioned log = run(path);
    expect_same(log, reference, 0);
    ASSERT_EQ(log.blocks.size(), reference.blocks.size());
    for (std::size_t k = 0; k < log.blocks.size(); ++k)
      EXPECT_EQ(log.blocks[k].size(), reference.blocks[k].size());
    EXPECT_EQ(log.summary->sha256, reference.summary->sha256);
  }
}

TEST_F(ConditioningTest, ADeadBandCostsAJointItsOwnRows) {
  ConditioningRun run = noisy_run();
  const Conditioned all = run(noisy_log(1000));
  run.options.dead_band = {0.5, 0};
  const Conditioned banded = run(noisy_log(1000));
  ASSERT_TRUE(banded.ok()) << banded.error();
  const Eigen::ArrayXXd weight = banded.all(&Samples::weight),
                        torque = banded.all(&Samples::torque);
  const Eigen::ArrayXXd velocity = banded.all(&Samples::velocity);
  int slow = 0;
  for (int k = 0; k < weight.rows(); ++k) {
    const bool is_slow = std::abs(velocity(k, 0)) < 0.5;
    slow += is_slow;
    EXPECT_EQ(weight(k, 0), is_slow ? 0 : 1);
    EXPECT_EQ(torque(k, 0), is_slow ? 0 : all.all(&Samples::torque)(k, 0));
    EXPECT_EQ(weight(k, 1), 1);
  }
  EXPECT_GT(slow, 0);
  EXPECT_LT(slow, weight.rows());
  EXPECT_EQ(banded.dropped("dead band"), slow);
}

TEST_F(ConditioningTest, ClippedTorquesLoseTheirRow) {
  const auto peak = [](int k) { return k == 400 || k == 401 ? -80.0 : 79.9; };
  const auto path = write(table("t,q1,tau1", 1000, {clock(250), noise(1, 0), peak}));
  ConditioningRun run{arm_of({"joint"})};
  run.options.torque_limit = {80};
  const Conditioned log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.dropped("clipped torque"), 2);
  const Eigen::ArrayXXd weight = log.all(&Samples::weight);
  EXPECT_EQ(weight.sum(), 1000 - 100 - 2);
  EXPECT_EQ(weight(400 - 50, 0), 0);
  EXPECT_EQ(weight(401 - 50, 0), 0);
}

TEST_F(ConditioningTest, TheEndsThatAFilterInventsAreTrimmed) {
  // two periods of the cutoff on torque, one window, or what two central differences lack
  const auto trimmed = [&](const auto& change) {
    ConditioningRun run{arm_of({"shoulder", "elbow"})};
    change(run.options);
    const Conditioned log = run(noisy_log(1500));
    EXPECT_TRUE(log.ok()) << log.error();
    EXPECT_EQ(log.dropped("edge of segment"), 2 * (1500 - log.summary->num_samples));
    return (1500 - log.summary->num_samples) / 2;
  };
  EXPECT_EQ(trimmed([](ConditioningOptions&) {}), 50);
  EXPECT_EQ(trimmed([](ConditioningOptions& o) { o.lowpass_hz = 30, o.torque_lowpass_hz = 4; }),
            125);
  EXPECT_EQ(trimmed([](ConditioningOptions& o) { o.lowpass_hz = 30, o.torque_lowpass_hz = 7; }),
            72);
  EXPECT_EQ(trimmed([](ConditioningOptions& o) {
              o.filter = FilterKind::savitzky_golay, o.savgol_window = 31;
            }),
            31);
  EXPECT_EQ(trimmed([](ConditioningOptions& o) { o.filter = FilterKind::none; }), 2);
  EXPECT_EQ(trimmed([](ConditioningOptions& o) { o.trim = 0; }), 0);
}

TEST_F(ConditioningTest, UnitsBecomeSi) {
  const auto path =
      write(table("stamp_ms,q_a,q_b,tau_a,tau_b", 1000,
                  {[](int k) { return 4.0 * k; }, [](int k) { return 90 + 0.1 * k; },
                   [](int) { return 0.25; }, [](int) { return 3.0; }, [](int) { return 4.0; }}));
  ConditioningRun run{arm_of({"a", "b"})};
  run.robot.coordinates[1].is_angle = false;
  run.options.trim = 400;  // beyond a guard: a straight line is felt at the ends
  run.format.time = "stamp_ms";
  run.format.time_scale = 1e-3;
  run.format.angle_unit = "deg";
  run.format.torque_scale = 0.5;
  const Conditioned log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_NEAR(log.summary->rate_hz, 250, 1e-9);
  EXPECT_NEAR(log.summary->duration_s, 999 * 0.004, 1e-12);
  EXPECT_NEAR(log.time()[0], 1.6, 1e-12);
  EXPECT_NEAR(log.all(&Samples::position)(0, 0), (90 + 40) * pi / 180, 1e-9);
  EXPECT_NEAR(log.all(&Samples::velocity)(0, 0), 25 * pi / 180, 1e-9);
  EXPECT_NEAR(log.all(&Samples::position)(0, 1), 0.25, 1e-12);
  EXPECT_NEAR(log.all(&Samples::torque)(0, 0), 1.5, 1e-12);
  EXPECT_NEAR(log.all(&Samples::torque)(0, 1), 2, 1e-12);
}

TEST_F(ConditioningTest, ALoggedAccelerationIsSmoothedNotReplaced) {
  const auto path = write(table("t,q1,qdd1,tau1", 300,
                                {clock(250), [](int k) { return 0.01 * k; },
                                 [](int) { return 7.0; }, [](int) { return 1.0; }}));
  const Conditioned log = ConditioningRun{arm_of({"joint"})}(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_LE((log.all(&Samples::acceleration) - 7).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-12);
}

TEST_F(ConditioningTest, LogsWithoutTorqueAreWelcomeOnRequest) {
  const auto path = write(table("t,q1", 300, {clock(250), noise(1, 0)}));
  ConditioningRun run{arm_of({"joint"})};
  EXPECT_FALSE(run(path).ok());
  run.options.need_torque = false;
  run.derived.known_torque[0] = "5";
  const Conditioned log = run(path);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_TRUE((log.all(&Samples::torque) == 0).all());
  EXPECT_TRUE((log.all(&Samples::weight) == 1).all());
  EXPECT_TRUE((log.all(&Samples::known_torque) == 5).all());
}

TEST_F(ConditioningTest, NoiseReachesAsFarAsTheFilterOfTheRowsThatAreSummed) {
  const auto path = noisy_log(3000);
  ConditioningRun run = noisy_run();
  const auto reach = [&](const char* rows, bool filter_rows) {
    run.options.rows = rows, run.options.filter_rows = filter_rows;
    const Conditioned log = run(path);
    EXPECT_TRUE(log.ok()) << log.error();
    return log.ok() ? log.summary->filter_reach_s : 0;
  };
  const double of_torque = reach("torque", false);
  EXPECT_GT(of_torque, 0);
  // rows of momentum go through a filter of half the cutoff, or through that of filter_rows
  EXPECT_NEAR(reach("momentum", false), 2 * of_torque, 0.1 * of_torque);  // warped a little
  EXPECT_EQ(reach("momentum", true), of_torque);
}

TEST_F(ConditioningTest, ASinkCanStopAndProgressGrowsToOne) {
  const auto path = noisy_log(12000);  // several times what is read ahead
  const ConditioningRun run = noisy_run();
  std::vector<double> heard;
  const Log log(path, [&](const LogFormat& format) { return open_file(path, format, 1000); });
  const auto done = condition_log(
      log, run.reading(), [](int, const Samples&) -> Result<Done> { return Done{}; },
      [&](double fraction) { heard.push_back(fraction); });
  ASSERT_TRUE(done.ok());
  ASSERT_GE(heard.size(), 10u);
  EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
  EXPECT_EQ(heard.back(), 1);

  const auto stopped = condition_log(path, run.reading(), [](int, const Samples&) -> Result<Done> {
    return Error{"sink", "has enough", ""};
  });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().what, "has enough");
}

}  // namespace
}  // namespace heft
