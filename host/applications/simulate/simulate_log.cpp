#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "base/random_stream.hpp"
#include "base_columns.hpp"
#include "drive_effects.hpp"
#include "files/csv_name.hpp"
#include "files/whole_file.hpp"
#include "fourier_trajectory.hpp"
#include "heft/executor/executor.hpp"
#include "heft/simulate/simulate.hpp"
#include "simulate/floating_motion.hpp"

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
void quantize(Eigen::ArrayXXd& position, const Robot& robot, double counts) {
  if (!(counts > 0)) return;
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const double step = (robot.coordinates[k].is_angle ? 2 * std::numbers::pi : 1) / counts;
    position.col(k) = (position.col(k) / step).round() * step;
  }
}

/// What a log contains, without errors of joint sensors.
struct Recording {
  Samples samples;
  Eigen::ArrayXXd torque;
  std::vector<NamedColumn> more;  ///< of a floating base
};

Result<Recording> fixed_base(const SimulatedTruth& truth, Samples samples) {
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu}));
  const PredictJob job{truth.plan.get(), &samples, &truth.parameters};
  Recording recording;
  HEFT_CHECK(backend->predict({&job, 1}, {&recording.torque, 1}));
  recording.samples = std::move(samples);
  return recording;
}

Result<Recording> floating_base(const SimulatedTruth& truth, const SimulateOptions& options,
                                const Samples& joints, const JointMotion& between,
                                const Progress& progress) {
  HEFT_TRY(feet, simulated_feet(truth.plan->robot, options.base));
  HEFT_TRY(motion, floating_motion(truth, options, feet, joints, between, progress));
  HEFT_TRY(more, base_columns(truth, options, feet, motion));
  Eigen::ArrayXXd torque = motion.samples.torque;
  return Recording{std::move(motion.samples), std::move(torque), std::move(more)};
}

/// Whether a channel is logged. Robots on feet have no torque on their base; that of a rope is
/// unknown.
bool is_logged(const Channel& channel, const SimulateOptions& options) {
  const bool is_base = channel.coordinate < 0 && !channel.is_sensor;
  return !is_base || options.base.gait == Gait::hung || options.base.gait == Gait::mounted;
}

/// Torques with noise, as sensors show them.
void read_torques(const RegressorPlan& plan, const SimulateOptions& options,
                  Eigen::ArrayXXd& torque) {
  RandomStream random(options.seed ^ (options.trajectory_seed << 32));
  for (int c = 0; c < torque.cols(); ++c) {
    const Channel& channel = plan.channels[static_cast<std::size_t>(c)];
    const double deviation = options.torque_noise * std::sqrt(torque.col(c).square().mean());
    for (Eigen::Index i = 0; i < torque.rows(); ++i) torque(i, c) += deviation * random.normal();
    torque.col(c) = (torque.col(c) + channel.offset) / channel.scale;
    if (channel.coordinate < 0 && !channel.is_sensor && options.base.gait == Gait::hung)
      torque.col(c) = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

Result<Done> simulate_log(const SimulatedTruth& truth, const SimulateOptions& options,
                          const std::string& path, const Progress& progress) {
  const RegressorPlan& plan = *truth.plan;
  HEFT_CHECK(check_simulation(options));
  const bool floats = plan.robot.floating_base;
  if (floats && options.latency_s > 0)
    return Error{"latency_s", "is not supported with a floating base", "set the latency to 0"};
  if (options.motion && options.motion->position.cols() != plan.robot.num_coordinates())
    return Error{"motion", "does not have the joints of the robot",
                 "give q_<joint> of all movable joints"};
  const FourierTrajectory trajectory(plan.robot, options);
  JointMotion between;
  if (!options.motion)
    between = [&](double t, Eigen::VectorXd& q, Eigen::VectorXd& qd, Eigen::VectorXd& qdd) {
      trajectory.at(t, q, qd, qdd);
    };
  Samples joints =
      options.motion ? of_motion(*options.motion, plan) : sampled(trajectory, plan, options);
  HEFT_TRY(recording, floats ? floating_base(truth, options, joints, between, progress)
                             : fixed_base(truth, std::move(joints)));
  Samples& samples = recording.samples;
  Eigen::ArrayXXd& torque = recording.torque;
  HEFT_CHECK(add_drive_effects(truth, options, samples, torque));
  read_torques(plan, options, torque);
  quantize(samples.position, plan.robot, options.encoder_counts);

  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "t");
  for (const Coordinate& joint : plan.robot.coordinates)
    fmt::format_to(out, ",{}", csv_name("q_" + joint.name));
  for (const Channel& channel : plan.channels)
    if (is_logged(channel, options)) fmt::format_to(out, ",{}", csv_name("tau_" + channel.name));
  for (const NamedColumn& column : recording.more)
    fmt::format_to(out, ",{}", csv_name(column.name));
  fmt::format_to(out, "\n");
  for (Eigen::Index i = 0; i < samples.size(); ++i) {
    if (i % kRowsAReport == 0)
      HEFT_CHECK(report_progress(progress, "writing a log",
                                 static_cast<double>(i) / static_cast<double>(samples.size())));
    fmt::format_to(out, "{:.10g}", samples.time[i]);
    for (int k = 0; k < samples.position.cols(); ++k)
      fmt::format_to(out, ",{:.9g}", samples.position(i, k));
    for (int c = 0; c < torque.cols(); ++c)
      if (is_logged(plan.channels[static_cast<std::size_t>(c)], options))
        fmt::format_to(out, ",{:.7g}", torque(i, c));
    for (const NamedColumn& column : recording.more)
      fmt::format_to(out, ",{:.9g}", column.values[i]);
    fmt::format_to(out, "\n");
  }
  return write_file_whole(path, fmt::to_string(text));
}

}  // namespace heft
