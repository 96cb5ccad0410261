#include "tests/device_on_host/robotic_work.hpp"

#include <algorithm>
#include <cmath>

#include "heft/executor/executor.hpp"
#include "kernels/moments/cuda_device.hpp"
#include "kernels/moments/device_batch.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::testing {

namespace {

void append(Numbers& numbers, const auto& values) {
  for (const double x : values) numbers.push_back(x);
}

void fill(auto& coefficients, double size, oracle::Random& random) {
  for (double& x : coefficients.reshaped()) x = size * random.normal();
}

/// What `change` makes of a copy.
RoboticPtr changed(const RoboticPtr& robotic, const auto& change) {
  Robotic copy = *robotic;
  change(copy.data.samples);
  return std::make_shared<const Robotic>(std::move(copy));
}

}  // namespace

Robotic::Robotic(const Robot& robot, const std::vector<Column>& columns, int num_samples,
                 int seed) {
  plan = *make_regressor_plan(robot, default_channels(robot), columns);
  data = random_samples(*plan, num_samples, static_cast<std::uint64_t>(seed));
  oracle::Random random(static_cast<std::uint64_t>(seed));
  for (double& weight : data.samples.weight.reshaped()) weight *= random.uniform(0.3, 1);
  for (const core::ChannelEntry& channel : plan->channel_entries) {
    rows.emplace_back(num_samples, channel.width);
    for (double& x : rows.back().reshaped()) x = random.normal();
  }
}

RoboticPtr everything(int num_bodies, bool floating_base, int num_samples, int seed) {
  oracle::RandomRobotOptions options = oracle::RandomRobotOptions::everything(floating_base);
  options.min_bodies = options.max_bodies = num_bodies;
  const Robot robot = oracle::random_robot(options, static_cast<std::uint64_t>(seed));
  return std::make_shared<const Robotic>(
      robot, columns_of_every_kind(robot, default_channels(robot)), num_samples, seed);
}

RoboticPtr chain(const ChainOptions& chain, int num_samples, int seed) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = chain.num_massless + chain.num_links;
  options.joint_types = {JointType::revolute};
  options.branching = 0;
  Robot robot = oracle::random_robot(options, static_cast<std::uint64_t>(seed));
  for (int b = 0; b < robot.num_bodies(); ++b) {
    Body& body = robot.bodies[static_cast<std::size_t>(b)];
    body.has_parameters = b >= chain.num_massless;
    if (body.has_parameters && (b - chain.num_massless) % 2 == 1) body.type = chain.other;
    if (b == robot.num_bodies() - 1 && body.type == JointType::revolute) body.type = chain.last;
    if (body.type == JointType::helical) body.pitch = 0.1;
    if (chain.num_coordinates > 0) body.coordinate = b % chain.num_coordinates;
  }
  if (chain.num_coordinates > 0)
    robot.coordinates.resize(static_cast<std::size_t>(chain.num_coordinates));
  std::vector<Column> columns;
  for (int k = 0; k < chain.num_columns; ++k) {
    Column column;
    column.name = "friction " + std::to_string(k);
    column.terms = {{0, core::Feature::tanh_velocity, 0, 0.05 * (k + 1)}};
    columns.push_back(column);
  }
  return std::make_shared<const Robotic>(robot, columns, num_samples, seed);
}

RoboticPtr without_torque(const RoboticPtr& robotic) {
  return changed(
      robotic, [](Samples& samples) { samples.torque.resize(0, 0), samples.weight.resize(0, 0); });
}

RoboticPtr without_weights(const RoboticPtr& robotic) {
  return changed(robotic, [](Samples& samples) { samples.weight.resize(0, 0); });
}

DeviceTask task_of_backend(std::string name, double tolerance, const OnBackend& on_backend,
                           const MakeBackend& make) {
  const auto cpu = make_backend({.kind = BackendKind::cpu, .threads = 1});
  return {std::move(name),
          [on_backend, make](int runs) -> Result<Numbers> {
            HEFT_TRY(backend, make());
            Result<Numbers> last = Numbers{};
            for (int run = 0; run < runs; ++run) last = on_backend(*backend);
            return last;
          },
          *on_backend(**cpu), tolerance};
}

OnBackend sums(RoboticPtr robotic, const AccumulateOptions& options, int begin, int chunk) {
  return [=](Backend& backend) -> Result<Numbers> {
    const Samples& samples = robotic->data.samples;
    const AccumulateJob job{robotic->plan.get(),    &samples, begin,
                            samples.size() - begin, chunk,    &options};
    Numbers partials;
    HEFT_CHECK(backend.accumulate({&job, 1}, {&partials, 1}));
    return partials;
  };
}

