// Solves the problems of a file written by problems.py with every method, and those of a kind as a
// batch, and prints JSON: solutions, times, certificates.
//
// Times are the median of several runs of the solver alone, thread CPU time (on a GPU the wall
// clock); building a Problem is apart.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/problem_file.hpp"
#include "bench/timing.hpp"
#include "heft/executor/executor.hpp"
#include "heft/solve/solve.hpp"
#include "heft/solve/solve_batch.hpp"

namespace {

using namespace heft;

constexpr int kRepeats = 5;

/// A problem, and the microseconds that it took to make it of normal equations, prior and
/// constraints.
struct Made {
  Problem problem;
  double microseconds;
};

Made read_problem(bench::ProblemFile& file) {
  const int bodies = file.integer(), columns = file.integer();
  const int kind = file.integer();
  const ParameterLayout layout = bench::layout_of(bodies, columns);
  NormalEquations equations;
  equations.num_rows = file.number();
  equations.tau2 = file.number();
  PriorOptions options;
  options.weight = file.number();
  options.ridge = 0;
  file.put_system(layout.num_parameters(), equations);
  const std::vector<BodyParameters> references = file.bodies(bodies);

  Constraints constraints;
  constraints.margin = 1e-9;
  if (kind & 1) {
    const Eigen::MatrixXd ellipsoids = file.matrix(bodies, 16), masses = file.matrix(bodies, 2);
    for (int i = 0; i < bodies; ++i) {
      constraints.volumes.push_back({i, {bench::ellipsoid_of(ellipsoids, i)}});
      constraints.linear.push_back(mass_bounds(layout, i, masses(i, 0), masses(i, 1)));
    }
  }
  if (kind & 2) {
    const Eigen::MatrixXd centers = file.matrix(bodies, 3), shapes = file.matrix(bodies, 9);
    for (int i = 0; i < bodies; ++i) {
      const Eigen::Matrix<double, 1, 9> shape = shapes.row(i);
      constraints.com_ellipsoids.push_back(
          {i, centers.row(i).transpose(), Eigen::Map<const Eigen::Matrix3d>(shape.data())});
    }
  }
  const Prior prior = bench::value_or_throw(make_prior(layout, references, options));
  const double start = bench::thread_microseconds();
  Problem problem = bench::value_or_throw(make_problem(layout, equations, prior, constraints));
  return {std::move(problem), bench::thread_microseconds() - start};
}

std::string solve_and_describe(const Problem& problem, const char* name, SolveMethod method) {
  SolveOptions options;
  options.method = method;
  options.gap_tolerance = 1e-8;
  std::vector<double> times;
  Solution solution;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double start = bench::thread_microseconds();
    solution = *solve(problem, options);
    times.push_back(bench::thread_microseconds() - start);
  }
  const Certificate certificate = certify(problem, solution);
  std::string x;
  for (Eigen::Index k = 0; k < problem.physical.num_parameters; ++k)
    x += fmt::format("{}{}", k ? "," : "", solution.x[k]);
  return fmt::format(
      R"({{"name":"{}","us":{:.2f},"iterations":{},"certified":{},"primal":{},"dual":{},"gap":{:.3e},"x":[{}]}})",
      name, bench::median(times), solution.iterations, certificate.certified, certificate.primal,
      certificate.dual, certificate.gap, x);
}

// What a batch takes per problem, and its answers.
struct BatchRun {
  double microseconds;
  std::vector<Solution> solutions;
};

Result<BatchRun> run_batch(const std::vector<Problem>& problems, const BackendOptions& options,
                           double (*now)()) {
  HEFT_TRY(executor, make_executor(options));
  BatchRun run;
  std::vector<double> times;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double start = now();
    HEFT_TRY(solutions, executor->solve("benchmark", problems));
    times.push_back((now() - start) / static_cast<double>(problems.size()));
    run.solutions = std::move(solutions);
  }
  run.microseconds = bench::median(times);
  return run;
}

int num_certified(const std::vector<Problem>& problems, const std::vector<Solution>& solutions,
                  std::size_t count) {
  int certified = 0;
  for (std::size_t k = 0; k < count; ++k) certified += certify(problems[k], solutions[k]).certified;
  return certified;
}

