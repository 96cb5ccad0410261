// Workloads of the device model: one call of the library each, on a device that the host emulates.
//
//   device_model_workloads moments ROBOT.urdf fixed|floating fp64|fp32 summed|per_channel SAMPLES
//   device_model_workloads solve PROBLEMS
//
// Samples go through chunks of the default length, as a long log's do. Problems have seven bodies
// and fourteen signs. The last line on standard output is the number of samples or problems. Exit
// status: 0, or 1 and why on standard error.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/robot/robot_document.hpp"
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

Result<std::int64_t> run(const Words& words) {
  if (words.size() == 6 && words[0] == "moments") return sum_moments(words);
  if (words.size() == 2 && words[0] == "solve") return solve_problems(words);
  return Error{"device model", "unknown workload",
               "see the head of bench/device_model/workloads.cpp"};
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
