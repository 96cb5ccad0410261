// Shared memory of launches for moments: what blocks use, and no more than a device has; if that
// does not suffice, kernels that have only the workspace there. The host's device fails if a block
// writes beyond its own.
#include <gtest/gtest.h>

#include <vector>

#include "heft/executor/executor.hpp"
#include "kernels/moments/block_memory.hpp"
#include "kernels/moments/moments_engine.hpp"
#include "tests/conformance/forwarding_device.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using cuda::Kernel;
using cuda::kMaxSharedBytes;

/// A launch of moments of one job.
struct MomentsLaunch {
  bool is_large;  ///< the kernel whose rows are in global memory
  std::int64_t given, needed, of_bodies, of_workspace;  ///< bytes; of what is needed for all

  /// Whether the tables of bodies are what does not fit.
  bool is_decided_by_bodies() const {
    return needed > kMaxSharedBytes && needed - of_bodies <= kMaxSharedBytes;
  }
};

class RecordingDevice : public testing::ForwardingDevice {
 public:
  explicit RecordingDevice(std::vector<MomentsLaunch>* launches) : launches_(launches) {}

  Result<Done> launch(const cuda::Launch& launch) override {
    const Kernel kernel = launch.kernel;
    const bool is_single = kernel == Kernel::moments_fp32 || kernel == Kernel::large_moments_fp32;
    cuda::DeviceJob job = launch.jobs[launch.tasks[0].job];
    job.tiles.is_wide = false;  // one slab at a time
    const std::int64_t scalar_size = is_single ? sizeof(float) : sizeof(double);
    launches_->push_back(
        {kernel == Kernel::large_moments_fp64 || kernel == Kernel::large_moments_fp32,
         launch.shared_bytes,
         is_single ? cuda::SlabMemory<float>(job, nullptr).num_bytes
                   : cuda::SlabMemory<double>(job, nullptr).num_bytes,
         static_cast<std::int64_t>(sizeof(core::BodyEntry)) *
             cuda::SlabMemory<double>::num_share_bodies(job),
         job.share_workspace * cuda::kThreads * scalar_size});
    return ForwardingDevice::launch(launch);
  }

 private:
  std::vector<MomentsLaunch>* launches_;
};

/// An arm of so many joints, without columns or with all kinds of them.
PlanPtr arm(int num_joints, bool has_columns) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = num_joints;
  Robot robot = oracle::random_robot(options, 3);
  for (std::size_t b = 0; b < robot.bodies.size(); ++b)
    robot.bodies[b].parent = static_cast<int>(b) - 1;
  const std::vector<Channel> channels = default_channels(robot);
  return *make_regressor_plan(
      robot, channels,
      has_columns ? testing::columns_of_every_kind(robot, channels) : std::vector<Column>{});
}

/// Seven joints with all columns are what counting the tables of bodies decides about.
TEST(SharedMemory, MatchesTheUseOfBlocksAndTheLimitOfDevices) {
  constexpr int kSamples = 40;
  const auto by_cpu = std::move(*make_backend({.kind = BackendKind::cpu, .threads = 1}));
  int small = 0, large = 0, decided_by_bodies = 0;
  for (const int num_joints : {1, 7, 10})
    for (const bool has_columns : {false, true}) {
      const PlanPtr plan = arm(num_joints, has_columns);
      const testing::RandomSamples data = testing::random_samples(*plan, kSamples, 5);
      for (const core::Precision precision : {core::Precision::fp64, core::Precision::fp32})
        for (const bool is_summed : {false, true}) {
          AccumulateOptions options{.precision = precision};
          if (is_summed) options.channel_weights.setOnes(plan->num_channels());
          const AccumulateJob job{plan.get(), &data.samples, 0, kSamples, kSamples, &options};
          std::vector<MomentsLaunch> launches;
          const auto engine =
              cuda::make_device_backend(std::make_unique<RecordingDevice>(&launches));
          std::vector<double> sums, expected;
          const auto done = engine->accumulate({&job, 1}, {&sums, 1});
          ASSERT_TRUE(done.ok()) << done.error().message();
          ASSERT_TRUE(by_cpu->accumulate({&job, 1}, {&expected, 1}).ok());
          const auto size = static_cast<Eigen::Index>(expected.size());
          ASSERT_EQ(sums.size(), expected.size());
          const Eigen::Map<const Eigen::VectorXd> a(sums.data(), size), e(expected.data(), size);
          EXPECT_LE((a - e).norm(), (precision == core::Precision::fp64 ? 1e-13 : 1e-5) * e.norm());
          ASSERT_EQ(launches.size(), 1u);
          const MomentsLaunch& launch = launches.front();
          EXPECT_EQ(launch.is_large, launch.needed > kMaxSharedBytes) << num_joints;
          EXPECT_EQ(launch.given, !launch.is_large                         ? launch.needed
                                  : launch.of_workspace <= kMaxSharedBytes ? launch.of_workspace
                                                                           : 0)
              << num_joints;
          (launch.is_large ? large : small) += 1;
          decided_by_bodies += launch.is_decided_by_bodies();
        }
    }
  EXPECT_GT(small, 0);
  EXPECT_GT(large, 0);
  EXPECT_GT(decided_by_bodies, 0);
}

}  // namespace
}  // namespace heft
