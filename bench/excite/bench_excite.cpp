// bench_excite ROBOT.urdf: candidates per second and core, by value and with gradient, and how far
// the gradient is from differences. bench_excite --study A.urdf B.urdf ..: random motions of all
// robots scored in one batch, and how far their gradients are. bench_excite --device ROBOT.urdf
// [MOTIONS]: motions with gradient per second on a CUDA device and on all threads of the host, in
// alternation, and how far they differ. Prints JSON. Times are of the
// thread's processor, the least of several rounds, so that others on the machine count little.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/random_stream.hpp"
#include "heft/excite/design.hpp"
#include "heft/executor/executor.hpp"
#include "heft/robot/robot_document.hpp"
#include "host/applications/excite/beliefs.hpp"
#include "host/applications/excite/scorer.hpp"

namespace {

using namespace heft;
using namespace heft::excite;

double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds a call, the least of ten rounds.
template <class Function>
double seconds_of(const Function& function) {
  double least = HUGE_VAL;
  for (int round = 0; round < 10; ++round) {
    const double begin = thread_seconds();
    int calls = 0;
    for (; calls < 5 || thread_seconds() - begin < 0.05; ++calls) function();
    least = std::min(least, (thread_seconds() - begin) / calls);
  }
  return least;
}

Result<std::string> measure(const std::string& path) {
  HEFT_TRY(robot, read_robot(path));
  HEFT_TRY(plan, make_excitation_plan(robot, {}));
  LimitOptions options;
  options.torque_deviations = 0;
  HEFT_TRY(limits, make_limits(robot, options));
  std::vector<std::string> notes;
  HEFT_TRY(beliefs, make_beliefs(*plan, limits, {}, nullptr, notes));
  HEFT_TRY(information, make_information(plan, beliefs));
  const auto objective = make_objective(ExcitationObjective::d, information, {}, {});
  const MotionShape shape;
  RandomStream random(1);
  const Eigen::MatrixXd C = Eigen::MatrixXd::NullaryExpr(
      shape.num_coefficients(), plan->num_channels(), [&] { return 0.5 * random.normal(); });
  std::string text = "{";
  for (const int num_samples : {200, 1000}) {
    Scorer scorer({.information = &information,
                   .limits = &limits,
                   .objective = objective.get(),
                   .shape = shape,
                   .num_samples = num_samples});
    const Multipliers multipliers = scorer.no_multipliers();
    Eigen::MatrixXd gradient;
    const double value_s = seconds_of([&] { scorer.value(C, nullptr, nullptr); });
    const double gradient_s = seconds_of([&] { scorer.value(C, &multipliers, &gradient); });
    text +=
        fmt::format("\"value_{0}\": {1:.6g}, \"gradient_{0}\": {2:.6g}, \"cost_{0}\": {3:.4g}, ",
                    num_samples, 1 / value_s, 1 / gradient_s, gradient_s / value_s);
    // of the objective alone, which is smooth: central differences extrapolated twice
    scorer.value(C, nullptr, &gradient);
    double worst = 0;
    for (int i = 0; i < 20; ++i) {
      const Eigen::MatrixXd direction = Eigen::MatrixXd::NullaryExpr(C.rows(), C.cols(), [&] {
                                          return random.normal();
                                        }).normalized();
      const auto at = [&](double s) { return scorer.value(C + s * direction, nullptr, nullptr); };
      const auto slope = [&](double h) { return (at(h) - at(-h)) / (2 * h); };
      constexpr double kStep = 4e-3;
      const double d1 = slope(kStep), d2 = slope(kStep / 2), d4 = slope(kStep / 4);
      const double r1 = (4 * d2 - d1) / 3, r2 = (4 * d4 - d2) / 3;
      const double difference = (16 * r2 - r1) / 15;
      worst = std::max(worst, std::abs((gradient.array() * direction.array()).sum() - difference) /
                                  gradient.norm());
    }
    text += fmt::format("\"gradient_error_{}\": {:.3g}, ", num_samples, worst);
  }
  return text + fmt::format("\"channels\": {}, \"instruction_set\": \"{}\"}}", plan->num_channels(),
                            name(available_instruction_sets().front()));
}

/// Ten directions of every robot: central differences extrapolated twice, every motion of which is
/// one of the batch.
Result<std::string> study(const std::vector<std::string>& paths) {
  constexpr int kDirections = 10;
  constexpr double kStep = 4e-3, kShares[] = {1, -1, 0.5, -0.5, 0.25, -0.25};
  RandomStream random(1);
  std::vector<ScoredRobot> robots;
  ExciteOptions options;
  options.shape.duration = 5;
  for (const std::string& path : paths) {
    HEFT_TRY(robot, read_robot(path));
    HEFT_TRY(ready, ScoredRobot::make(robot, options));
    robots.push_back(ready);
  }
  std::vector<ScoredMotion> at, around;
  std::vector<Eigen::MatrixXd> directions;
  for (const ScoredRobot& robot : robots) {
    const auto noise = [&] {
      return Eigen::MatrixXd::NullaryExpr(robot.shape().num_coefficients(), robot.num_coordinates(),
                                          [&] { return random.normal(); })
          .eval();
    };
    at.push_back({&robot, 0.5 * noise()});
    for (int i = 0; i < kDirections; ++i) {
      directions.push_back(noise().normalized());
      for (const double share : kShares)
        around.push_back({&robot, at.back().coefficients + share * kStep * directions.back()});
    }
  }
  HEFT_TRY(gradients, score(at, {.with_gradient = true}));
  const double begin = thread_seconds();
  HEFT_TRY(values, score(around, {.threads = 1}));
  const double seconds = thread_seconds() - begin;
  double worst = 0;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const auto slope = [&](std::size_t pair) {
      const std::size_t first = std::size(kShares) * i + 2 * pair;
      return (values[first].value - values[first + 1].value) / (2 * kShares[2 * pair] * kStep);
    };
    const double r1 = (4 * slope(1) - slope(0)) / 3, r2 = (4 * slope(2) - slope(1)) / 3;
    const Eigen::MatrixXd& gradient = gradients[i / kDirections].gradient;
    worst =
        std::max(worst, std::abs(gradient.cwiseProduct(directions[i]).sum() - (16 * r2 - r1) / 15) /
                            gradient.norm());
  }
  return fmt::format(
      "{{\"robots\": {}, \"motions\": {}, \"motions_a_second\": {:.4g}, \"gradient_error\": {:.3g}}}",
      robots.size(), at.size() + around.size(), static_cast<double>(around.size()) / seconds,
      worst);
}

