// Logs of a planar arm with one fault: found, named, measured, and corrected by the option that the
// doubt gives.
#include <algorithm>
#include <fstream>
#include <numbers>
#include <sstream>

#include "planar_arm.hpp"

namespace heft {
namespace {

using Doubts = PlanarArm;

TEST_F(Doubts, CleanLogsHaveNone) {
  const Identification result = identified();
  EXPECT_EQ(serious(result), std::vector<std::string>());
  EXPECT_EQ(verdict_level(result, doubts_about(result)), VerdictLevel::green);
  ASSERT_TRUE(result.second_pass.evidence.reference);
  // friction cannot make up for bodies that are 20 % off
  EXPECT_GT(result.second_pass.evidence.reference->urdf_relative, 0.02);
  // 0.1 and 0.03 N m of white noise at 250 Hz through 15 Hz
  const double left = std::sqrt(15 / 125.0);
  const Reference& reference = *result.second_pass.evidence.reference;
  EXPECT_LT(reference.floor_lower_rms[0], 0.1 * left);
  EXPECT_GT(reference.floor_upper_rms[0], 0.6 * 0.1 * left);
  EXPECT_LT(reference.floor_lower, result.answer().validation->overall_relative);
  EXPECT_LE(reference.floor_upper, result.answer().validation->overall_relative);
}

/// Beside a training log without noise every other one looks bad. Without a test of the logs their
/// noise is unknown, and no more is doubted.
TEST_F(Doubts, ANoisierHeldOutLogIsNotSerious) {
  train_ = recorded(0.3, 0.01);
  for (const bool asks : {true, false}) {
    request_.gathers_evidence = asks;
    const Identification result = identified();
    ASSERT_GT(result.answer().validation->overall_relative,
              3 * result.answer().training.overall_relative);
    const std::vector<Doubt> doubts = doubts_about(result);
    const Doubt* worse = find(doubts, "held-out-worse");
    EXPECT_EQ(worse != nullptr, !asks);
    EXPECT_TRUE(!worse || !worse->serious);
    EXPECT_EQ(find(doubts, "logs-not-checked") != nullptr, !asks);
    EXPECT_EQ(verdict_level(result, doubts), VerdictLevel::green);
  }
}

// less inertia than a body near the file's has, so little that it hardly shows: the price is high
// beside next to no noise, and yet no torque is of another unit
TEST_F(Doubts, ThePriceOfASmallErrorBlamesNoTorque) {
  constexpr double kTooLittle = -0.065;  // leaves 0.035 kg m^2 to 0.4 kg m: a body of 4.6 kg at
                                         // least, the file says 1.7
  train_ = recorded(0.3, 0.02, kTooLittle);
  held_out_ = recorded(1.4, 0.02, kTooLittle);
  const Identification result = identified();
  ASSERT_TRUE(result.optimum && result.optimum->price);
  ASSERT_GT(result.optimum->price->relative, 0.1);
  ASSERT_LT(result.answer().training.overall_relative, 0.02);
  EXPECT_TRUE(result.optimum->suspicious_channels.empty());
  for (const Doubt& doubt : doubts_about(result)) {
    EXPECT_NE(doubt.id, "channel-suspicious");
    EXPECT_TRUE(doubt.id != "price-of-physics" || !doubt.serious) << doubt.words;
  }
}

TEST_F(Doubts, AFactorOnOneTorqueIsMeasured) {
  put([](Eigen::ArrayXXd& log) { log.col(4) *= 1.4; });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torque-scale elbow");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_NEAR(best.value, 1 / 1.4, 0.01);
  EXPECT_LT(best.lower, 1 / 1.4);
  EXPECT_GT(best.upper, 1 / 1.4);
  EXPECT_LT(*best.held_out_after, 0.5 * *best.held_out_before);
  EXPECT_NE(best.yaml.find("torque_scale"), std::string::npos);
  // as the option that corrects it
  request_.gathering.log.torque_scale.by_name["elbow"] = best.value;
  request_.gathering.log.torque_scale.for_all = 1;
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

TEST_F(Doubts, ATorqueBeyondAnyDriveIsAnotherUnit) {
  put([](Eigen::ArrayXXd& log) { log.col(4) *= 5000; });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torque-beyond-effort elbow");
}

TEST_F(Doubts, ADelayOfAllTorquesIsMeasuredAndCorrected) {
  put([](Eigen::ArrayXXd& log) {  // five rows later
    for (Eigen::Index c : {3, 4})
      for (Eigen::Index i = log.rows() - 1; i >= 5; --i) log(i, c) = log(i - 5, c);
  });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torque-delay ");
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_NEAR(best.value, 0.02, 0.001);
  EXPECT_TRUE(best.joint.empty());
  const double error = faulty.answer().validation->overall_relative;
  request_.gathering.conditioning.torque_delay_s = best.value;
  const Identification corrected = identified();
  EXPECT_EQ(serious(corrected), std::vector<std::string>());
  EXPECT_LT(corrected.answer().validation->overall_relative, 0.5 * error);
}

TEST_F(Doubts, ADelayOfOneTorqueIsCorrectedByItsOwnOption) {
  put([](Eigen::ArrayXXd& log) {
    for (Eigen::Index i = log.rows() - 1; i >= 15; --i) log(i, 4) = log(i - 15, 4);
  });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torque-delay elbow");
  EXPECT_NEAR(faulty.second_pass.evidence.hypotheses.front().value, 0.06, 0.004);
  request_.gathering.conditioning.torque_delay_s.by_name["elbow"] =
      faulty.second_pass.evidence.hypotheses.front().value;
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

// half a sample of interpolation averages white noise, which fits better without any delay
TEST_F(Doubts, UnfilteredNoiseIsNotADelay) {
  request_.gathering.conditioning.filter = FilterKind::none;
  train_ = recorded(0.3, 10);  // with less noise the motion outweighs the gain of averaging
  held_out_ = recorded(1.4, 10);
  const Identification clean = identified();
  EXPECT_EQ(find(doubts_about(clean), "torque-delay"), nullptr);
  for (const Hypothesis& hypothesis : clean.second_pass.evidence.hypotheses) {
    EXPECT_NE(hypothesis.id, "torque-delay");
    EXPECT_NE(hypothesis.id, "clock-drift");
  }

  train_ = recorded(0.3);
  held_out_ = recorded(1.4);
  put([](Eigen::ArrayXXd& log) {  // every other row, with the torque of the row before
    const Eigen::ArrayXXd every = log;
    log.conservativeResize(every.rows() / 2 - 1, Eigen::NoChange);
    for (Eigen::Index i = 0; i < log.rows(); ++i)
      log.row(i) << every.row(2 * i + 2).head(3), every.row(2 * i + 1).tail(2);
  });
  const Identification faulty = identified();
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(best.id, "torque-delay");
  EXPECT_NEAR(best.value, 0.004, 0.0015);
}

TEST_F(Doubts, DelaysOfTenthsOfASecondAreMeasuredAndCorrected) {
  const auto train = train_, held_out = held_out_;
  for (const Eigen::Index rows : {25, 50, -40}) {  // at 250 Hz; negative: positions later
    train_ = train, held_out_ = held_out;
    put([&](Eigen::ArrayXXd& log) {
      const Eigen::ArrayXXd torque = log.middleCols(3, 2);
      for (Eigen::Index i = 0; i < log.rows(); ++i)
        if (const Eigen::Index k = i - rows; k >= 0 && k < log.rows())
          log.row(i).segment(3, 2) = torque.row(k);
        else
          log.row(i).segment(3, 2).setConstant(std::nan(""));
    });
    request_.gathering.conditioning.torque_delay_s = 0;
    const Identification faulty = identified();
    EXPECT_EQ(first_serious(faulty), "torque-delay ") << rows;
    ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
    const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
    const double truth = static_cast<double>(rows) / 250;
    EXPECT_NEAR(best.value, truth, 0.002) << rows;
    EXPECT_LT(best.lower, truth) << rows;
    EXPECT_GT(best.upper, truth) << rows;
    request_.gathering.conditioning.torque_delay_s = best.value;
    EXPECT_EQ(serious(identified()), std::vector<std::string>()) << rows;
  }
}

// of the shoulder: that of the last joint is another center of mass
TEST_F(Doubts, AZeroThatIsOffIsMeasuredAndCorrected) {
  const double off = 6 * std::numbers::pi / 180;
  put([&](Eigen::ArrayXXd& log) { log.col(1) += off; });
  const Identification faulty = identified();
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(best.id, "joint-zero");
  EXPECT_EQ(best.joint, "shoulder");
  EXPECT_NEAR(best.value, off, 0.1 * off);
  EXPECT_EQ(first_serious(faulty), "joint-zero shoulder");
  request_.gathering.log.position_offset.by_name["shoulder"] = best.value;
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

// the file's centers of mass stand 16 degrees beside where the bodies' are, and its bodies are so
// thin that a prior which is not weak holds them there: to the torques that is the zero of the
// shoulder, but freer bodies explain them as well
TEST_F(Doubts, BodiesHeldByThePriorAreNotMistakenForAJointZero) {
  const std::string thin =
      R"(<inertia ixx="0.0003" ixy="0" ixz="0" iyy="0.0003" iyz="0" izz="0.0004"/>)";
  std::string other = kArm;
  for (const auto& [of_file, turned] :
       {std::pair<std::string, std::string>(R"(xyz="0.3 0 0")", R"(xyz="0.288 0.083 0")"),
        std::pair<std::string, std::string>(R"(xyz="0.2 0 0")", R"(xyz="0.192 0.055 0")")}) {
    const std::size_t at = other.find(of_file);
    other.replace(at, of_file.size(), turned);
    const std::size_t inertia = other.find("<inertia", at);
    other.replace(inertia, other.find("/>", inertia) + 2 - inertia, thin);
  }
  request_.setup =
      *make_setup(*read_robot_text("planar.urdf", other, "", {.gravity = {0, -kGravity, 0}}));
  const Identification result = identified();
  bool is_asked = false;
  for (const Hypothesis& h : result.second_pass.evidence.hypotheses)
    if (h.id == "joint-zero" && h.least_gain() >= 3) {
      is_asked = true;
      ASSERT_TRUE(h.gain_over_freer_bodies);
      EXPECT_LT(*h.gain_over_freer_bodies, 3) << h.subject << " " << h.value;
    }
  EXPECT_TRUE(is_asked);
  for (const Doubt& doubt : doubts_about(result)) EXPECT_NE(doubt.id, "joint-zero") << doubt.words;
}

TEST_F(Doubts, ALowPassOfADriveIsMeasured) {
  constexpr double kTimeConstant = 0.08;
  put([](Eigen::ArrayXXd& log) {
    const double share = 1 - std::exp(-0.004 / kTimeConstant);
    for (Eigen::Index i = 1; i < log.rows(); ++i)
      log(i, 3) = log(i - 1, 3) + share * (log(i, 3) - log(i - 1, 3));
  });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torque-lowpass shoulder");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  EXPECT_NEAR(faulty.second_pass.evidence.hypotheses.front().value, kTimeConstant,
              0.1 * kTimeConstant);
}

// next to no noise tells of it beyond doubt, and yet it changes nothing: its size is not looked for
TEST_F(Doubts, SkipsInsignificantHypotheses) {
  constexpr double kTimeConstant = 0.0015, kNoise = 0.1;
  train_ = recorded(0.3, kNoise);
  held_out_ = recorded(1.4, kNoise);
  put([](Eigen::ArrayXXd& log) {
    const double share = 1 - std::exp(-0.004 / kTimeConstant);
    for (Eigen::Index i = 1; i < log.rows(); ++i)
      log(i, 3) = log(i - 1, 3) + share * (log(i, 3) - log(i - 1, 3));
  });
  const Identification faulty = identified();
  ASSERT_LT(faulty.answer().training.overall_relative, 0.05);
  for (const Hypothesis& hypothesis : faulty.second_pass.evidence.hypotheses)
    EXPECT_NE(hypothesis.id, "torque-lowpass")
        << hypothesis.value << ", " << hypothesis.gain_training << " nats";
}

TEST_F(Doubts, StampsAtAnotherRateAreMeasured) {
  put([](Eigen::ArrayXXd& log) { log.col(0) *= 1.1; });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "clock-ratio ");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  EXPECT_NEAR(faulty.second_pass.evidence.hypotheses.front().value, 1 / 1.1, 0.01);
}

TEST_F(Doubts, ClocksThatDriftApartAreMeasured) {
  put([](Eigen::ArrayXXd& log) {  // 60 ms after 30 s
    const Eigen::ArrayXXd before = log;
    for (Eigen::Index i = 0; i < log.rows(); ++i) {
      const double late = 0.002 * log(i, 0) / 0.004;
      const double at =
          std::clamp(static_cast<double>(i) - late, 0.0, static_cast<double>(log.rows() - 2));
      const auto k = static_cast<Eigen::Index>(at);
      for (Eigen::Index c : {3, 4})
        log(i, c) =
            before(k, c) + (at - static_cast<double>(k)) * (before(k + 1, c) - before(k, c));
    }
  });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "clock-drift ");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  EXPECT_NEAR(faulty.second_pass.evidence.hypotheses.front().value, 0.002, 0.0002);
}

// what was told of the robot, not the log
TEST_F(Doubts, ALinkOfAnotherLengthIsMeasured) {
  std::string other = kArm;
  other.replace(other.find("0.5 0 0"), 7, "0.4 0 0");
  request_.setup =
      *make_setup(*read_robot_text("planar.urdf", other, "", {.gravity = {0, -kGravity, 0}}));
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "kinematics elbow");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  EXPECT_NEAR(faulty.second_pass.evidence.hypotheses.front().value, 0.5 / 0.4, 0.02);
}

// a linkage holds the second link: its drive counts from the base, and its torque passes by the
// first one
TEST_F(Doubts, AJointThatMovesWithTheOneBeforeIsMeasured) {
  put([](Eigen::ArrayXXd& log) {
    log.col(2) += log.col(1);
    log.col(3) -= log.col(4);
  });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "kinematics elbow");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  EXPECT_NEAR(faulty.second_pass.evidence.hypotheses.front().value, -1, 0.03);
}