double median_us_of_certificates(const std::vector<Problem>& problems,
                                 const std::vector<Solution>& solutions, std::size_t count) {
  std::vector<double> times;
  for (std::size_t k = 0; k < count; ++k) {
    const double start = bench::thread_microseconds();
    certify(problems[k], solutions[k]);
    times.push_back(bench::thread_microseconds() - start);
  }
  return bench::median(times);
}

struct Batch {
  std::vector<Problem> problems;
  std::vector<double> make_us;
};

// A thousand problems of one shape through solve_batch, the given ones over and over: in lanes, by
// the time of the thread, and on a GPU, if there is one, by the wall clock, which one thread of the
// host or all of them feed. Beside it what else the CPU does for each of them.
std::string time_batch(const Batch& batch) {
  const std::vector<Problem>& given = batch.problems;
  constexpr std::size_t kBatch = 1000;
  std::vector<Problem> problems;
  for (std::size_t k = 0; k < std::max(given.size(), std::min(kBatch, 40 * given.size())); ++k) {
    problems.push_back(given[k % given.size()]);
  }
  const BatchRun lanes =
      *run_batch(problems, {.kind = BackendKind::cpu, .threads = 1}, bench::thread_microseconds);
  int one_step = 0, steps = 0;
  for (std::size_t k = 0; k < given.size(); ++k) {
    one_step += lanes.solutions[k].iterations == 1;
    steps += lanes.solutions[k].iterations;
  }
  const auto device =
      run_batch(problems, {.kind = BackendKind::cuda, .threads = 1}, bench::wall_microseconds);
  const auto fed = run_batch(problems, {.kind = BackendKind::cuda}, bench::wall_microseconds);
  const int num_right = device && fed
                            ? std::min(num_certified(problems, device->solutions, given.size()),
                                       num_certified(problems, fed->solutions, given.size()))
                            : 0;
  const std::string on_device =
      device && fed ? fmt::format(R"({{"us":{:.2f},"us_all_threads":{:.2f},"certified":{}}})",
                                  device->microseconds, fed->microseconds, num_right)
                    : fmt::format(R"({{"why_not":"{}"}})", (device ? fed : device).error().what);
  return fmt::format(
      R"({{"bodies":{},"parameters":{},"weight":{},"count":{},"us":{:.2f},"make_us":{:.2f},"certify_us":{:.2f},)"
      R"("certified":{},"distinct":{},"steps":{:.2f},"one_step":{},"device":{}}})",
      given[0].layout.num_bodies(), given[0].num_variables(), given[0].prior.weight,
      problems.size(), lanes.microseconds, bench::median(batch.make_us),
      median_us_of_certificates(problems, lanes.solutions, given.size()),
      num_certified(problems, lanes.solutions, given.size()), given.size(),
      static_cast<double>(steps) / given.size(), one_step, on_device);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc == 3 ? argv[2] : "";
  const bool only_batches = part == "--batches", only_single = part == "--single";
  if (argc != 2 && !only_batches && !only_single) {
    fmt::print(stderr, "usage: bench_solver problems.bin [--batches | --single]\n");
    return 2;
  }
  try {
    bench::ProblemFile file(argv[1]);
    if (file.word(8) != "HEFTSDP1") throw std::runtime_error("not a problem file");
    const int count = file.integer();
    fmt::print(R"({{"compiler":"{}","problems":[)", __VERSION__);
    std::map<std::pair<int, double>, Batch> batches;
    for (int k = 0; k < count; ++k) {
      const auto [problem, make_us] = read_problem(file);
      if (problem.has_orthonormal_rows && !only_single) {
        Batch& batch = batches[{problem.num_variables(), -problem.prior.weight}];
        batch.problems.push_back(problem);
        batch.make_us.push_back(make_us);
      }
      if (only_batches) continue;
      fmt::print(R"({}{{"solvers":[{},{},{}]}})", k ? "," : "",
                 solve_and_describe(problem, "heft", SolveMethod::automatic),
                 solve_and_describe(problem, "heft admm", SolveMethod::admm),
                 solve_and_describe(problem, "heft interior point", SolveMethod::interior_point));
    }
    fmt::print(R"(],"instruction_set":"{}","batches":[)", batch_instruction_set());
    const char* separator = "";
    for (const auto& [shape, batch] : batches) {
      fmt::print("{}{}", separator, time_batch(batch));
      separator = ",";
    }
    fmt::print("]}}\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_solver: {}\n", error.what());
    return 1;
  }
  return 0;
}
