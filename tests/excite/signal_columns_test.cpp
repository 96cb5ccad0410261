// Columns by expressions along a motion: values and derivatives compared with those computed by
// hand, and rejected expressions.
#include "host/applications/excite/signal_columns.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random_stream.hpp"
#include "branched.hpp"
#include "host/applications/excite/beliefs.hpp"
#include "host/applications/excite/limits.hpp"

namespace heft::excite {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

Result<PlanPtr> plan_with(const std::string& of_ja, const std::string& of_jb) {
  BeliefOptions options;
  options.columns = {{.kind = "expression",
                      .name = "coupling",
                      .unit = "N m",
                      .rows = {{"ja", of_ja}, {"jb", of_jb}}}};
  return make_excitation_plan(branched(), options);
}

struct Motion {
  ArrayXXd q, qd, qdd;
};

Motion random_motion(Index samples) {
  RandomStream random(4);
  const auto values = [&] {
    return ArrayXXd::NullaryExpr(samples, 4, [&] { return random.normal(); }).eval();
  };
  Motion motion{values(), values(), values()};
  motion.qd.row(0).setZero();  // at rest
  return motion;
}

TEST(SignalColumns, ValuesAndSlopesMatchTheExpression) {
  const auto plan = plan_with("sin(2*q_jb)*qd_jd + 0.1*qdd_jb^3", "exp(q1)*qdd_jc");
  ASSERT_TRUE(plan) << plan.error().message();
  auto signals = SignalColumns::make(**plan);
  ASSERT_TRUE(signals) << signals.error().message();
  const Index samples = 40;
  const Motion m = random_motion(samples);
  const ArrayXXd values = signals->values(m.q, m.qd, m.qdd);
  const auto q = [&](int k) { return m.q.col(k); };
  const auto qd = [&](int k) { return m.qd.col(k); };
  const auto qdd = [&](int k) { return m.qdd.col(k); };
  EXPECT_LT((values.col(0) - ((2 * q(1)).sin() * qd(3) + 0.1 * qdd(1).cube())).abs().maxCoeff(),
            1e-14);
  EXPECT_LT((values.col(1) - q(0).exp() * qdd(2)).abs().maxCoeff(), 1e-14);
  const ArrayXXd by = random_motion(samples).q.leftCols(2);
  ArrayXXd by_q = ArrayXXd::Ones(samples, 4), by_qd = by_q, by_qdd = by_q;  // they are added to
  signals->add_gradient(by, by_q, by_qd, by_qdd);
  ArrayXXd q_hand = ArrayXXd::Ones(samples, 4), qd_hand = q_hand, qdd_hand = q_hand;
  q_hand.col(0) += by.col(1) * q(0).exp() * qdd(2);
  q_hand.col(1) += by.col(0) * 2 * (2 * q(1)).cos() * qd(3);
  qd_hand.col(3) += by.col(0) * (2 * q(1)).sin();
  qdd_hand.col(1) += by.col(0) * 0.3 * qdd(1).square();
  qdd_hand.col(2) += by.col(1) * q(0).exp();
  EXPECT_LT((by_q - q_hand).abs().maxCoeff(), 1e-9);
  EXPECT_LT((by_qd - qd_hand).abs().maxCoeff(), 1e-9);
  EXPECT_LT((by_qdd - qdd_hand).abs().maxCoeff(), 1e-9);
}

TEST(SignalColumns, HaveNoSlopeAcrossJumpsAndCorners) {
  const auto plan = plan_with("sign(qd_jb)", "abs(qd_jb)");
  ASSERT_TRUE(plan);
  auto signals = SignalColumns::make(**plan);
  ASSERT_TRUE(signals);
  const Motion m = random_motion(5);
  signals->values(m.q, m.qd, m.qdd);
  ArrayXXd none = ArrayXXd::Zero(5, 4), by_qd = none;
  signals->add_gradient(ArrayXXd::Ones(5, 2), none, by_qd, none);
  EXPECT_EQ(by_qd(0, 1), 0);  // at rest
  for (Index s = 1; s < 5; ++s) EXPECT_NEAR(by_qd(s, 1), std::copysign(1, m.qd(s, 1)), 1e-9);
}

TEST(SignalColumns, RefusesSignalsThatAMotionLacksByName) {
  const auto plan = plan_with("qd_jb*temperature", "qd1");
  ASSERT_TRUE(plan);
  const auto signals = SignalColumns::make(**plan);
  ASSERT_FALSE(signals);
  EXPECT_EQ(signals.error().where, "columns: coupling");
  EXPECT_NE(signals.error().what.find("'temperature'"), std::string::npos)
      << signals.error().message();
  EXPECT_NE(signals.error().remedy.find("q, qd and qdd"), std::string::npos);
  const auto root = plan_with("sqrt(q_jb)", "qd1");
  ASSERT_TRUE(root);
  const auto limits = make_limits(branched(), {});
  ASSERT_TRUE(limits);
  std::vector<std::string> notes;
  const auto beliefs = make_beliefs(**root, *limits, {}, nullptr, notes);
  ASSERT_FALSE(beliefs);
  EXPECT_EQ(beliefs.error().where, "columns: coupling");
}

}  // namespace
}  // namespace heft::excite
