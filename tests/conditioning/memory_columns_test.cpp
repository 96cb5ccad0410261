// A column kind with memory, added through a table of kinds: its state receives every row of a
// segment before decimation, for any division of the segment into windows.
#include <cmath>

#include "heft/log/arrays.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/setup/setup.hpp"
#include "tests/conditioning/log_test_support.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

constexpr double kTimeConstant = 0.4;  ///< [s]

/// Dahl's friction with a forgetting state: z follows qd through one pole.
class Follower : public ColumnMemory {
 public:
  explicit Follower(double width) : width_(width) {}
  void reset() override { z_ = 0; }
  double advance(double, double velocity, double, double period_s) override {
    z_ += period_s / kTimeConstant * (std::tanh(velocity / width_) - z_);
    return z_;
  }
  std::unique_ptr<ColumnMemory> clone() const override { return std::make_unique<Follower>(*this); }

 private:
  double width_, z_ = 0;
};

std::unique_ptr<ColumnMemory> make_follower(double width) {
  return std::make_unique<Follower>(width);
}

class MemoryColumns : public ::testing::Test {
 protected:
  MemoryColumns() : kinds_(column_kinds().begin(), column_kinds().end()) {
    kinds_.push_back({.name = "follower",
                      .effect = ColumnEffect::dry_friction,
                      .angular_unit = "N m",
                      .linear_unit = "N",
                      .is_nonnegative = true,
                      .has_width = true,
                      .default_width = kWidth,
                      .make_memory = make_follower});
    oracle::RandomRobotOptions options;
    options.min_bodies = options.max_bodies = 2;
    options.joint_types = {JointType::revolute};
    model_ =
        *make_model(oracle::random_robot(options, 1),
                    {.columns = {{.kind = "viscous"}, {.kind = "follower", .tanh_width = kWidth}},
                     .kinds = kinds_});
    time_.resize(kRows);
    position_.resize(kRows, 2);
    torque_.setZero(kRows, 2);
    for (int i = 0; i < kRows; ++i) {
      time_[i] = 0.01 * i + (i < kPause ? 0 : 5);
      position_.row(i) << std::sin(3 * time_[i]), 0.5 * std::cos(2 * time_[i]);
    }
    options_.filter = FilterKind::butterworth;
    options_.lowpass_hz = 10;
    options_.max_gap_s = 1;
  }

  /// The blocks of a log put together: position .. acceleration and signals, by segment.
  std::vector<Samples> conditioned(const ConditioningOptions& options) const {
    std::vector<Samples> segments;
    const RegressorPlan& plan = *model_.plan;
    const auto read = condition_log(
        array_log("log", time_, position_, torque_),
        {plan.robot, plan.channels, LogFormat{}, options, model_.derived},
        [&](int segment, const Samples& block) -> Result<Done> {
          segments.resize(static_cast<std::size_t>(segment) + 1);
          append(block.time, segments[static_cast<std::size_t>(segment)].time);
          append(block.position, segments[static_cast<std::size_t>(segment)].position);
          append(block.velocity, segments[static_cast<std::size_t>(segment)].velocity);
          append(block.signal, segments[static_cast<std::size_t>(segment)].signal);
          return Done{};
        });
    EXPECT_TRUE(read.ok()) << read.error().message();
    return segments;
  }

  template <class Array>
  static void append(const Array& rows, Array& all) {
    const Eigen::Index before = all.rows();
    all.conservativeResize(before + rows.rows(), rows.cols());
    all.bottomRows(rows.rows()) = rows;
  }

  static constexpr double kWidth = 0.3;
  static constexpr int kRows = 1500, kPause = 900;
  std::vector<ColumnKind> kinds_;
  Model model_;
  Eigen::ArrayXd time_;
  Eigen::ArrayXXd position_, torque_;
  ConditioningOptions options_;
};

