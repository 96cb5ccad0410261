#include "tools/bench/bench_input.hpp"

#include <string>

#include "base/random_stream.hpp"

namespace heft::tools {

Samples random_samples(const RegressorPlan& plan, std::int64_t count, std::uint64_t seed) {
  RandomStream random(seed);
  const auto fill = [&](Eigen::ArrayXXd& array, int columns, double size) {
    array.resize(count, columns);
    for (double& x : array.reshaped()) x = random.uniform(-size, size);
  };
  Samples samples;
  samples.time.setLinSpaced(count, 0, 0.001 * static_cast<double>(count - 1));
  fill(samples.position, plan.robot.num_coordinates(), 3);
  fill(samples.velocity, plan.robot.num_coordinates(), 2);
  fill(samples.acceleration, plan.robot.num_coordinates(), 10);
  if (plan.robot.floating_base) fill(samples.base_motion, 9, 10);
  fill(samples.torque, plan.num_channels(), 50);
  samples.weight.setOnes(count, plan.num_channels());
  samples.signal.resize(count, 0);
  return samples;
}

std::vector<Column> friction_columns(const Robot& robot, const std::vector<Channel>& channels) {
  std::vector<Column> columns;
  for (int c = 0; c < static_cast<int>(channels.size()); ++c) {
    const int k = channels[c].coordinate;
    if (k < 0) continue;
    for (const core::Feature feature :
         {core::Feature::velocity, core::Feature::sign_velocity, core::Feature::one}) {
      Column& column = columns.emplace_back();
      column.name = robot.coordinates[k].name + std::to_string(static_cast<int>(feature));
      column.terms = {{.channel = c, .feature = feature, .source = k}};
    }
  }
  return columns;
}

std::vector<GeneratedMotion> random_motions(const RegressorPlan& plan, core::MotionKind kind,
                                            std::int64_t count) {
  RandomStream random(2);
  const int n = plan.robot.num_coordinates();
  const auto fill = [&](auto& coefficients, double size) {
    for (double& x : coefficients.reshaped()) x = random.uniform(-size, size);
  };
  const auto fourier = [&] {
    FourierMotion motion{.num_samples = kMotionSamples};
    motion.center.resize(n), motion.sine.resize(5, n), motion.cosine.resize(5, n);
    fill(motion.center, 1), fill(motion.sine, 0.3), fill(motion.cosine, 0.3);
    return motion;
  };
  const auto spline = [&] {
    SplineMotion motion{.num_samples = kMotionSamples};
    motion.control.resize(45, n);  // forty intervals of the default length, ten seconds
    fill(motion.control, 1);
    return motion;
  };
  std::vector<GeneratedMotion> motions;
  for (std::int64_t made = 0; made < count; made += kMotionSamples)
    motions.push_back(kind == core::MotionKind::fourier ? GeneratedMotion(fourier())
                                                        : GeneratedMotion(spline()));
  return motions;
}

}  // namespace heft::tools