TEST_F(Doubts, FindsAConstantTorque) {
  put([](Eigen::ArrayXXd& log) { log.col(4).segment(3000, 1000).setConstant(log(3000, 4)); });
  const Identification faulty = identified();
  bool named = false;
  for (const Doubt& doubt : doubts_about(faulty))
    if (doubt.id == "torque-quiet" && doubt.joint == "elbow") {
      named = true;
      EXPECT_NEAR(doubt.from_s, 12, 0.6);
      EXPECT_NEAR(doubt.to_s, 16, 0.6);
    }
  EXPECT_TRUE(named);
}

// what the rules find, and what mending it buys
TEST_F(Doubts, AReversedTorqueIsCorrectedByItsHypothesis) {
  const double clean = identified().answer().validation->overall_relative;
  put([](Eigen::ArrayXXd& log) { log.col(4) *= -1; });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torque-reversed elbow");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(best.id, "torque-reversed");
  EXPECT_EQ(best.yaml, "log: {torque_scale: {\"elbow\": -1}}\n");
  EXPECT_LT(*best.held_out_after, 1.2 * clean);
  EXPECT_GT(*best.held_out_before, 5 * clean);
}

// what is wrong with one log only is no option of all
TEST_F(Doubts, AFactorInTheTrainingLogAloneIsSaidOfIt) {
  train_.col(4) *= 1.4;
  const Identification faulty = identified();
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(best.id, "torque-scale");
  EXPECT_NEAR(best.value, 1 / 1.4, 0.02);
  EXPECT_TRUE(best.is_of_training_alone);
  EXPECT_TRUE(best.yaml.empty()) << best.yaml;
  EXPECT_LT(*best.held_out_after, 0.5 * *best.held_out_before);
  EXPECT_EQ(first_serious(faulty), "torque-scale elbow");
}