TEST_F(MemoryColumns, HearEveryRowFromTheStartOfTheirSegment) {
  options_.trim = 0;
  const std::vector<Samples> segments = conditioned(options_);
  ASSERT_EQ(segments.size(), 2u);
  for (const Samples& segment : segments)
    for (int joint = 0; joint < 2; ++joint) {
      double z = 0;
      for (Eigen::Index i = 0; i < segment.velocity.rows(); ++i) {
        z += 0.01 / kTimeConstant * (std::tanh(segment.velocity(i, joint) / kWidth) - z);
        EXPECT_NEAR(segment.signal(i, joint), z, 1e-9) << i;
      }
    }
}

TEST_F(MemoryColumns, DoNotDependOnWindows) {
  const std::vector<Samples> whole = conditioned(options_);
  options_.window = 70;
  const std::vector<Samples> cut = conditioned(options_);
  ASSERT_EQ(whole.size(), cut.size());
  for (std::size_t s = 0; s < whole.size(); ++s) {
    ASSERT_EQ(whole[s].signal.rows(), cut[s].signal.rows());
    EXPECT_LE((whole[s].signal - cut[s].signal).abs().maxCoeff(), 1e-9);
  }
}

TEST_F(MemoryColumns, AdvanceOverRowsThatAreThinnedOut) {
  options_.trim = 10;
  const std::vector<Samples> all = conditioned(options_);
  options_.keep_every = 7;
  options_.window = 130;
  const std::vector<Samples> few = conditioned(options_);
  ASSERT_EQ(all.size(), few.size());
  for (std::size_t s = 0; s < all.size(); ++s) {
    ASSERT_GT(few[s].signal.rows(), 20);
    for (Eigen::Index i = 0; i < few[s].signal.rows(); ++i) {
      EXPECT_EQ(few[s].time[i], all[s].time[7 * i]);
      EXPECT_NEAR(few[s].signal(i, 0), all[s].signal(7 * i, 0), 1e-9);
    }
  }
}

TEST_F(MemoryColumns, EnterTheLayoutAsSignals) {
  const Column& column = model_.plan->layout.columns.back();
  EXPECT_EQ(column.kind, "follower");
  EXPECT_EQ(column.effect, ColumnEffect::dry_friction);
  EXPECT_EQ(column.terms.front().feature, core::Feature::signal);
  EXPECT_FALSE(column.definition.empty());
  EXPECT_EQ(model_.derived.memories.size(), 2u);
}

/// A model whose only column is an expression of joint 1, and what it is over a log.
class MemoryFunctions : public MemoryColumns {
 protected:
  std::vector<Samples> signals_of(const std::string& expression,
                                  const ConditioningOptions& options) {
    ColumnSpec spec{.kind = "expression", .name = "memory", .unit = "N m"};
    spec.rows = {{model_.plan->channels.front().name, expression}};
    auto made = make_model(model_.plan->robot, {.columns = {spec}});
    EXPECT_TRUE(made.ok()) << made.error().message();
    model_ = *made;
    return conditioned(options);
  }

  /// Compares with f(previous value, x now, x before, rows so far) over the positions of joint 1.
  template <class Next>
  void expect_follows(const std::string& expression, const Next& next) {
    options_.trim = 0;
    const std::vector<Samples> segments = signals_of(expression, options_);
    ASSERT_EQ(segments.size(), 2u);
    for (const Samples& segment : segments) {
      std::vector<double> x, z;
      for (Eigen::Index i = 0; i < segment.position.rows(); ++i) {
        x.push_back(segment.position(i, 0));
        z.push_back(next(x, z));
        ASSERT_NEAR(segment.signal(i, 0), z.back(), 1e-9) << expression << " " << i;
      }
    }
    options_.window = 70;
    const std::vector<Samples> cut = signals_of(expression, options_);
    for (std::size_t s = 0; s < segments.size(); ++s)
      EXPECT_LE((segments[s].signal - cut[s].signal).abs().maxCoeff(), 1e-9) << expression;
  }
};

TEST_F(MemoryFunctions, LagByRowsAndBetweenThem) {
  const auto at = [](const std::vector<double>& x, double rows_ago) {
    const double place = std::max(0.0, static_cast<double>(x.size()) - 1 - rows_ago);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    return part > 0 ? (1 - part) * x[below] + part * x[below + 1] : x[below];
  };
  expect_follows("lag(q1, 0.07)", [&](const auto& x, const auto&) { return at(x, 7); });
  expect_follows("2*lag(q1, 0.034)", [&](const auto& x, const auto&) { return 2 * at(x, 3.4); });
}

