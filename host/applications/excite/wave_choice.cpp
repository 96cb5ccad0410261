#include "wave_choice.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "base/random_stream.hpp"
#include "executor/backend_choice.hpp"
#include "starts.hpp"

namespace heft::excite {

namespace {

/// Starts that one wave evaluates; more of them wait for a free one.
constexpr int kMostStarts = 256;

/// Seconds of a call, the second of two: the first one fills caches and loads kernels.
template <class Function>
double seconds_of(const Function& function) {
  double seconds = 0;
  for (int i = 0; i < 2; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    function();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return seconds;
}

struct Times {
  double host, device;  ///< of an evaluation with gradient by all threads, and in a wave [s]
};

Result<Times> measure(const Task& task, DeviceMotions& device, const DeviceMotionInput& input,
                      int num_motions, int threads) {
  RandomStream random(1);
  const Eigen::Index n = input.middle.size();
  const Eigen::MatrixXd C = Eigen::MatrixXd::NullaryExpr(input.num_coefficients, n,
                                                         [&] { return 0.1 * random.normal(); });
  Scorer scorer(task);
  const Multipliers multipliers = scorer.no_multipliers();
  Eigen::MatrixXd gradient;
  const double host = seconds_of([&] { scorer.value(C, &multipliers, &gradient); });

  const Eigen::MatrixXd slope = input.precision;  // for timing, any symmetric matrix
  const Eigen::ArrayXXd zeros = Eigen::ArrayXXd::Zero(input.num_samples, n);
  Eigen::ArrayXXd torque = zeros, deviation = zeros;
  Eigen::MatrixXd information = slope, by_coefficients = C;
  std::vector<DeviceMotion> motions(static_cast<std::size_t>(num_motions));
  std::vector<DeviceMotion*> pass;
  for (int i = 0; i < num_motions; ++i) {
    DeviceMotion& motion = motions[static_cast<std::size_t>(i)];
    motion = {.slot = i,
              .coefficients = C.data(),
              .torque = torque.data(),
              .deviation = deviation.data(),
              .by_torque = zeros.data(),
              .by_deviation = zeros.data(),
              .gradient = by_coefficients.data()};
    if (!input.is_log_det) motion.information = information.data(), motion.slope = slope.data();
    pass.push_back(&motion);
  }
  Result<Done> done = Done{};
  const double wave = seconds_of([&] {
    if (done) done = device.rows(pass);
    if (done) done = device.gradient(pass);
  });
  HEFT_CHECK(done);
  return Times{host / std::min(threads, num_motions), wave / num_motions};
}

}  // namespace

Result<WaveChoice> choose_wave(const Task& of_search, const ExciteOptions& options) {
  if (options.backend == BackendKind::cpu) return WaveChoice{};
  Task task = of_search;
  task.num_samples = search_samples(task.shape);
  task.spheres = nullptr;  // collisions are tested on the host in both cases
  const bool is_required = options.backend == BackendKind::cuda;
  const auto on_host = [&](const Error& why) -> Result<WaveChoice> {
    if (is_required) return why;
    return WaveChoice{.because = "on the CPU: " + why.what};
  };
  const auto input = device_input(task, options.objective);
  if (!input) return on_host(input.error());
  const int starts = std::min(options.starts, kMostStarts), threads = std::max(1, options.threads);
  auto device = make_cuda_motions(*input, starts);
  if (!device) return on_host(device.error());
  std::string because = "on the device: --backend cuda requires it";
  if (!is_required) {
    const int num_motions = std::min(starts, (*device)->capacity());
    const auto times = measure(task, **device, *input, num_motions, threads);
    if (!times) return on_host(times.error());
    const bool is_worth = is_device_worth(times->host, times->device);
    because = std::string(is_worth ? "on the device: " : "on the CPU: ") +
              "a motion with gradient takes " + number_text(1e6 * times->device, 3) +
              " us in a wave of " + std::to_string(num_motions) + " on the device and " +
              number_text(1e6 * times->host, 3) + " us on " + std::to_string(threads) +
              (threads == 1 ? " thread" : " threads") + ", measured in this run";
    if (!is_worth) return WaveChoice{.because = because};
  }
  return WaveChoice{std::make_unique<MotionWave>(std::move(*device), *input, threads), because};
}

}  // namespace heft::excite