/// Wall-clock seconds of a batch of motions with gradient.
Result<double> batch_seconds(const std::vector<ScoredMotion>& motions, BackendKind backend,
                             std::vector<MotionScore>& scores) {
  const auto begin = std::chrono::steady_clock::now();
  HEFT_TRY(scored, score(motions, {.with_gradient = true, .backend = backend}));
  scores = std::move(scored);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The larger of two errors; NaN if one is.
double larger(double a, double b) {
  return b > a || std::isnan(b) ? b : a;
}

Result<std::string> on_device(const std::string& path, int num_motions) {
  HEFT_TRY(robot, read_robot(path));
  HEFT_TRY(ready, ScoredRobot::make(robot, {}));
  RandomStream random(1);
  std::vector<ScoredMotion> motions;
  for (int i = 0; i < num_motions; ++i)
    motions.push_back({&ready, Eigen::MatrixXd::NullaryExpr(
                                   ready.shape().num_coefficients(), ready.num_coordinates(),
                                   [&] { return 0.3 * random.normal(); })});
  std::vector<MotionScore> host, device;
  double host_s = HUGE_VAL, device_s = HUGE_VAL;
  for (int round = 0; round < 4; ++round) {  // the first one starts threads and CUDA
    HEFT_TRY(on_host, batch_seconds(motions, BackendKind::cpu, host));
    HEFT_TRY(on_card, batch_seconds(motions, BackendKind::cuda, device));
    host_s = std::min(host_s, on_host), device_s = std::min(device_s, on_card);
  }
  double value_error = 0, gradient_error = 0;
  for (std::size_t i = 0; i < motions.size(); ++i) {
    value_error = larger(value_error, std::abs(device[i].value / host[i].value - 1));
    gradient_error = larger(
        gradient_error, (device[i].gradient - host[i].gradient).norm() / host[i].gradient.norm());
  }
  return fmt::format(
      "{{\"motions\": {}, \"samples\": {}, \"host_motions_a_second\": {:.4g}, "
      "\"device_motions_a_second\": {:.4g}, \"times_as_fast\": {:.3g}, \"value_error\": {:.3g}, "
      "\"gradient_error\": {:.3g}}}",
      num_motions, ready.num_samples(), num_motions / host_s, num_motions / device_s,
      host_s / device_s, value_error, gradient_error);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool is_study = words.size() > 1 && words.front() == "--study",
             is_device = words.size() > 1 && words.size() < 4 && words.front() == "--device";
  const int num_motions = is_device && words.size() == 3 ? std::atoi(words[2].c_str()) : 4096;
  if (words.empty() || (words.size() > 1 && !is_study && !is_device) || num_motions < 1) {
    fmt::print(stderr,
               "bench_excite ROBOT.urdf, bench_excite --study A.urdf B.urdf .., or "
               "bench_excite --device ROBOT.urdf [MOTIONS]\n");
    return 100;
  }
  const auto text = is_study    ? study({words.begin() + 1, words.end()})
                    : is_device ? on_device(words[1], num_motions)
                                : measure(words.front());
  if (!text) {
    fmt::print(stderr, "{}\n", text.error().message());
    return 1;
  }
  fmt::print("{}\n", *text);
  return 0;
}
