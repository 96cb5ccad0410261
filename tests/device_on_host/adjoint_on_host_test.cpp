// Rows of motions and their adjoint by threads of a device (tests/excite/adjoint_on_device.cu)
// compared with the lanes of the CPU, which tests/excite compares with differences. The remainder
// is the order of roundings: devices fuse multiplications and additions.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "heft/core/row_adjoint.hpp"
#include "host/applications/excite/beliefs.hpp"
#include "host/applications/excite/kernels.hpp"
#include "tests/device_on_host/kernel_run.hpp"
#include "tests/excite/branched.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::device_on_host {

const Module& module_adjoint_on_device();

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  return {begin, begin + sizeof(T)};
}

std::vector<double> flat(const ArrayXXd& columns) {
  return {columns.data(), columns.data() + columns.size()};
}

class AdjointOnDevice : public ::testing::TestWithParam<int> {
 protected:
  /// Motions are of robots whose base is held.
  static Robot robot() {
    if (GetParam() == 0) return excite::branched();
    for (auto seed = static_cast<std::uint64_t>(100 * GetParam());; ++seed)
      if (Robot made = oracle::random_robot({.min_bodies = 2, .max_bodies = 6}, seed);
          !made.floating_base)
        return made;
  }
};

TEST_P(AdjointOnDevice, RowsAndGradientAsInLanes) {
  const Robot of = robot();
  const auto plan = excite::make_excitation_plan(of, {});
  ASSERT_TRUE(plan) << plan.error().message();
  const core::TreeView tree = (*plan)->view();
  const excite::Kernels& lanes = excite::widest_kernels();
  const Index samples = 3 * lanes.group,
              n = of.num_coordinates();  // blocks of 64 threads: the last is not full
  std::vector<int> first{0};
  for (const std::vector<int>& columns : (*plan)->channel_columns)
    first.push_back(first.back() + static_cast<int>(columns.size()));
  oracle::Random random(static_cast<std::uint64_t>(GetParam()) + 17);
  const auto noise = [&](Index columns) {
    return ArrayXXd::NullaryExpr(samples, columns, [&] { return random.normal(); }).eval();
  };
  const ArrayXXd motion = noise(3 * n), bars = noise(first.back());
  excite::MotionColumns columns{
      motion.data(), motion.data() + samples * n, motion.data() + 2 * samples * n, samples, {}};
  for (int i = 0; i < 3; ++i) columns.base[6 + i] = -of.gravity[i];
  ArrayXXd rows = ArrayXXd::Zero(samples, first.back()), gradient = ArrayXXd::Zero(samples, 3 * n);
  lanes.rows(tree, columns, {rows.data(), samples, first.data()}, samples);
  lanes.adjoint(tree, columns, {rows.data(), samples, first.data()},
                {bars.data(), samples, first.data()}, samples, gradient.data(),
                gradient.data() + samples * n, gradient.data() + 2 * samples * n);

  const RegressorPlan& tables = **plan;
  const DeviceArray bodies(tables.bodies), screws(tables.screws), row_entries(tables.rows),
      runs(tables.runs), features(tables.features), channels(tables.channel_entries),
      d_first(first);
  core::TreeView on_device = tree;
  on_device.bodies = reinterpret_cast<const core::BodyEntry*>(bodies.address());
  on_device.screws = reinterpret_cast<const core::ScrewEntry*>(screws.address());
  on_device.rows = reinterpret_cast<const core::RowEntry*>(row_entries.address());
  on_device.runs = reinterpret_cast<const core::RowRun*>(runs.address());
  on_device.features = reinterpret_cast<const core::FeatureEntry*>(features.address());
  on_device.channels = reinterpret_cast<const core::ChannelEntry*>(channels.address());
  const auto workspace = static_cast<std::size_t>(
      samples *
      std::max<std::ptrdiff_t>(core::workspace_size(tree), core::adjoint_workspace_size(tree)));
  const DeviceArray d_tree(std::vector{on_device}),
      d_base(std::vector<double>(columns.base, columns.base + 9)), d_motion(flat(motion)),
      d_bars(flat(bars)), d_memory(workspace * sizeof(double)),
      d_rows(std::vector<double>(static_cast<std::size_t>(rows.size()), 0.0)),
      d_gradient(std::vector<double>(static_cast<std::size_t>(gradient.size()), 0.0));
  const Module& module = module_adjoint_on_device();
  ASSERT_EQ(module.kernels.size(), 1U);
  const int count = static_cast<int>(samples);
  ASSERT_TRUE(
      run({&module,
           &module.kernels[0],
           {static_cast<std::uint32_t>((count + 63) / 64), 1, 1},
           {64, 1, 1},
           0,
           {bytes_of(d_tree.address()), bytes_of(d_base.address()), bytes_of(d_motion.address()),
            bytes_of(d_first.address()), bytes_of(d_bars.address()), bytes_of(d_memory.address()),
            bytes_of(d_rows.address()), bytes_of(d_gradient.address()), bytes_of(count)}},
          {}));
  EXPECT_TRUE(findings().take().empty());
  const auto expect_near = [](const std::vector<double>& ours, const ArrayXXd& theirs) {
    const Eigen::Map<const ArrayXXd> numbers(ours.data(), theirs.rows(), theirs.cols());
    ASSERT_TRUE(numbers.allFinite());
    ASSERT_GT(theirs.abs().maxCoeff(), 0);
    EXPECT_LE((numbers - theirs).abs().maxCoeff(), 1e-12 * theirs.abs().maxCoeff());
  };
  expect_near(d_rows.read<double>(static_cast<std::size_t>(rows.size())), rows);
  expect_near(d_gradient.read<double>(static_cast<std::size_t>(gradient.size())), gradient);
}

INSTANTIATE_TEST_SUITE_P(Robots, AdjointOnDevice, ::testing::Range(0, 6));

}  // namespace
}  // namespace heft::device_on_host
