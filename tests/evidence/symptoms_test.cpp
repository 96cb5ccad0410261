// Doubts that report a symptom rather than a cause: each for a log with only that fault, and none
// without it.
#include <cmath>
#include <numbers>

#include "evidence/noise_floor.hpp"
#include "heft/report/report.hpp"
#include "planar_arm.hpp"

namespace heft {
namespace {

class Symptoms : public PlanarArm {
 protected:
  /// Adds amplitude sin(2 pi 3.3 Hz t), which no body makes, to a column of some rows.
  static void hum(Eigen::ArrayXXd& log, Eigen::Index column, double amplitude, Eigen::Index first,
                  Eigen::Index count) {
    for (Eigen::Index i = first; i < first + count; ++i)
      log(i, column) += amplitude * std::sin(2 * std::numbers::pi * 3.3 * log(i, 0));
  }

  void expect_serious(const std::string& id, const std::string& joint = "") {
    const auto doubts = doubts_about(identified());
    const Doubt* found = find(doubts, id);
    ASSERT_NE(found, nullptr) << id;
    EXPECT_TRUE(found->serious);
    EXPECT_EQ(found->joint, joint);
    EXPECT_FALSE(found->words.empty());
  }
};

TEST_F(Symptoms, HalvesDiffer) {
  for (const Eigen::Index column : {3, 4})
    hum(train_, column, 2, train_.rows() / 2, train_.rows() / 2);
  expect_serious("halves-differ");
}

TEST_F(Symptoms, StretchesDiffer) {
  hum(train_, 4, 3, 3000, 750);
  expect_serious("stretches-differ", "elbow");
}

TEST_F(Symptoms, TorquesDrift) {
  for (Eigen::ArrayXXd* log : {&train_, &held_out_})
    log->col(4) += Eigen::ArrayXd::LinSpaced(log->rows(), -1, 1);
  expect_serious("torque-trend", "elbow");
}

// the same trend, beside errors that are larger: those have another cause
TEST_F(Symptoms, ATrendThatIsNotMostOfTheErrorIsMinor) {
  for (Eigen::ArrayXXd* log : {&train_, &held_out_}) {
    log->col(4) += Eigen::ArrayXd::LinSpaced(log->rows(), -1, 1);
    hum(*log, 4, 3, 0, log->rows());
  }
  const auto doubts = doubts_about(identified());
  const Doubt* found = find(doubts, "torque-trend");
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->serious);
}

TEST_F(Symptoms, LogsDisagree) {
  another_ = recorded(0.9);
  for (const Eigen::Index column : {3, 4}) hum(another_, column, 3, 0, another_.rows());
  expect_serious("logs-disagree");
}

TEST_F(Symptoms, JointsErrTogether) {
  for (Eigen::ArrayXXd* log : {&train_, &held_out_})
    for (const Eigen::Index column : {3, 4}) hum(*log, column, 3, 0, log->rows());
  expect_serious("joints-err-together", "shoulder");
}

TEST_F(Symptoms, WorseThanTheFileIsMinorBesideItsCause) {
  train_.col(4) *= 3;
  Identification result = identified();
  const auto doubts = doubts_about(result);
  const Doubt* found = find(doubts, "worse-than-urdf");
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->serious);
  for (const Doubt& doubt : doubts)
    if (doubt.id != "worse-than-urdf") result.accepted.push_back(doubt.id);
  const auto others_accepted = doubts_about(result);
  found = find(others_accepted, "worse-than-urdf");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->serious);
}

TEST_F(Symptoms, AMassThatIsAbsurd) {
  Identification result = identified();
  EXPECT_EQ(find(doubts_about(result), "mass-absurd"), nullptr);
  const auto body =
      std::find(result.plan().layout.bodies.begin(), result.plan().layout.bodies.end(), "lower");
  ASSERT_NE(body, result.plan().layout.bodies.end());
  const auto mass = result.plan().layout.index(
      static_cast<int>(body - result.plan().layout.bodies.begin()), core::kMass);
  for (Estimate& estimate : result.estimates)
    estimate.parameters[mass] = 0.03;  // the file says 1.7 kg
  const auto doubts = doubts_about(result);
  const Doubt* found = find(doubts, "mass-absurd");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->serious);
  EXPECT_NE(found->words.find("lower would weigh 0.03 kg"), std::string::npos) << found->words;
}

TEST_F(Symptoms, AWeightAtTheEndOfItsRange) {
  Identification result = identified();
  WeightChoice choice{.weight = 0.3, .gap_is_full = true};
  for (const double weight : {0.1, 0.3, 1.0}) choice.trials.push_back({.weight = weight});
  result.choices.weight_of_prior = choice;
  EXPECT_EQ(find(doubts_about(result), "prior-weight-at-edge"), nullptr);
  for (const double end : {0.1, 1.0}) {
    result.choices.weight_of_prior->weight = end;
    EXPECT_NE(find(doubts_about(result), "prior-weight-at-edge"), nullptr) << end;
  }
}

// white noise whose memory ends with a row, beside a slow error of the model: only the noise
// counts, and the bracket holds it
TEST(NoiseFloor, ContainsTheNoiseWithoutSlowErrors) {
  constexpr double kPeriod = 0.01, kNoise = 0.3;
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  Eigen::ArrayXXd residual(4000, 2);
  for (Eigen::Index i = 0; i < residual.rows(); ++i) {
    residual(i, 0) =
        5 * std::sin(0.7 * kPeriod * static_cast<double>(i)) + kNoise * normal(generator);
    residual(i, 1) = i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  }
  const NoiseFloor floor = noise_floor({residual}, kPeriod, 0.5 / kPeriod);
  EXPECT_LT(floor.lower[0], kNoise);
  EXPECT_GT(floor.lower[0], 0.4 * kNoise);
  EXPECT_GT(floor.upper[0], kNoise);
  EXPECT_LT(floor.upper[0], 1.6 * kNoise);
  EXPECT_TRUE(std::isnan(floor.upper[1])) << "no three rows in a line are used";
}

TEST_F(Symptoms, TheVerdictRatesTheError) {
  const std::string clean = summary_text(identified());
  EXPECT_NE(clean.find("That is good"), std::string::npos) << clean;
  for (Eigen::ArrayXXd* log : {&train_, &held_out_}) hum(*log, 4, 1, 0, log->rows());
  request_.gathering.conditioning.lowpass_hz = 40;  // the hum is slow beside it
  const std::string humming = summary_text(identified());
  EXPECT_NE(humming.find("the model is incomplete"), std::string::npos) << humming;
}

}  // namespace
}  // namespace heft