TEST_F(Doubts, ADelayInTheTrainingLogAloneIsSaidOfIt) {
  for (Eigen::Index c : {3, 4})
    for (Eigen::Index i = train_.rows() - 1; i >= 5; --i) train_(i, c) = train_(i - 5, c);
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "torque-delay ");
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_NEAR(best.value, 0.02, 0.001);
  EXPECT_TRUE(best.is_of_training_alone);
  EXPECT_TRUE(best.yaml.empty()) << best.yaml;
  EXPECT_LT(*best.held_out_after, 0.5 * *best.held_out_before);
}

TEST_F(Doubts, ARobotFromTheCeilingIsNotCalledReversed) {
  request_.setup =
      *make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, kGravity, 0}}));
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "gravity-direction ");
  for (const std::string& id : serious(faulty))
    EXPECT_EQ(id.find("reversed"), std::string::npos) << id;
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(best.yaml, "robot: {gravity: [0, -9.81, 0]}\n");
  EXPECT_LT(*best.held_out_after, 0.1 * *best.held_out_before);
}

TEST_F(Doubts, PositionsOfTheMotorAreMeasured) {
  constexpr double kRatio = 121;
  put([&](Eigen::ArrayXXd& log) { log.col(1) *= kRatio; });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "position-motor-side shoulder");
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(best.id, "position-motor-side");
  EXPECT_NEAR(best.value, 1 / kRatio, 0.02 / kRatio);
  EXPECT_EQ(best.yaml.rfind("log: {position_scale: {\"shoulder\": 0.008", 0), 0u) << best.yaml;
}

