#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <numbers>

#include "base/random_stream.hpp"
#include "drive_effects.hpp"
#include "files/csv_name.hpp"
#include "files/whole_file.hpp"
#include "fourier_trajectory.hpp"
#include "heft/executor/executor.hpp"
#include "heft/simulate/simulate.hpp"

namespace heft {

namespace {

constexpr Eigen::Index kRowsAReport = 65536;

Samples of_motion(const Samples& motion, const RegressorPlan& plan) {
  Samples samples = motion;
  samples.torque.setZero(motion.size(), plan.num_channels());
  samples.weight.setOnes(motion.size(), plan.num_channels());
  return samples;
}

Samples sampled(const FourierTrajectory& trajectory, const RegressorPlan& plan,
                const SimulateOptions& options) {
  const auto count =
      static_cast<Eigen::Index>(std::lround(options.duration_s * options.rate_hz)) + 1;
  Samples samples;
  samples.time.setLinSpaced(count, 0, static_cast<double>(count - 1) / options.rate_hz);
  for (Eigen::ArrayXXd* array : {&samples.position, &samples.velocity, &samples.acceleration})
    array->resize(count, plan.robot.num_coordinates());
  samples.torque.setZero(count, plan.num_channels());
  samples.weight.setOnes(count, plan.num_channels());
  Eigen::VectorXd q, qd, qdd;
  // a separate stream, so that noise is the same with and without latency
  RandomStream latency(~options.seed ^ (options.trajectory_seed << 32));
  for (Eigen::Index i = 0; i < count; ++i) {
    const double late = options.latency_s > 0 ? options.latency_s * latency.uniform() : 0;
    trajectory.at(samples.time[i] - late, q, qd, qdd);
    samples.position.row(i) = q.transpose();
    samples.velocity.row(i) = qd.transpose();
    samples.acceleration.row(i) = qdd.transpose();
  }
  return samples;
}

/// Encoder reading: the nearest of `counts` steps per revolution, or per meter.
void quantise(Eigen::ArrayXXd& position, const Robot& robot, double counts) {
  if (!(counts > 0)) return;
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const double step = (robot.coordinates[k].is_angle ? 2 * std::numbers::pi : 1) / counts;
    position.col(k) = (position.col(k) / step).round() * step;
  }
}

}  // namespace

Result<Done> simulate_log(const SimulatedTruth& truth, const SimulateOptions& options,
                          const std::string& path, const Progress& progress) {
  const RegressorPlan& plan = *truth.plan;
  if (plan.robot.floating_base)
    return Error{plan.robot.source, "logs of floating bases are not simulated",
                 "simulate the robot on a fixed base"};
  HEFT_CHECK(check_simulation(options));
  if (options.motion && options.motion->position.cols() != plan.robot.num_coordinates())
    return Error{"motion", "does not have the joints of the robot",
                 "give q_<joint> of all movable joints"};
  Samples samples = options.motion ? of_motion(*options.motion, plan)
                                   : sampled(FourierTrajectory(plan.robot, options), plan, options);
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu}));
  const PredictJob job{&plan, &samples, &truth.parameters};
  Eigen::ArrayXXd torque;
  HEFT_CHECK(backend->predict({&job, 1}, {&torque, 1}));
  HEFT_CHECK(add_drive_effects(truth, options, samples, torque));

  RandomStream random(options.seed ^ (options.trajectory_seed << 32));
  for (int c = 0; c < torque.cols(); ++c) {
    const double deviation = options.torque_noise * std::sqrt(torque.col(c).square().mean());
    for (Eigen::Index i = 0; i < torque.rows(); ++i) torque(i, c) += deviation * random.normal();
    torque.col(c) = (torque.col(c) + plan.channels[c].offset) / plan.channels[c].scale;  // as the
                                                                                         // sensor
                                                                                         // shows it
  }
  quantise(samples.position, plan.robot, options.encoder_counts);

  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "t");
  for (const Coordinate& joint : plan.robot.coordinates)
    fmt::format_to(out, ",{}", csv_name("q_" + joint.name));
  for (const Channel& channel : plan.channels)
    fmt::format_to(out, ",{}", csv_name("tau_" + channel.name));
  fmt::format_to(out, "\n");
  for (Eigen::Index i = 0; i < samples.size(); ++i) {
    if (i % kRowsAReport == 0)
      HEFT_CHECK(report_progress(progress, "writing a log",
                                 static_cast<double>(i) / static_cast<double>(samples.size())));
    fmt::format_to(out, "{:.10g}", samples.time[i]);
    for (int k = 0; k < samples.position.cols(); ++k)
      fmt::format_to(out, ",{:.9g}", samples.position(i, k));
    for (int c = 0; c < torque.cols(); ++c) fmt::format_to(out, ",{:.7g}", torque(i, c));
    fmt::format_to(out, "\n");
  }
  return write_file_whole(path, fmt::to_string(text));
}

}  // namespace heft
