// Training data without a signal.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "heft/training/training_data.hpp"
#include "tests/conformance/random_samples.hpp"

namespace heft {

/// Noise alone as torques of a robot, in stretches of one log, after a change of the samples.
inline TrainingData noise_of(
    const Robot& robot, const std::function<void(Samples&)>& change = [](Samples&) {}) {
  const auto plan = *make_regressor_plan(robot, default_channels(robot), {});
  const auto backend = *make_backend({.kind = BackendKind::cpu, .threads = 1});
  constexpr int kSamples = 600;
  MomentAccumulator accumulator(plan, *backend);
  Samples samples = testing::random_samples(*plan, kSamples, 5).samples;
  change(samples);
  EXPECT_TRUE(accumulator.push(0, samples));
  Moments moments = *accumulator.finish();
  TrainingData data{.plan = plan, .moments = std::move(moments)};
  data.stretches = accumulator.take_stretches();
  LogSummary log;
  log.num_samples = kSamples, log.sample_period_s = 0.01, log.filter_reach_s = 0.1;
  data.logs.push_back(log);
  return data;
}

}  // namespace heft
