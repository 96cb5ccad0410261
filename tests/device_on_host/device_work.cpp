#include "tests/device_on_host/device_work.hpp"

#include <cmath>
#include <memory>

#include "heft/executor/executor.hpp"
#include "heft/solve/solve_batch.hpp"
#include "kernels/backend_cuda.hpp"
#include "kernels/batch_cuda.hpp"
#include "tests/conformance/device_on_host.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"
#include "tests/oracle/random_robot.hpp"
#include "tests/solve/random_problems.hpp"

namespace heft::testing {

namespace {

constexpr double kDouble = 1e-12, kFloat = 1e-5, kSolution = 1e-7;
constexpr int kOfSm90 = 232448, kFactorFitsNot = 9000;  // bytes of shared memory

/// A robot that has a bit of everything, and samples of it.
struct Robotic {
  PlanPtr plan;
  RandomSamples data;
  std::vector<RowArray> rows;  ///< of random numbers

  Robotic(int num_bodies, bool floating_base, int num_samples, int seed) {
    oracle::RandomRobotOptions options = oracle::RandomRobotOptions::everything(floating_base);
    options.min_bodies = options.max_bodies = num_bodies;
    const Robot robot = oracle::random_robot(options, static_cast<std::uint64_t>(seed));
    const std::vector<Channel> channels = default_channels(robot);
    plan = *make_regressor_plan(robot, channels, columns_of_every_kind(robot, channels));
    data = random_samples(*plan, num_samples, static_cast<std::uint64_t>(seed));
    oracle::Random random(static_cast<std::uint64_t>(seed));
    for (const core::ChannelEntry& channel : plan->channel_entries) {
      rows.emplace_back(num_samples, channel.width);
      for (double& x : rows.back().reshaped()) x = random.normal();
    }
  }
};

void append(Numbers& numbers, const auto& values) {
  for (const double x : values) numbers.push_back(x);
}

/// Without torque no row needs a weight.
std::shared_ptr<const Robotic> without_torque(Robotic robot) {
  robot.data.samples.torque.resize(0, 0);
  robot.data.samples.weight.resize(0, 0);
  return std::make_shared<const Robotic>(std::move(robot));
}

std::shared_ptr<const Robotic> without_weights(Robotic robot) {
  robot.data.samples.weight.resize(0, 0);
  return std::make_shared<const Robotic>(std::move(robot));
}

using OnBackend = std::function<Result<Numbers>(Backend&)>;

DeviceTask task_of_backend(std::string name, double tolerance, const OnBackend& on_backend,
                           const cuda::EngineOptions& options = {}) {
  const auto cpu = make_backend({.kind = BackendKind::cpu, .threads = 1});
  return {std::move(name),
          [on_backend, options](int runs) -> Result<Numbers> {
            HEFT_TRY(backend, make_cuda_backend(options));
            Result<Numbers> last = Numbers{};
            for (int run = 0; run < runs; ++run) last = on_backend(*backend);
            return last;
          },
          *on_backend(**cpu), tolerance};
}

OnBackend sums(std::shared_ptr<const Robotic> robot, const AccumulateOptions& options, int begin, int chunk) {
  return [=](Backend& backend) -> Result<Numbers> {
    const AccumulateJob job{
        robot->plan.get(), &robot->data.samples, begin, robot->data.samples.size() - begin, chunk, &options};
    Numbers partials;
    HEFT_CHECK(backend.accumulate({&job, 1}, {&partials, 1}));
    return partials;
  };
}

OnBackend motion_sums(std::shared_ptr<const Robotic> robot, const GeneratedMotion& motion, int num_samples,
                      core::Precision precision) {
  return [=](Backend& backend) -> Result<Numbers> {
    const AccumulateOptions options{.precision = precision};
    const AccumulateJob job{robot->plan.get(), nullptr, 0, num_samples, 64, &options, &motion};
    Numbers partials;
    HEFT_CHECK(backend.accumulate({&job, 1}, {&partials, 1}));
    return partials;
  };
}

OnBackend rows(std::shared_ptr<const Robotic> robot) {
  return [=](Backend& backend) -> Result<Numbers> {
    std::vector<RowArray> arrays;
    HEFT_CHECK(backend.evaluate_rows(*robot->plan, robot->data.samples, arrays));
    Numbers numbers;
    for (const RowArray& array : arrays) append(numbers, array.reshaped());
    return numbers;
  };
}

OnBackend sums_of_rows(std::shared_ptr<const Robotic> robot, int chunk) {
  return [=](Backend& backend) -> Result<Numbers> {
    const RowsJob job{robot->plan.get(), robot->rows, 3, robot->rows.front().rows() - 3, chunk};
    Numbers partials;
    HEFT_CHECK(backend.accumulate_rows({&job, 1}, {&partials, 1}));
    return partials;
  };
}

OnBackend torques(std::shared_ptr<const Robotic> robot) {
  return [=](Backend& backend) -> Result<Numbers> {
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(robot->plan->layout.num_parameters(), -1, 2);
    Eigen::ArrayXXd torque =
        Eigen::ArrayXXd::Constant(robot->data.samples.size(), robot->plan->num_channels(), NAN);
    const PredictJob job{robot->plan.get(), &robot->data.samples, &x};
    HEFT_CHECK(backend.predict({&job, 1}, {&torque, 1}));
    Numbers numbers;
    append(numbers, torque.reshaped());
    return numbers;
  };
}

void fill(auto& coefficients, double size, oracle::Random& random) {
  for (double& x : coefficients.reshaped()) x = size * random.normal();
}

void add_motions(std::vector<DeviceTask>& tasks) {
  constexpr int kSamples = 70;
  oracle::Random random(6);
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 2;
  const auto robot = std::make_shared<Robotic>(Robotic(2, false, 1, 6));
  const Robot plain = oracle::random_robot(options, 6);
  robot->plan = *make_regressor_plan(plain, default_channels(plain), {});
  const int n = plain.num_coordinates();
  FourierMotion fourier{.frequency = 1.3, .begin = 5, .step = 0.02, .num_samples = kSamples};
  fourier.centre.resize(n), fourier.sine.resize(3, n), fourier.cosine.resize(3, n);
  fill(fourier.centre, 1, random), fill(fourier.sine, 0.3, random), fill(fourier.cosine, 0.3, random);
  SplineMotion spline{.interval = 0.31, .begin = 0.07, .num_samples = kSamples};
  constexpr int kIntervals = 9;
  spline.step = (spline.interval * kIntervals - spline.begin) / (kSamples - 1);
  spline.control.resize(kIntervals + 5, n);
  fill(spline.control, 0.8, random);
  for (const auto& [precision, tolerance] :
       {std::pair(core::Precision::fp64, kDouble), std::pair(core::Precision::fp32, kFloat)}) {
    const std::string name = precision == core::Precision::fp64 ? "" : " in fp32";
    tasks.push_back(task_of_backend("sums of a Fourier series" + name, tolerance,
                                    motion_sums(robot, fourier, kSamples, precision)));
    tasks.push_back(task_of_backend("sums of a spline" + name, tolerance,
                                    motion_sums(robot, spline, kSamples, precision)));
  }
}

/// And after how many steps.
Numbers answers(const std::vector<Solution>& solutions) {
  Numbers numbers;
  for (const Solution& solution : solutions) {
    if (solution.status == SolveStatus::failed) continue;
    append(numbers, solution.x);
    numbers.push_back(solution.iterations);
  }
  return numbers;
}

DeviceTask batch(std::string name, int num_bodies, int most_shared_bytes, int count, bool with_nan = false) {
  std::vector<Problem> problems = test::random_problems(
      count,
      {.seed = 72, .num_bodies = num_bodies, .num_columns = 3, .num_rows = 40, .least_prior_weight = 1e-4});
  if (with_nan) problems.front().c[2] = NAN;  // has no answer, but an end
  HostBatchSolver one_thread;
  return {std::move(name),
          [problems, most_shared_bytes](int runs) -> Result<Numbers> {
            device_on_host::Settings settings = device_on_host::settings();
            settings.most_shared_bytes = most_shared_bytes;
            device_on_host::set(settings);
            HEFT_TRY(solver, make_cuda_batch_solver());
            Result<std::vector<Solution>> last = std::vector<Solution>{};
            for (int run = 0; run < runs; ++run) last = solve_batch_on(solver.get(), problems, {});
            if (!last) return last.error();
            return answers(*last);
          },
          answers(*solve_batch_on(&one_thread, problems, {})), kSolution};
}

}  // namespace

bool DeviceTask::is_right(const Numbers& numbers) const {
  if (numbers.size() != expected.size()) return false;
  const auto map = [](const Numbers& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  return (map(numbers) - map(expected)).norm() <= tolerance * map(expected).norm();
}

std::vector<DeviceTask> device_tasks() {
  std::vector<DeviceTask> tasks;
  const auto small = std::make_shared<Robotic>(3, true, 37, 41);
  const auto longer = std::make_shared<Robotic>(1, false, 300, 42);  // a chunk of two parts, which are folded
  AccumulateOptions fp64, fp32{.precision = core::Precision::fp32}, summed;
  summed.channel_weights.setLinSpaced(small->plan->num_channels(), 0.5, 2);
  AccumulateOptions summed_fp32 = summed;
  summed_fp32.precision = core::Precision::fp32;
  tasks.push_back(
      task_of_backend("sums", kDouble, sums(small, fp64, 0, 5)));  // more tasks than blocks of a grid
  tasks.push_back(task_of_backend("sums without torque", kDouble, sums(without_torque(*small), fp64, 0, 17)));
  tasks.push_back(
      task_of_backend("sums without weights", kDouble, sums(without_weights(*small), fp64, 0, 17)));
  tasks.push_back(
      task_of_backend("sums without weights in fp32", kFloat, sums(without_weights(*small), fp32, 0, 17)));
  tasks.push_back(task_of_backend("rows in several parts", kDouble, rows(longer)));
  tasks.push_back(task_of_backend("torques in several parts", kDouble, torques(longer)));
  tasks.push_back(task_of_backend("sums of all channels", kDouble, sums(small, summed, 0, 1 << 20)));
  tasks.push_back(task_of_backend("sums in fp32", kFloat, sums(small, fp32, 17, 5)));
  tasks.push_back(
      task_of_backend("sums of all channels in fp32", kFloat, sums(small, summed_fp32, 0, 1 << 20)));
  const cuda::EngineOptions by_cublas{.form = cuda::GramForm::plain},
      in_small_windows{.form = cuda::GramForm::plain, .window_bytes = 1};
  tasks.push_back(task_of_backend("sums by cuBLAS, window by window", kDouble, sums(small, fp64, 0, 17),
                                  in_small_windows));
  tasks.push_back(task_of_backend("sums by cuBLAS without torque", kDouble,
                                  sums(without_torque(*small), fp64, 0, 17), by_cublas));
  tasks.push_back(task_of_backend("sums by cuBLAS", kDouble, sums(small, fp64, 0, 17), by_cublas));
  tasks.push_back(task_of_backend("sums by cuBLAS without weights", kDouble,
                                  sums(without_weights(*small), summed, 0, 17), by_cublas));
  tasks.push_back(task_of_backend("sums in parts", kDouble, sums(longer, fp64, 0, 1 << 20)));
  tasks.push_back(task_of_backend("sums of rows", kDouble, sums_of_rows(small, 20)));
  tasks.push_back(task_of_backend("rows", kDouble, rows(small)));
  tasks.push_back(task_of_backend("torques", kDouble, torques(small)));
  add_motions(tasks);
  tasks.push_back(batch("a batch, a warp a problem", 2, kOfSm90, 2));
  tasks.push_back(batch("a batch, its factor in shared memory", 4, kOfSm90, 2));
  tasks.push_back(batch("a batch, its factor in device memory", 4, kFactorFitsNot, 2));
  return tasks;
}

std::vector<DeviceTask> more_device_tasks() {
  std::vector<DeviceTask> tasks;
  const AccumulateOptions fp64, fp32{.precision = core::Precision::fp32};
  for (int seed = 50; seed < 53; ++seed) {
    const auto tree = std::make_shared<const Robotic>(7, seed % 2 == 0, 3, seed);
    const std::string name = "tree " + std::to_string(seed);
    tasks.push_back(task_of_backend("sums of " + name, kDouble, sums(tree, fp64, 0, 2)));
    tasks.push_back(task_of_backend("sums in fp32 of " + name, kFloat, sums(tree, fp32, 0, 2)));
    tasks.push_back(task_of_backend("sums without weights of " + name, kDouble,
                                    sums(without_weights(*tree), fp64, 0, 2)));
    tasks.push_back(task_of_backend("sums without weights in fp32 of " + name, kFloat,
                                    sums(without_weights(*tree), fp32, 0, 2)));
    tasks.push_back(task_of_backend("rows of " + name, kDouble, rows(tree)));
    tasks.push_back(task_of_backend("torques of " + name, kDouble, torques(tree)));
  }
  tasks.push_back(batch("a larger batch, a warp a problem", 2, kOfSm90, 7, true));
  tasks.push_back(batch("a larger batch, its factor in shared memory", 4, kOfSm90, 5, true));
  tasks.push_back(batch("a larger batch, its factor in device memory", 4, kFactorFitsNot, 5, true));
  return tasks;
}

}  // namespace heft::testing
