// The fast paths of a profile (sums that follow a divided torque, updated problems) compared with
// the slow ones: samples that are changed, summed and solved again.
#include "profile.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "changed_torque_sums.hpp"
#include "heft/executor/executor.hpp"
#include "planar_arm.hpp"
#include "rows/filtered_prediction.hpp"
#include "rows/unfiltered_motion.hpp"
#include "score_scan.hpp"
#include "size_search.hpp"

namespace heft {
namespace {

/// A fault of which nothing is known but what it does to samples.
class BySamples : public Fault {
 public:
  explicit BySamples(const Fault& fault) : fault_(fault) {}
  std::string id() const override { return fault_.id(); }
  std::string joint() const override { return fault_.joint(); }
  std::string subject() const override { return fault_.subject(); }
  std::string unit() const override { return fault_.unit(); }
  SizeRange range() const override { return fault_.range(); }
  Samples undone(const Samples& stretch, double size) const override {
    return fault_.undone(stretch, size);
  }

 private:
  const Fault& fault_;
};

Samples moving_samples(Eigen::Index count) {
  Samples samples;
  samples.time = Eigen::ArrayXd::LinSpaced(count, 0, 0.01 * static_cast<double>(count - 1));
  samples.position.resize(count, 2), samples.velocity.resize(count, 2),
      samples.acceleration.resize(count, 2);
  for (int j = 0; j < 2; ++j) {
    const double w = 1.3 + 0.6 * j;
    const Eigen::ArrayXd phase = w * samples.time + j;
    samples.position.col(j) = phase.sin();
    samples.velocity.col(j) = w * phase.cos();
    samples.acceleration.col(j) = -w * w * phase.sin();
  }
  samples.torque = 3 * samples.acceleration + 5 * samples.position.cos();
  samples.torque += 0.1 * Eigen::ArrayXXd::Random(count, 2);
  samples.weight = Eigen::ArrayXXd::Ones(count, 2);
  return samples;
}

TEST(Profile, DividingATorqueMatchesDividingItsSamples) {
  std::srand(3);
  const auto setup =
      make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}));
  ASSERT_TRUE(setup);
  const Excerpt training{{moving_samples(400), moving_samples(300)}}, held_out;
  const Eigen::VectorXd weights = Eigen::Vector2d(4, 9);
  const SolveOptions solve;
  const LogFormat log;
  const ConditioningOptions conditioning;
  const HypothesisInput input{*setup, weights, solve, training, held_out, log, conditioning};
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend);
  const Workers workers{**backend};

  const Profile asked(input, workers), by_samples(input, workers);
  ASSERT_TRUE(asked.explain_as_it_is());  // from here on it has a problem to update
  Faults faults;
  torque_scales(input, faults);
  ASSERT_EQ(faults.size(), 2u);
  for (const auto& fault : faults)
    for (const double size : {-0.7, 0.05, 0.4}) {
      ASSERT_TRUE(fault->divided_torque(size));
      const auto fast = asked.explain(*fault, size),
                 slow = by_samples.explain(BySamples(*fault), size);
      ASSERT_TRUE(fast && slow);
      EXPECT_NEAR(fast->objective, slow->objective, 1e-9 * slow->objective)
          << fault->joint() << size;
      EXPECT_NEAR(fast->data, slow->data, 1e-7 * slow->data);
      EXPECT_LT((fast->parameters - slow->parameters).norm(), 1e-6 * slow->parameters.norm());
    }
}

/// A search's sums of faults that change torques alone, size after size, solve as the samples do.
TEST(Profile, SumsOfChangedTorquesMatchChangingSamples) {
  std::srand(4);
  const auto setup =
      make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}));
  ASSERT_TRUE(setup);
  Excerpt training{{moving_samples(400), moving_samples(300)}};
  training.stretches[1].weight.col(1).segment(120, 20).setZero();
  const Excerpt held_out;
  const Eigen::VectorXd weights = Eigen::Vector2d(4, 9);
  const SolveOptions solve;
  const LogFormat log;
  const ConditioningOptions conditioning;
  const HypothesisInput input{*setup, weights, solve, training, held_out, log, conditioning};
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend);
  const Workers workers{**backend};
  const Profile profile(input, workers);
  ASSERT_TRUE(profile.explain_as_it_is());
  Faults faults;
  for (const FaultMaker make : {torque_delays, torque_lowpasses, clock_drifts}) make(input, faults);
  EXPECT_GE(faults.size(), 5u);
  for (const auto& fault : faults) {
    ASSERT_TRUE(ChangedTorqueSums::suits(input, *fault)) << fault->id();
    SizeSearch search(profile, *fault);
    for (const double share : {0.0, 0.4, -0.2, 0.7}) {
      const double size = fault->range().clamped(share * fault->range().highest);
      const auto fast = search.explain(size), slow = profile.explain(*fault, size);
      ASSERT_TRUE(fast && slow);
      EXPECT_NEAR(fast->objective, slow->objective, 1e-10 * slow->objective) << fault->id() << size;
      EXPECT_NEAR(fast->data, slow->data, 1e-9 * slow->data);
      EXPECT_LT((fast->parameters - slow->parameters).norm(), 1e-7 * slow->parameters.norm());
    }
  }
}

