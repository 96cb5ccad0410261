// Workloads of the device model: one call of the library each, on a device that the host emulates.
//
//   device_model_workloads moments ROBOT.urdf fixed|floating fp64|fp32 summed|per_channel SAMPLES
//   device_model_workloads solve PROBLEMS
//   device_model_workloads condition LOGS ROWS default|all_options [REPEATS]
//
// Samples are summed in chunks of the default length, as those of a long log are. Problems have
// seven bodies and fourteen signs. Logs are those of an arm with seven joints; three of them are
// one robot of a fleet: two training logs and a held-out log. With default options they have
// positions and torques; with all options, velocities, an interpolated grid, delays, a dead band
// and a torque limit, too. The last line on standard output is the number of samples, problems or
// logs. Before it, conditioning prints `bytes N seconds S`: copies to and from the device, and the
// least time between the events around a wave. Exit status: 0, or 1 with the reason on standard
// error.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "conditioning/log_wave.hpp"
#include "heft/executor/executor.hpp"
#include "heft/log/arrays.hpp"
#include "heft/moments/moments.hpp"
#include "heft/robot/robot_document.hpp"
#include "kernels/condition_cuda.hpp"
#include "tests/solve/random_problems.hpp"
#include "tools/bench/bench_input.hpp"

namespace {

using namespace heft;
using Words = std::vector<std::string>;

Result<std::int64_t> sum_moments(const Words& words) {
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cuda}));
  HEFT_TRY(robot, read_robot(words[1], {.floating_base = words[2] == "floating"}));
  HEFT_TRY(plan, make_regressor_plan(robot, default_channels(robot), {}));
  Samples samples = tools::random_samples(*plan, std::stoll(words[5]));
  samples.weight.resize(0, 0);  // every row counts
  AccumulateOptions options;
  options.precision = words[3] == "fp32" ? core::Precision::fp32 : core::Precision::fp64;
  if (words[4] == "summed") options.channel_weights = Eigen::VectorXd::Ones(plan->num_channels());
  const AccumulateJob job{plan.get(), &samples, 0, samples.size(), core::kChunkSamples, &options};
  std::vector<std::vector<double>> partials(1);
  HEFT_CHECK(backend->accumulate({&job, 1}, partials));
  return samples.size();
}

Result<std::int64_t> solve_problems(const Words& words) {
  const std::size_t wanted = std::stoul(words[1]);
  std::vector<Problem> problems;
  // of every 35 random problems some have fewer bodies or no signs
  for (Problem& problem :
       test::random_problems(2 * static_cast<int>(wanted), {.seed = 7,
                                                           .num_bodies = 7,
                                                           .num_columns = 14,
                                                           .num_rows = 2000,
                                                           .least_prior_weight = 1e-3}))
    if (problem.layout.num_parameters() == 84 && problems.size() < wanted)
      problems.push_back(std::move(problem));
  HEFT_TRY(executor, make_executor({.kind = BackendKind::cuda}));
  HEFT_TRY(solutions, executor->solve("counts", problems));
  for (const Solution& solution : solutions)
    if (!solution.by_device)
      return Error{"device model", "the device left a problem to the host", "take easier problems"};
  return static_cast<std::int64_t>(solutions.size());
}

constexpr int kJoints = 7;

struct Recording {
  Eigen::ArrayXd time;
  Eigen::ArrayXXd position, velocity, torque;
};

/// A log of an arm on smooth trajectories; its stamps jitter by a share of a period.
Log arm_log(int index, int num_rows, double rate_hz, double jitter, bool has_velocities) {
  const Eigen::ArrayXXd empty(num_rows, kJoints);
  const auto made =
      std::make_shared<Recording>(Recording{Eigen::ArrayXd(num_rows), empty, empty, empty});
  for (int row = 0; row < num_rows; ++row) {
    made->time[row] = (row + jitter * std::sin(1.7 * row)) / rate_hz;
    for (int k = 0; k < kJoints; ++k) {
      const double speed = 0.02 * (1 + 0.1 * k), angle = speed * row + index;
      made->position(row, k) = std::sin(angle);
      made->velocity(row, k) = speed * rate_hz * std::cos(angle);
      made->torque(row, k) = std::sin(2 * angle + k);
    }
  }
  const ArrayView velocity = has_velocities ? ArrayView(made->velocity) : ArrayView();
  return array_log(fmt::format("log {}", index), made->time, made->position, made->torque, velocity,
                   {}, made);
}

Result<std::int64_t> condition_logs(const Words& words) {
  const int num_logs = std::stoi(words[1]), num_rows = std::stoi(words[2]);
  const bool has_all_options = words[3] == "all_options";
  constexpr double kRate = 100;
  Robot robot;
  std::vector<Channel> channels;
  for (int k = 0; k < kJoints; ++k) {
    robot.coordinates.push_back({.name = fmt::format("joint_{}", k)});
    channels.push_back({.name = robot.coordinates.back().name, .unit = "N m", .coordinate = k});
  }
  const LogFormat format;
  const DerivedSignals derived;
  ConditioningOptions options;
  if (has_all_options) {
    options.resample_hz = kRate;
    options.velocity = VelocitySource::logged;
    options.torque_delay_s.in_order = {0.004, -0.0117, 0.002, 0.003, 0.001, -0.002, 0.0055};
    options.dead_band = {0.3};
    options.torque_limit = {0.99};
  }
  const int num_repeats = words.size() > 4 ? std::stoi(words[4]) : 1;
  HEFT_TRY(device, make_cuda_conditioner());
  double least_s = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < num_repeats; ++repeat) {
    const double before_s = device->work().device_s;
    LogWave wave(*device);
    for (int k = 0; k < num_logs; ++k)
      wave.add(arm_log(k, num_rows, kRate, has_all_options ? 0.2 : 0, has_all_options),
               {robot, channels, format, options, derived});
    HEFT_CHECK(wave.condition());
    for (std::size_t k = 0; k < wave.size(); ++k) {
      if (!wave.why_on_host(k).empty())
        return Error{"device model", "log left to the host: " + wave.why_on_host(k), "use others"};
      HEFT_CHECK(wave.hand_on(k, [](int, const Samples&) -> Result<Done> { return Done{}; }));
    }
    least_s = std::min(least_s, device->work().device_s - before_s);
  }
  const DeviceWork work = device->work();
  fmt::print("bytes {} seconds {:.6f}\n", (work.bytes_up + work.bytes_down) / num_repeats, least_s);
  return num_logs;
}

Result<std::int64_t> run(const Words& words) {
  if (words.size() == 6 && words[0] == "moments") return sum_moments(words);
  if (words.size() == 2 && words[0] == "solve") return solve_problems(words);
  if ((words.size() == 4 || words.size() == 5) && words[0] == "condition")
    return condition_logs(words);
  return Error{"device model", "unknown workload",
               "see the first lines of bench/device_model/workloads.cpp"};
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = run(Words(argv + 1, argv + argc));
  if (!count) {
    fmt::print(stderr, "{}\n", count.error().message());
    return 1;
  }
  fmt::print("{}\n", *count);
}