TEST_F(Doubts, WrappedPositionsAreNotSpikes) {
  put([](Eigen::ArrayXXd& log) {
    for (double& q : log.col(1)) q -= 2 * std::numbers::pi * std::floor(q / (2 * std::numbers::pi));
  });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "position-wrapped shoulder");
  EXPECT_EQ(find(doubts_about(faulty), "signal-spikes"), nullptr);
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  EXPECT_EQ(faulty.second_pass.evidence.hypotheses.front().yaml, "log: {unwrap: [\"shoulder\"]}\n");
  request_.gathering.log.unwrap.names = {"shoulder"};
  EXPECT_EQ(serious(identified()), std::vector<std::string>());
}

// a force f at the tip of the second link: of the elbow z . ((p - e) x f), of the shoulder z . (p x
// f)
TEST_F(Doubts, APushAtTheTipIsAContact) {
  put([](Eigen::ArrayXXd& log) {
    constexpr double kTip = 0.4, kForceX = 12, kForceY = 9;
    for (Eigen::Index i = 5000; i < 5500; ++i) {
      const double a = log(i, 1), b = log(i, 1) + log(i, 2);
      const Eigen::Vector2d elbow(kLength1 * std::cos(a), kLength1 * std::sin(a)),
          arm(kTip * std::cos(b), kTip * std::sin(b)), tip = elbow + arm;
      log(i, 3) += tip[0] * kForceY - tip[1] * kForceX;
      log(i, 4) += arm[0] * kForceY - arm[1] * kForceX;
    }
  });
  const Identification faulty = identified();
  EXPECT_EQ(first_serious(faulty), "contact ");
  ASSERT_FALSE(faulty.second_pass.evidence.contacts.empty());
  const Contact& contact = faulty.second_pass.evidence.contacts.front();
  EXPECT_EQ(contact.link, "lower");
  EXPECT_NEAR(contact.from_s, 20, 0.6);
  EXPECT_NEAR(contact.to_s, 22, 0.6);
  EXPECT_NEAR(contact.force.norm(), 15, 4);
  const auto& hypotheses = faulty.second_pass.evidence.hypotheses;
  ASSERT_FALSE(hypotheses.empty());
  EXPECT_EQ(hypotheses.front().id, "contact");
  const auto same = std::find_if(hypotheses.begin(), hypotheses.end(), [&](const Hypothesis& h) {
    return h.id == "contact" && h.value == contact.force.norm();
  });
  ASSERT_NE(same, hypotheses.end());
  EXPECT_EQ(same->unit, "N");
  EXPECT_GT(same->gain_training, 50) << "the first contact is that of the training log";
}