OnBackend sums_of_rows(RoboticPtr robotic, int chunk) {
  return [=](Backend& backend) -> Result<Numbers> {
    const RowsJob job{robotic->plan.get(), robotic->rows, kFirstRow,
                      robotic->rows.front().rows() - kFirstRow, chunk};
    Numbers partials;
    HEFT_CHECK(backend.accumulate_rows({&job, 1}, {&partials, 1}));
    return partials;
  };
}

OnBackend rows(RoboticPtr robotic) {
  return [=](Backend& backend) -> Result<Numbers> {
    std::vector<RowArray> arrays;
    HEFT_CHECK(backend.evaluate_rows(*robotic->plan, robotic->data.samples, arrays));
    Numbers numbers;
    for (const RowArray& array : arrays) append(numbers, array.reshaped());
    return numbers;
  };
}

OnBackend torques(RoboticPtr robotic) {
  return [=](Backend& backend) -> Result<Numbers> {
    const RegressorPlan& plan = *robotic->plan;
    const Samples& samples = robotic->data.samples;
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(plan.layout.num_parameters(), -1, 2);
    Eigen::ArrayXXd torque = Eigen::ArrayXXd::Constant(samples.size(), plan.num_channels(), NAN);
    const PredictJob job{&plan, &samples, &x};
    HEFT_CHECK(backend.predict({&job, 1}, {&torque, 1}));
    Numbers numbers;
    append(numbers, torque.reshaped());
    return numbers;
  };
}

OnBackend motion_sums(RoboticPtr robotic, const GeneratedMotion& motion,
                      const AccumulateOptions& options, int num_samples, int chunk) {
  return [=](Backend& backend) -> Result<Numbers> {
    const AccumulateJob job{robotic->plan.get(), nullptr, 0, num_samples, chunk, &options, &motion};
    Numbers partials;
    HEFT_CHECK(backend.accumulate({&job, 1}, {&partials, 1}));
    return partials;
  };
}

GeneratedMotion fourier_motion(const Robotic& robotic, int num_harmonics, int num_samples) {
  oracle::Random random(6);
  const int n = robotic.plan->robot.num_coordinates();
  FourierMotion motion{.frequency = 1.3, .begin = 5, .step = 0.02, .num_samples = num_samples};
  motion.center.resize(n), motion.sine.resize(num_harmonics, n),
      motion.cosine.resize(num_harmonics, n);
  fill(motion.center, 1, random), fill(motion.sine, 0.3, random), fill(motion.cosine, 0.3, random);
  return motion;
}

GeneratedMotion spline_motion(const Robotic& robotic, int num_samples) {
  constexpr int kIntervals = 9;
  oracle::Random random(7);
  SplineMotion motion{.interval = 0.31, .begin = 0.07, .num_samples = num_samples};
  motion.step = (motion.interval * kIntervals - motion.begin) / (num_samples - 1);
  motion.control.resize(kIntervals + 5, robotic.plan->robot.num_coordinates());
  fill(motion.control, 0.8, random);
  return motion;
}

AccumulateOptions summed(const Robotic& robotic, core::Precision precision) {
  AccumulateOptions options{.precision = precision};
  options.channel_weights.setLinSpaced(robotic.plan->num_channels(), 0.5, 2);
  return options;
}

DeviceTask rows_of_some_channels(RoboticPtr robotic) {
  const RegressorPlan& plan = *robotic->plan;
  const Samples& samples = robotic->data.samples;
  const int first = 1, last = plan.num_channels() - 1;
  std::vector<RowArray> all;
  const auto cpu = make_backend({.kind = BackendKind::cpu, .threads = 1});
  static_cast<void>(*(*cpu)->evaluate_rows(plan, samples, all));
  Numbers expected;
  for (int c = first; c < last; ++c) {
    append(expected, Eigen::ArrayXXd(all[static_cast<std::size_t>(c)]).reshaped());
    expected.resize(expected.size() + static_cast<std::size_t>(samples.size()), 0.0);
  }
  const auto run = [robotic, last](int runs) -> Result<Numbers> {
    HEFT_TRY(device, cuda::make_cuda_device());
    cuda::TransferPipeline pipeline(*device, std::int64_t{1} << 28, 2);
    Result<Numbers> all_runs = Numbers{};
    for (int k = 0; k < runs; ++k) {
      std::int64_t width = 0;
      for (int c = first; c < last; ++c) width += robotic->plan->channel_entries[c].width;
      Numbers numbers(static_cast<std::size_t>(width * robotic->data.samples.size()));
      cuda::DeviceBatch batch(1);
      HEFT_CHECK(batch.add_rows(*robotic->plan, robotic->data.samples, first, last));
      HEFT_CHECK(batch.run(*device, pipeline, [&](const cuda::Piece& piece, const double* result) {
        std::copy_n(result, width * piece.count, numbers.begin() + width * piece.begin);
      }));
      all_runs = std::move(numbers);
    }
    return all_runs;
  };
  return {"rows of some channels", run, expected, kDouble};
}

}  // namespace heft::testing
