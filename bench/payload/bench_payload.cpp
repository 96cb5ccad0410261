// How long payloads take from arrays to certified answers, on one core: bench_payload [OBJECTS].
// Every object is 150 noisy samples of a box of another size and place, weighed by `auto` with its
// shape; reading of logs, intervals and diagnosis are not in it.
//
// bench_payload --point-masses FILE.. solves problems of point masses, text of [A b]'[A b] at rest
// and in motion (11 x 11 each), lambda, the number of points and B (10 x points), and any number of
// limits (a row of ten numbers, the least and the largest), each over and over: a line of
// microseconds of a thread, objective, relative gap and steps; and all of them many times as one
// batch: microseconds of the thread a problem in the shortest of several passes, and how many of
// them converged.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random_stream.hpp"
#include "heft/payload/payload.hpp"
#include "payload/point_masses.hpp"

namespace heft {
namespace {

constexpr Eigen::Index kSamples = 150;

struct Grasp {
  WrenchSamples samples;
  PayloadShape shape;
};

/// Of the thread that calls: others on the machine do not count.
double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Grasp random_grasp(RandomStream& random) {
  PayloadPriorOptions prior;
  prior.primitive = {PayloadPrimitive::Kind::box,
                     Eigen::Vector3d{random.uniform(0.05, 0.3), random.uniform(0.05, 0.3),
                                     random.uniform(0.03, 0.1)}};
  prior.pose.translation() =
      Eigen::Vector3d{random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.05};
  Grasp grasp{.shape = *read_payload_shape(prior)};
  Eigen::ArrayXd time(kSamples);
  Eigen::ArrayXXd w(kSamples, 3), wd(kSamples, 3), u(kSamples, 3);
  const double phase = random.uniform(0, 6);
  for (Eigen::Index i = 0; i < kSamples; ++i) {
    const double t = time[i] = 0.01 * static_cast<double>(i);
    w.row(i) << std::sin(1.3 * t + phase), 0.8 * std::cos(2.1 * t), 0.5 * std::sin(2.9 * t);
    wd.row(i) << 1.3 * std::cos(1.3 * t + phase), -1.68 * std::sin(2.1 * t),
        1.45 * std::cos(2.9 * t);
    u.row(i) << 4 * std::sin(0.7 * t + phase), 9 * std::cos(0.4 * t), 6 * std::cos(1.1 * t + phase);
  }
  grasp.samples = *make_wrench_samples(time, w, wd, u, Eigen::ArrayXXd::Zero(kSamples, 6));
  grasp.samples.wrench = payload_wrench(grasp.samples, random.uniform(0.3, 3) * grasp.shape.unit);
  for (Eigen::Index i = 0; i < kSamples; ++i)
    for (Eigen::Index c = 0; c < 6; ++c)
      grasp.samples.wrench(i, c) += (c < 3 ? 0.1 : 0.005) * random.normal();
  return grasp;
}

std::optional<payload::PointMassProblem> read_point_masses(const char* path) {
  std::ifstream file(path);
  payload::PointMassProblem problem;
  int points = 0;
  for (auto* gram : {&problem.at_rest, &problem.moving})
    for (double& number : gram->reshaped()) file >> number;
  file >> problem.lambda >> points;
  problem.B.resize(10, points);
  for (int k = 0; k < 10; ++k)
    for (int i = 0; i < points; ++i) file >> problem.B(k, i);
  if (!file) return {};
  payload::PointMassLimit limit;
  const auto read_limit = [&] {
    for (double& number : limit.row) file >> number;
    return static_cast<bool>(file >> limit.lower >> limit.upper);
  };
  while (read_limit()) problem.limits.push_back(limit);
  return problem;
}

int time_point_masses(const char* const* paths, int count) {
  constexpr int kTimes = 300, kBatches = 20;
  constexpr int kPasses = 15;    // of which the shortest counts, as of Clarabel's (point_masses.py)
  constexpr double kGap = 1e-8;  // where Clarabel stops, too
  std::vector<payload::PointMassProblem> problems;
  for (int i = 0; i < count; ++i) {
    const auto problem = read_point_masses(paths[i]);
    if (!problem) return 1;
    payload::PointMassSolution found;
    const double begin = thread_seconds();
    for (int k = 0; k < kTimes; ++k) found = payload::solve_point_masses(*problem, kGap);
    fmt::print("{} {:.17g} {:.3g} {}\n", 1e6 * (thread_seconds() - begin) / kTimes, found.objective,
               (found.objective - found.bound) / found.objective, found.steps);
    for (int k = 0; k < kBatches; ++k) problems.push_back(*problem);
  }
  std::vector<payload::PointMassSolution> solutions;
  double took = 1e300;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double begin = thread_seconds();
    solutions.clear();
    for (const payload::PointMassProblem& problem : problems)
      solutions.push_back(payload::solve_point_masses(problem, kGap));
    took = std::min(took, thread_seconds() - begin);
  }
  const auto converged =
      std::count_if(solutions.begin(), solutions.end(), [](const auto& s) { return s.converged; });
  fmt::print("{} {}\n", 1e6 * took / static_cast<double>(problems.size()), converged);
  return 0;
}

}  // namespace
}  // namespace heft

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == "--point-masses")
    return heft::time_point_masses(argv + 2, argc - 2);
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  heft::RandomStream random(1);
  std::vector<heft::Grasp> grasps;
  for (int k = 0; k < count; ++k) grasps.push_back(heft::random_grasp(random));
  std::vector<heft::PayloadTask> tasks;
  for (const heft::Grasp& grasp : grasps) tasks.push_back({&grasp.samples, &grasp.shape});
  const double begin = heft::thread_seconds();
  const auto answers = heft::weigh_batch(tasks, {});
  const double took = heft::thread_seconds() - begin;
  int certified = 0;
  for (const heft::PayloadAnswer& answer : *answers)
    certified += answer.certificate && answer.certificate->certified;
  fmt::print("{} payloads of {} samples: {:.3f} s of one thread, {:.1f} us each, {} certified\n",
             count, heft::kSamples, took, 1e6 * took / count, certified);
  return certified == count ? 0 : 1;
}
