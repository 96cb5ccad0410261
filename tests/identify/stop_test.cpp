// Long calls can be stopped at any report and return stopped(); a progress callback changes no bit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "heft/check/check.hpp"
#include "heft/identify/identify.hpp"
#include "heft/observe/observe.hpp"
#include "heft/select/select_model.hpp"
#include "heft/simulate/simulate.hpp"
#include "heft/solve/solve_batch.hpp"
#include "tests/fuzz/small_robot.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft {
namespace {

/// Counts reports and says no to one of them.
struct Listener {
  int stop_at = -1;  ///< the report that is answered with no; -1: none
  int num_reports = 0;
  double least = 1, most = 0;

  bool operator()(const std::string& stage, double fraction) {
    EXPECT_FALSE(stage.empty());
    least = std::min(least, fraction), most = std::max(most, fraction);
    return num_reports++ != stop_at;
  }
};

/// Calls `call(progress)` to its end, and then stops it at each of its reports, or at some of many.
template <class Call>
void expect_stops_anywhere(const Call& call) {
  Listener all;
  ASSERT_TRUE(call(std::ref(all)).ok());
  ASSERT_GT(all.num_reports, 0);
  EXPECT_GE(all.least, 0);
  EXPECT_LE(all.most, 1);
  const int step = std::max(1, all.num_reports / 8);
  for (int k = 0; k < all.num_reports; k += step) {
    Listener listener{.stop_at = k};
    const auto result = call(std::ref(listener));
    // how often tasks that run side by side report depends on who takes which: a later run may end
    // before its k-th report
    if (k > 0 && listener.num_reports <= k) continue;
    ASSERT_FALSE(result.ok()) << k;
    EXPECT_TRUE(result.error().is_stop) << k << ": " << result.error().message();
    EXPECT_EQ(listener.num_reports, k + 1) << "no report follows";
  }
}

class Stop : public ::testing::Test {
 protected:
  Stop()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("heft_stop_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    const Robot& drawn = fuzz::small_robot();
    request_.setup = *make_setup(drawn);
    SimulateOptions options{.duration_s = 30, .rate_hz = 200};
    truth_ = *simulated_truth(drawn, options);
    for (auto* logs : {&request_.training_logs, &request_.validation_logs}) {
      logs->push_back(
          (folder_ / ("log_" + std::to_string(options.trajectory_seed++) + ".csv")).string());
      EXPECT_TRUE(simulate_log(truth_, options, logs->back().name()).ok());
    }
  }
  ~Stop() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  SimulatedTruth truth_;
  IdentifyRequest request_;
};

TEST_F(Stop, EndsIdentificationAtAnyReport) {
  expect_stops_anywhere([&](const Progress& progress) {
    IdentifyRequest request = request_;
    request.progress = progress;
    return identify(request);
  });
}

TEST_F(Stop, EndsReweightingAtAnyReport) {
  request_.gathering.weighting = {
      .loss = Loss::huber, .channel_covariance = ChannelCovariance::full, .rounds = 1};
  expect_stops_anywhere([&](const Progress& progress) {
    return gather_training_data(request_.setup, request_.training_logs, request_.gathering, {}, {},
                                progress);
  });
}

TEST_F(Stop, EndsTheChoiceOfTheModelAtAnyReport) {
  expect_stops_anywhere([&](const Progress& progress) {
    IdentifyRequest request = request_;
    request.progress = progress;
    return select_model(request, {}, {.max_steps = 1});
  });
}

TEST_F(Stop, EndsTheChoiceOfAWeightAtAnyReport) {
  const TrainingData data = *gather_training_data(request_.setup, request_.training_logs);
  const auto executor = *make_executor({.kind = BackendKind::cpu, .threads = 1});
  expect_stops_anywhere([&](const Progress& progress) {
    return choose_prior_weight(data, request_.setup, *executor, {}, progress);
  });
}

TEST_F(Stop, EndsASimulationBeforeThereIsAFile) {
  const std::string path = (folder_ / "other.csv").string();
  const auto simulate = [&](const Progress& progress) {
    return simulate_log(truth_, {.duration_s = 2}, path, progress);
  };
  Listener listener{.stop_at = 0};
  const auto stopped_log = simulate(std::ref(listener));
  ASSERT_FALSE(stopped_log.ok());
  EXPECT_TRUE(stopped_log.error().is_stop);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Stop, EndsACheckOfALogAtAnyReport) {
  const std::string robot = (folder_ / "robot.urdf").string();
  std::ofstream(robot) << fuzz::small_robot().source_text;
  expect_stops_anywhere([&](const Progress& progress) {
    return check_log(robot, request_.training_logs[0].name(), {}, progress);
  });
}

TEST_F(Stop, EndsObservingAtAnyReport) {
  expect_stops_anywhere(
      [&](const Progress& progress) { return observe(fuzz::small_robot(), {}, progress); });
}

TEST_F(Stop, EndsReadingOfShapesAtAnyReport) {
  expect_stops_anywhere([&](const Progress& progress) {
    return make_setup(fuzz::small_robot(),
                      {.constraints = {.bounding_ellipsoids = MassBound::collision}}, progress);
  });
}

TEST_F(Stop, ListeningChangesNoBit) {
  IdentifyRequest heard = request_;
  Listener listener;
  heard.progress = std::ref(listener);
  const auto with = identify(heard), without = identify(request_);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_EQ(with->answer().parameters, without->answer().parameters);
  EXPECT_EQ(with->answer().validation->overall_relative,
            without->answer().validation->overall_relative);
}

TEST(StopBatch, EndsBetweenShares) {
  const auto problems = test::random_problems(
      200,
      {.seed = 5, .num_bodies = 2, .num_columns = 1, .num_rows = 30, .least_prior_weight = 1e-3});
  expect_stops_anywhere([&](const Progress& progress) {
    return solve_batch(problems, {.num_threads = 1, .progress = progress});
  });
  // how many shares the calling thread gets of two is chance, but one report comes before any
  Listener listener{.stop_at = 0};
  const auto stopped_batch =
      solve_batch(problems, {.num_threads = 2, .progress = std::ref(listener)});
  ASSERT_FALSE(stopped_batch.ok());
  EXPECT_TRUE(stopped_batch.error().is_stop);
  EXPECT_EQ(listener.num_reports, 1);
}

}  // namespace
}  // namespace heft