TEST_F(MemoryFunctions, FilterLikeAnRcCircuit) {
  const double kept = std::exp(-2 * 3.14159265358979 * 2 * 0.01);
  expect_follows("filter(q1, 2)", [&](const std::vector<double>& x, const std::vector<double>& z) {
    return z.empty() ? x.back() : kept * z.back() + (1 - kept) * x.back();
  });
}

TEST_F(MemoryFunctions, StopAtTheWidth) {
  const auto stop = [](const std::vector<double>& x, const std::vector<double>& z) {
    if (z.empty()) return 0.0;
    return std::min(1.0, std::max(-1.0, z.back() + (x.back() - x[x.size() - 2]) / 0.3));
  };
  expect_follows("hysteresis(q1, 0.3)", stop);
  expect_follows("hysteresis( q1+lag(qd1, 0.01)*0, 0.3)", stop);
}

TEST_F(MemoryFunctions, AreRefusedWithoutAPositiveNumber) {
  for (const auto& [expression, says] : std::vector<std::pair<std::string, std::string>>{
           {"hysteresis(q1, 0)", "not a positive number"},
           {"lag(q1, q2)", "not a positive number"},
           {"lag(q1)", "needs two arguments"},
           {"lag(q1, 0.1, 0.2)", "'q1, 0.1' has 2 values"},
           {"filter(q1, 2", "needs two arguments"},
           {"lag(q1, 100)", "not shorter than a segment"}}) {
    ColumnSpec spec{.kind = "expression", .name = "memory", .unit = "N m"};
    spec.rows = {{model_.plan->channels.front().name, expression}};
    const auto made = make_model(model_.plan->robot, {.columns = {spec}});
    ASSERT_TRUE(made.ok());
    const auto read = condition_log(
        array_log("log", time_, position_, torque_),
        {made->plan->robot, made->plan->channels, LogFormat{}, options_, made->derived},
        [](int, const Samples&) -> Result<Done> { return Done{}; });
    ASSERT_FALSE(read.ok()) << expression;
    EXPECT_NE(read.error().what.find(says), std::string::npos) << read.error().message();
    EXPECT_EQ(read.error().where, "columns: memory");
    EXPECT_FALSE(read.error().remedy.empty());
  }
}

/// Kinds of the table with a memory.
class Slip : public ::testing::Test {
 protected:
  static std::unique_ptr<ColumnMemory> state_of(const char* kind, double width) {
    auto state = find_column_kind(column_kinds(), kind)->make_memory(width);
    state->reset();
    return state;
  }
  static double moved_to(ColumnMemory& state, double from, double to, int steps) {
    double z = 0;
    for (int i = 0; i <= steps; ++i) z = state.advance(from + (to - from) * i / steps, 0, 0, 0.001);
    return z;
  }
};

TEST_F(Slip, DahlApproachesItsDirectionAtAnyRate) {
  for (const int steps : {3, 400}) {
    const auto state = state_of("dahl", 0.1);
    const double up = 1 - std::exp(-0.25 / 0.1);  // dz/dq = (1 - z) / width
    EXPECT_NEAR(moved_to(*state, 1.0, 1.25, steps), up, 1e-12);
    EXPECT_NEAR(moved_to(*state, 1.25, 1.20, steps), -1 + (1 + up) * std::exp(-0.05 / 0.1), 1e-12);
  }
}

TEST_F(Slip, MaxwellYieldsAtItsWidth) {
  const auto state = state_of("maxwell", 0.1);
  EXPECT_NEAR(moved_to(*state, 1.0, 1.06, 5), 0.06, 1e-12);
  EXPECT_NEAR(moved_to(*state, 1.06, 1.5, 5), 0.1, 1e-12);
  EXPECT_NEAR(moved_to(*state, 1.5, 1.35, 5), -0.05, 1e-12);
  state->reset();
  EXPECT_EQ(state->advance(7, 0, 0, 0.001), 0);
}

}  // namespace
}  // namespace heft