TEST(Profile, SumsOfChangedTorquesDoNotSuitChangedMotions) {
  const auto setup =
      make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}));
  ASSERT_TRUE(setup);
  Excerpt training{{moving_samples(400)}};
  const Excerpt held_out;
  const Eigen::VectorXd weights = Eigen::Vector2d(4, 9);
  const SolveOptions solve;
  const LogFormat log;
  const ConditioningOptions conditioning;
  const HypothesisInput input{*setup, weights, solve, training, held_out, log, conditioning};
  Faults zeros, delays;
  joint_zeros(input, zeros), torque_delays(input, delays);
  ASSERT_FALSE(zeros.empty() || delays.empty());
  EXPECT_FALSE(ChangedTorqueSums::suits(input, *zeros.front()));
  EXPECT_TRUE(ChangedTorqueSums::suits(input, *delays.front()));
  training.stretches[0].unfiltered = std::make_shared<const UnfilteredMotion>();
  EXPECT_FALSE(ChangedTorqueSums::suits(input, *delays.front()));
}

/// Every fifth sample of signals that change slowly promises what all of them do, of a sound log
/// and of one with a torque that is a tenth too large.
TEST(Scan, FewSamplesPredictTheGainOfAll) {
  std::srand(5);
  const auto setup =
      make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}));
  ASSERT_TRUE(setup);
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  ASSERT_TRUE(backend);
  const Workers workers{**backend};
  const Eigen::VectorXd weights = Eigen::Vector2d(400, 900);
  const SolveOptions solve;
  const LogFormat log;
  const Excerpt held_out;
  Eigen::VectorXd by_file = Eigen::VectorXd::Zero(setup->plan().layout.num_parameters());
  for (int body = 0; body < 2; ++body)
    by_file.segment<10>(10 * body) = setup->prior.references[static_cast<std::size_t>(body)];
  for (const double scale : {1.0, 1.1}) {
    Excerpt training;
    for (const Eigen::Index count : {900, 600}) {
      Samples stretch = moving_samples(count);
      // of the robot in the file, and what is left of it is as slow as the motion
      const PredictJob job{setup->model.plan.get(), &stretch, &by_file};
      ASSERT_TRUE(predict_as_measured(**backend, {&job, 1}, {&stretch.torque, 1}));
      for (int c = 0; c < 2; ++c)
        stretch.torque.col(c) +=
            0.03 * (5.1 * stretch.time + 2 * c).sin() + 0.03 * (7.7 * stretch.time).cos();
      stretch.torque.col(0) *= scale;
      training.stretches.push_back(std::move(stretch));
    }
    std::vector<Scan> scans;
    for (const double lowpass_hz : {0.0, 8.0}) {
      const ConditioningOptions conditioning{.filter = FilterKind::butterworth,
                                             .lowpass_hz = lowpass_hz};
      const HypothesisInput input{*setup, weights, solve, training, held_out, log, conditioning};
      const Profile profile(input, workers);
      const auto scanned = scan(profile, faults_of(input));
      ASSERT_TRUE(scanned);
      scans.push_back(*scanned);
    }
    const Scan &all = scans[0], &few = scans[1];
    EXPECT_EQ(all.step, 1);
    EXPECT_EQ(few.step, 5);
    EXPECT_NEAR(few.residuals.relative(), all.residuals.relative(),
                0.05 * all.residuals.relative());
    double largest = 0;
    for (std::size_t f = 0; f < all.promises.size(); ++f) {
      largest = std::max(largest, all.promises[f].fall);
      EXPECT_NEAR(few.promises[f].fall, all.promises[f].fall, 2 + 0.15 * all.promises[f].fall)
          << scale << ", fault " << f;
      if (all.promises[f].fall > 20) {
        EXPECT_NEAR(few.promises[f].size / all.promises[f].size, 1, 0.1)
            << scale << ", fault " << f;
      }
    }
    EXPECT_EQ(largest > 100, scale > 1) << largest;
  }
}

}  // namespace
}  // namespace heft