// half a second has four errors of two joints, and a force at a point explains any four
TEST_F(Doubts, NoContactIsToldOfAMoment) {
  put([](Eigen::ArrayXXd& log) {
    for (const Eigen::Index torque : {3, 4}) log.col(torque).segment(5000, 150) += 12;
  });
  EXPECT_EQ(find(doubts_about(identified()), "contact"), nullptr);
}

TEST_F(Doubts, APositionThatIsThatOfAnotherJointIsACopy) {
  put([](Eigen::ArrayXXd& log) { log.col(1) = log.col(2); });
  EXPECT_EQ(first_serious(identified()), "position-of-other-joint shoulder");
}

// clipped, then noisy: no two torques are equal, so that the log alone does not tell it from
// friction
TEST_F(Doubts, ATorqueClippedBeforeNoiseIsFoundWhereItFitsPoorly) {
  put([](Eigen::ArrayXXd& log) {
    std::mt19937 generator(3);
    std::normal_distribution<double> normal;
    for (double& torque : log.col(4))
      torque = std::clamp(torque, -1.0, 1.0) + 0.02 * normal(generator);
  });
  EXPECT_EQ(first_serious(identified()), "torque-saturated elbow");
}

TEST_F(Doubts, AreTheSameOnAnyNumberOfThreads) {
  put([](Eigen::ArrayXXd& log) { log.col(4) *= 1.4; });
  another_ = recorded(0.9);
  const auto found_on = [&](int threads) {
    request_.executor = *make_executor({.kind = BackendKind::cpu, .threads = threads});
    return identified().second_pass.evidence;
  };
  const Evidence alone = found_on(1), together = found_on(3);
  ASSERT_GT(alone.hypotheses.size(), 1u);
  ASSERT_EQ(alone.hypotheses.size(), together.hypotheses.size());
  for (std::size_t i = 0; i < alone.hypotheses.size(); ++i) {
    const Hypothesis &a = alone.hypotheses[i], &b = together.hypotheses[i];
    EXPECT_EQ(a.id + a.joint, b.id + b.joint);
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.gain_training, b.gain_training);
    EXPECT_EQ(a.gain_over_freer_bodies, b.gain_over_freer_bodies);
    EXPECT_EQ(a.yaml, b.yaml);
  }
  ASSERT_EQ(together.logs.size(), 3u);
  EXPECT_EQ(together.logs[1].log, "another");
  EXPECT_TRUE(together.logs[2].held_out);
}

