// Known torques and signals by formula.
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using testing::HasSubstr;

class ExpressionsTest : public LogTest {
 protected:
  // Constant positions and a current, so that no filter changes them, and a ramp on the second
  // joint.
  ExpressionsTest() : run_{arm_of({"lift-1", "turn"})} {
    run_.options.trim = 150;  // a guard
    path_ =
        write(table("t,q1,q2,tau1,tau2,current,motor temp", 400,
                    {[](int k) { return 0.01 * k; }, [](int) { return 0.3; },
                     [](int k) { return 0.02 * k; }, [](int) { return 11.0; },
                     [](int) { return 12.0; }, [](int) { return 4.0; }, [](int) { return 36.0; }}));
  }

  double signal(const std::string& expression) {
    run_.derived = {{}, {expression}};
    const Conditioned log = run_(path_);
    if (!log.ok()) {
      ADD_FAILURE() << log.error();
      return kNaN;
    }
    return log.all(&Samples::signal)(0, 0);
  }

  ConditioningRun run_;
  std::string path_;
};

TEST_F(ExpressionsTest, KnowStatesByIndexAndByName) {
  EXPECT_NEAR(signal("q1"), 0.3, 1e-12);
  EXPECT_NEAR(signal("q_lift_1"), 0.3, 1e-12);
  EXPECT_NEAR(signal("q_turn"), 3, 1e-9);
  EXPECT_NEAR(signal("qd2"), 2, 1e-9);
  EXPECT_NEAR(signal("qd_turn*10 + qdd_turn"), 20, 1e-6);
}

TEST_F(ExpressionsTest, AreTheSameOnAnyNumberOfThreads) {
  run_.derived = {{{0, "sin(q2)"}, {1, "q1*q2"}}, {}};
  for (int k = 1; k <= 40; ++k) run_.derived.signals.push_back("q2/" + std::to_string(k));
  const Conditioned one = run_(path_);
  run_.derived.num_threads = 3;
  const Conditioned three = run_(path_);
  ASSERT_TRUE(one.ok() && three.ok());
  for (const auto member : {&Samples::signal, &Samples::known_torque})
    EXPECT_TRUE((one.all(member) == three.all(member)).all());
  for (int k = 1; k <= 40; ++k) EXPECT_NEAR(three.all(&Samples::signal)(0, k - 1), 3.0 / k, 1e-9);
  EXPECT_NEAR(three.all(&Samples::known_torque)(0, 0), std::sin(3.0), 1e-9);
  EXPECT_NEAR(three.all(&Samples::known_torque)(0, 1), 0.3 * 3, 1e-9);
  run_.derived.signals[7] = "log(-q1)", run_.derived.signals[30] = "sqrt(-q1)";
  EXPECT_THAT(run_(path_).error(), HasSubstr("log(-q1)"));
}

TEST_F(ExpressionsTest, KnowLogColumns) {
  EXPECT_NEAR(signal("current"), 4, 1e-12);
  EXPECT_NEAR(signal("motor temp"), 36, 1e-11);  // a name alone may hold any characters
  EXPECT_NEAR(signal("0.5*current^2 + tau1"), 8 + 11, 1e-10);
}

TEST_F(ExpressionsTest, KnowFunctionsAndPi) {
  const double x = 0.3;
  const std::pair<const char*, double> cases[] = {{"sin(q1)", std::sin(x)},
                                                  {"cos(q1)", std::cos(x)},
                                                  {"tan(q1)", std::tan(x)},
                                                  {"asin(q1)", std::asin(x)},
                                                  {"acos(q1)", std::acos(x)},
                                                  {"atan(q1)", std::atan(x)},
                                                  {"atan2(q1, -1)", std::atan2(x, -1)},
                                                  {"sinh(q1)", std::sinh(x)},
                                                  {"cosh(q1)", std::cosh(x)},
                                                  {"tanh(q1)", std::tanh(x)},
                                                  {"exp(q1)", std::exp(x)},
                                                  {"log(q1)", std::log(x)},
                                                  {"log10(q1)", std::log10(x)},
                                                  {"sqrt(q1)", std::sqrt(x)},
                                                  {"abs(-q1)", x},
                                                  {"sign(-q1)", -1},
                                                  {"sign(0)", 0},
                                                  {"min(q1, 0.2, 1)", 0.2},
                                                  {"max(q1, 0.2)", x},
                                                  {"pow(q1, 3)", std::pow(x, 3)},
                                                  {"pi", std::numbers::pi},
                                                  {"q1 > 1 ? 2 : 3", 3}};
  for (const auto& [expression, expected] : cases)
    EXPECT_NEAR(signal(expression), expected, 1e-11) << expression;
}

TEST_F(ExpressionsTest, KnownTorqueIsSubtractedAndKept) {
  run_.derived.known_torque = {{1, "3*q1 + current"}};
  const Conditioned log = run_(path_);
  ASSERT_TRUE(log.ok()) << log.error();
  const Eigen::ArrayXXd known = log.all(&Samples::known_torque), torque = log.all(&Samples::torque);
  EXPECT_TRUE((known.col(0) == 0).all());
  EXPECT_LE((known.col(1) - 4.9).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-11);
  EXPECT_LE((torque.col(0) - 11).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-11);
  EXPECT_LE((torque.col(1) - 7.1).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-11);
}

TEST_F(ExpressionsTest, WithoutKnownTorqueNoneIsKept) {
  const Conditioned log = run_(path_);
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.blocks[0].known_torque.size(), 0);
  EXPECT_EQ(log.blocks[0].signal.cols(), 0);
}

TEST_F(ExpressionsTest, BadOnesAreNamed) {
  const auto message = [&](const DerivedSignals& derived) {
    run_.derived = derived;
    return run_(path_).error();
  };
  EXPECT_THAT(message({{{0, "9*qd_trun"}}, {}}),
              HasSubstr("known_torque of lift-1: '9*qd_trun' contains the unknown "
                        "name 'qd_trun'"));
  EXPECT_THAT(message({{{0, "9*qd_trun"}}, {}}), HasSubstr("did you mean 'qd_turn'?"));
  EXPECT_THAT(message({{}, {"q1", "sin(q1"}}),
              HasSubstr("signal 1: 'sin(q1' is not a valid expression"));
  EXPECT_THAT(message({{}, {""}}), HasSubstr("signal 0"));
  EXPECT_THAT(message({{}, {"rnd()"}}), HasSubstr("signal 0"));
  EXPECT_THAT(message({{{2, "q1"}}, {}}), HasSubstr("channel 2 does not exist"));
  EXPECT_THAT(message({{}, {"log(q1 - 1)"}}),
              HasSubstr("signal 0: 'log(q1 - 1)' is not finite at t = 1.5 s"));
}

}  // namespace
}  // namespace heft
