#include "executor/backend_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "base/parallel_for.hpp"
#include "heft/core/sample_view.hpp"
#include "kernels/backend_cuda.hpp"
#include "model/gram_products.hpp"

namespace heft {

namespace {

// measured on an H100 and its host with 16 threads (the first table of docs/gpu.md)
constexpr double kHostProducts = 11e9;      // multiply-adds per second of a thread
constexpr double kDeviceProducts = 1.2e12;  // and of the device
constexpr double kBusBytes = 36e9;          // per second, each way

/// Time of a problem by its unknowns: a power through the times of 84 and 372 unknowns [s].
struct ProblemTime {
  double small, large;

  double operator()(int unknowns) const {
    constexpr double kSmall = 84, kLarge = 372;
    const double exponent = std::log(large / small) / std::log(kLarge / kSmall);
    return small * std::pow(unknowns / kSmall, exponent);
  }
};
constexpr ProblemTime kSolve{53e-6, 1.73e-3};    // on a thread
constexpr ProblemTime kFeed{18.3e-6, 277e-6};    // to bring it to a device, on a thread
constexpr ProblemTime kOnDevice{4.7e-6, 83e-6};  // on bus and device
constexpr double kShortestSolve = 10e-6;

double number_of_products(const RegressorPlan& plan) {
  double count = 0;
  for (const ProductBlock& block : product_blocks(plan.view(), true)) {
    const double rows = block.rows, columns = block.columns;
    const bool is_triangle = block.entry.left == block.entry.right;
    count += block.entry.num_rows * rows * (is_triangle ? columns - (rows - 1) / 2 : columns);
  }
  return count;
}

/// Number of chunks in which a log is summed: they grow with it (moments/chunks.hpp).
double number_of_chunks(double samples) {
  const double most = AccumulateOptions{}.most_stretches;
  double count = 0, begin = 0;
  for (double size = 8; begin < samples; size *= 2) {
    const double end = size < core::kChunkSamples ? std::min(samples, most * size) : samples;
    count += std::ceil((end - begin) / size);
    begin = end;
  }
  return count;
}

/// "200 problems", or nothing.
std::string counted(double count, const char* what) {
  if (count < 0.5) return "";
  return number_text(count, count < 1e5 ? 5 : 3) + " " + what + (count < 1.5 ? "" : "s");
}

std::string words_of(const BackendWork& work) {
  const std::string samples = counted(work.samples, "sample"),
                    problems = counted(work.problems, "problem");
  if (samples.empty() && problems.empty()) return "no samples";
  return samples + (samples.empty() || problems.empty() ? "" : " and ") + problems;
}

std::string in_seconds(double seconds) {
  return number_text(seconds, 2) + " s";
}

/// "2000 samples take about 0.01 s on 16 threads"
std::string words_on_host(const BackendWork& work, const BackendMachine& machine) {
  return words_of(work) + " take about " + in_seconds(seconds_of(work, machine).host) + " on " +
         std::to_string(machine.threads) + (machine.threads == 1 ? " thread" : " threads");
}

}  // namespace

double samples_in(double num_bytes, const RegressorPlan& plan) {
  return std::ceil(num_bytes / sizeof(double) / (1.0 + 2.0 * plan.num_channels()));
}

void add_log(const RegressorPlan& plan, double samples, int passes, BackendWork& work) {
  // position, velocity, acceleration; torque and weight
  const double numbers = 3.0 * plan.robot.num_coordinates() + 2.0 * plan.num_channels();
  work.samples += passes * samples;
  work.products += passes * samples * number_of_products(plan);
  work.bytes_up += passes * samples * numbers * sizeof(double);
  work.bytes_down +=
      passes * number_of_chunks(samples) * static_cast<double>(plan.packed_size) * sizeof(double);
}

BackendSeconds seconds_of(const BackendWork& work, const BackendMachine& machine) {
  const double threads = machine.threads, speed = machine.device_speed;
  const double sums = std::max(work.products / (kDeviceProducts * speed),
                               std::max(work.bytes_up, work.bytes_down) / kBusBytes);
  if (work.problems <= 0) return {work.products / kHostProducts / threads, sums};
  const double solve = std::max(kShortestSolve, kSolve(work.unknowns));
  const double by_device =
      kFeed(work.unknowns) / threads + kOnDevice(work.unknowns) / std::min(1.0, speed);
  return {(work.products / kHostProducts + work.problems * solve) / threads,
          sums + work.problems * by_device};
}

BackendChoice choose_backend(const BackendWork& work, const BackendMachine& machine) {
  const BackendSeconds seconds = seconds_of(work, machine);
  const std::string on_host = words_on_host(work, machine);
  if (!is_device_worth(seconds.host, kDeviceStart))
    return {.because = "on the CPU: " + on_host + ", and a device takes " +
                       in_seconds(kDeviceStart) + " to start"};
  const double device = kDeviceStart + seconds.device;
  const std::string both = on_host + ", and " + in_seconds(device) + " with the device, " +
                           in_seconds(kDeviceStart) + " of them to start it";
  if (!is_device_worth(seconds.host, device))
    return {.because = "on the CPU: " + both + "; a device must take less than half"};
  return {.is_device = true, .because = "on the device: " + both};
}

BackendChoice choose_backend(const BackendWork& work) {
  if (!has_cuda_driver()) return {};
  BackendMachine machine{.threads = threads_for(0)};
  BackendChoice choice = choose_backend(work, machine);
  if (!choice.is_device) return choice;
  const auto speed = cuda_device_speed();
  if (!speed) return {.because = "on the CPU: " + speed.error().what};
  machine.device_speed = *speed;
  return choose_backend(work, machine);
}

std::string compared_times(const BackendWork& work) {
  if (!has_cuda_driver()) return "";
  const BackendMachine machine{.threads = threads_for(0)};
  return words_on_host(work, machine) + ", and " + in_seconds(seconds_of(work, machine).device) +
         " with an H100";
}

Result<ChosenExecutor> choose_executor(const BackendOptions& options, const BackendWork& work) {
  BackendOptions chosen = options;
  std::string because;
  if (options.kind == BackendKind::automatic) {
    BackendChoice choice = choose_backend(work);
    if (!choice.is_device) chosen.kind = BackendKind::cpu;
    because = std::move(choice.because);
  }
  HEFT_TRY(executor, make_executor(chosen));
  if (chosen.kind == BackendKind::automatic && !executor->has_device())
    because = "on the CPU: " + executor->description();
  return ChosenExecutor{std::move(executor), std::move(because)};
}

}  // namespace heft