// 0.8 kg at (0.3, 0.1) of the second link
TEST_F(Doubts, APayloadThatTheFileLacksIsEstimated) {
  const auto with_payload = [](Eigen::ArrayXXd log) {
    constexpr double kPayload = 1.6, kX = 0.3, kY = 0.1;
    const Eigen::ArrayXXd q = log.middleCols(1, 2);
    const auto derivative = [](const Eigen::ArrayXd& x) {
      Eigen::ArrayXd d = Eigen::ArrayXd::Zero(x.size());
      for (Eigen::Index i = 1; i + 1 < x.size(); ++i) d[i] = (x[i + 1] - x[i - 1]) / 0.008;
      return d;
    };
    // the tip's place, its acceleration less gravity by differences, and its moments about the two
    // axes
    const Eigen::ArrayXd a = q.col(0), b = q.col(0) + q.col(1);
    const Eigen::ArrayXd arm_x = kX * b.cos() - kY * b.sin(), arm_y = kX * b.sin() + kY * b.cos();
    const Eigen::ArrayXd x = kLength1 * a.cos() + arm_x, y = kLength1 * a.sin() + arm_y;
    const Eigen::ArrayXd fx = kPayload * derivative(derivative(x)),
                         fy = kPayload * (derivative(derivative(y)) + kGravity);
    log.col(3) += x * fy - y * fx;
    log.col(4) += arm_x * fy - arm_y * fx;
    return Eigen::ArrayXXd(log.middleRows(4, log.rows() - 8));
  };
  train_ = with_payload(train_);
  held_out_ = with_payload(held_out_);
  const Identification result = identified();
  const auto& hypotheses = result.second_pass.evidence.hypotheses;
  const auto payload = std::find_if(hypotheses.begin(), hypotheses.end(),
                                    [](const Hypothesis& h) { return h.id == "payload"; });
  ASSERT_NE(payload, hypotheses.end());
  EXPECT_GT(payload->gain_training, 3);
  EXPECT_GT(payload->value, 0.5 * 1.6);
  EXPECT_LT(payload->value, 2 * 1.6);
  EXPECT_LT(payload->lower, payload->value);
  EXPECT_TRUE(std::isfinite(payload->lower) && std::isfinite(payload->upper));
  EXPECT_GT(payload->upper, 1.6);
  EXPECT_EQ(payload->yaml.rfind("priors: {\"lower\": {parameters: [", 0), 0u) << payload->yaml;
  const auto doubts = doubts_about(result);
  ASSERT_NE(find(doubts, "payload"), nullptr);
  EXPECT_FALSE(find(doubts, "payload")->serious);
}

TEST_F(Doubts, AcceptedOnesNoLongerDecide) {
  put([](Eigen::ArrayXXd& log) { log.col(4) *= 1.4; });
  Identification faulty = identified();
  EXPECT_EQ(verdict_level(faulty, doubts_about(faulty)), VerdictLevel::amber);
  faulty.accepted = {"torque-scale"};
  EXPECT_EQ(verdict_level(faulty, doubts_about(faulty)), VerdictLevel::amber) << "others are open";
  for (const Doubt& doubt : doubts_about(faulty))
    if (doubt.serious) faulty.accepted.push_back(doubt.id);
  const auto doubts = doubts_about(faulty);
  EXPECT_EQ(verdict_level(faulty, doubts), VerdictLevel::green);
  ASSERT_FALSE(doubts.empty());
  EXPECT_TRUE(doubts.front().accepted && doubts.front().serious);
  EXPECT_FALSE(check_doubt_id("torque-scal"));
  EXPECT_NE(check_doubt_id("torque-scal").error().message().find("torque-scale"),
            std::string::npos);
}

TEST(DoubtIds, AreAllDescribed) {
  std::ifstream file(std::string(HEFT_DOCS) + "/doubts.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const std::string& id : doubt_ids())
    EXPECT_NE(text.str().find("`" + id + "`"), std::string::npos)
        << id << " has no entry in docs/doubts.md";
}

}  // namespace
}  // namespace heft
