// Charts and rows of mechanics by threads of a device (tests/charts/charts_on_device.cu) compared
// with the same headers compiled for the host, which tests/charts and tests/mechanics compare with
// other formulas. The remainder is the order of roundings: devices fuse multiplications and
// additions, and have other logarithms.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>
#include <string>

#include "heft/charts/chart.hpp"
#include "heft/mechanics/mechanics.hpp"
#include "heft/model/robot.hpp"
#include "linalg/factorizations.hpp"
#include "model/mechanics_tables.hpp"
#include "tests/device_on_host/kernel_run.hpp"
#include "tests/mechanics/states.hpp"

namespace heft::device_on_host {

const Module& module_charts_on_device();

namespace {

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  return {begin, begin + sizeof(T)};
}

/// Runs the kernel with that word in its name, blocks of 64 threads.
bool run_threads(const std::string& word, int num_threads,
                 std::vector<std::vector<std::byte>> parameters) {
  const Module& module = module_charts_on_device();
  for (const Kernel& kernel : module.kernels) {
    if (std::string(kernel.symbol).find(word) == std::string::npos) continue;
    const auto blocks = static_cast<std::uint32_t>((num_threads + 63) / 64);
    return run({&module, &kernel, {blocks, 1, 1}, {64, 1, 1}, 0, std::move(parameters)}, {});
  }
  return false;
}

constexpr int kBodies = 100;  // the last block is not full

/// A column a number: of all charts the same numbers, mass, center of mass, unit quaternion and
/// moments to the manifold.
Eigen::ArrayXXd random_points(std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, 0.4);
  std::uniform_real_distribution<double> positive(0.2, 1.5);
  Eigen::ArrayXXd points(kBodies, 11);
  for (double& number : points.reshaped()) number = normal(random);
  for (int i = 0; i < kBodies; ++i) {
    points(i, 0) = positive(random);
    for (int k = 8; k < 11; ++k) points(i, k) = positive(random);
    points.row(i).segment<4>(4) /= points.row(i).segment<4>(4).matrix().norm();
  }
  return points;
}

std::vector<double> flat(const Eigen::ArrayXXd& columns) {
  return {columns.data(), columns.data() + columns.size()};
}

/// To 1e-12 of the largest: points and bodies of the size of 1, whose inverses lose two digits.
void expect_near(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs) {
  ASSERT_EQ(ours.rows(), theirs.rows());
  ASSERT_EQ(ours.cols(), theirs.cols());
  ASSERT_TRUE(ours.allFinite());
  EXPECT_LE((ours - theirs).cwiseAbs().maxCoeff(), 1e-12 * theirs.cwiseAbs().maxCoeff());
}

TEST(ChartsOnDevice, MapInverseGradientAndJacobianAsOnTheHost) {
  std::mt19937_64 random(3);
  const Eigen::ArrayXXd points = random_points(random);
  Eigen::ArrayXXd g(kBodies, 10);
  std::normal_distribution<double> normal;
  for (double& number : g.reshaped()) number = normal(random);
  BodyParameters prior;
  prior << 2, 0.2, -0.1, 0.3, 0.5, 0.02, 0.6, -0.01, 0.03, 0.7;
  const Eigen::Matrix4d factor = pseudo_inertia(prior).llt().matrixL();
  std::vector<double> L(16);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) L[static_cast<std::size_t>(4 * i + j)] = factor(i, j);

  const DeviceArray d_L(L), d_points(flat(points)), d_g(flat(g)),
      d_out(93 * kBodies * sizeof(double));
  ASSERT_TRUE(run_threads("charts_kernel", kBodies,
                          {bytes_of(d_L.address()), bytes_of(d_points.address()),
                           bytes_of(d_g.address()), bytes_of(d_out.address()), bytes_of(kBodies)}));
  EXPECT_TRUE(findings().take().empty());
  const std::vector<double> numbers = d_out.read<double>(93 * kBodies);
  const Eigen::Map<const Eigen::ArrayXXd> out(numbers.data(), kBodies, 93);
  int at = 0;
  for (const ChartKind kind :
       {ChartKind::log_cholesky, ChartKind::exponential_at_prior, ChartKind::manifold}) {
    const BodyChart chart = *BodyChart::make(kind, prior);
    for (int i = 0; i < kBodies; ++i) {
      const Eigen::VectorXd point = points.row(i).head(chart.num_numbers()).matrix().transpose();
      const BodyParameters pi = chart.parameters(point), by_pi = g.row(i).matrix().transpose();
      expect_near(out.row(i).segment<10>(at).matrix(), pi.transpose());
      expect_near(out.row(i).segment<10>(at + 10).matrix(),
                  chart.gradient(point, by_pi).transpose());
      expect_near(out.row(i).segment<10>(at + 20).matrix(),
                  chart.point(pi).numbers.head<10>().transpose());
      const ChartJacobian J = chart.jacobian(point);
      EXPECT_NEAR(out(i, at + 30), J.sum(), 1e-12 * J.cwiseAbs().sum());
    }
    at += 31;
  }
}

class RowsOnDevice : public ::testing::TestWithParam<int> {};

TEST_P(RowsOnDevice, EveryKindAsOnTheHost) {
  constexpr int kStates = 70;
  const Robot robot = oracle::random_robot({.min_bodies = 2, .max_bodies = 5}, GetParam());
  const Mechanics mechanics = *Mechanics::make(robot);
  const RegressorPlan& plan = mechanics.plan();
  const MechanicsTables tables(plan);
  const DeviceArray bodies(plan.bodies), screws(plan.screws), rows(plan.rows),
      axes(tables.body_axes);
  core::MechanicsTree tree{plan.view(), reinterpret_cast<const double*>(axes.address())};
  tree.tree.bodies = reinterpret_cast<const core::BodyEntry*>(bodies.address());
  tree.tree.screws = reinterpret_cast<const core::ScrewEntry*>(screws.address());
  tree.tree.rows = reinterpret_cast<const core::RowEntry*>(rows.address());

  const DeviceArray d_tree(std::vector{tree}), d_base(std::vector{standing_base(robot)});
  oracle::Random random(static_cast<std::uint64_t>(GetParam()) + 5);
  const int n = robot.num_coordinates();
  std::vector<double> states;
  for (int s = 0; s < kStates; ++s) {
    const Eigen::VectorXd state = testing::random_state(robot, random).all();
    states.insert(states.end(), state.begin(), state.end());
  }
  const DeviceArray d_states(states),
      memory(static_cast<std::size_t>(kStates * core::mechanics_workspace_size(tree.tree)) *
             sizeof(double));
  const Eigen::Map<const Eigen::MatrixXd> columns(states.data(), 3 * n, kStates);
  const auto view = [&](int first) {
    return ArrayView{columns.data() + first, kStates, n, 3 * n, 1};
  };
  for (const auto& entry : EnumNames<MechanicsRow>::kList) {
    const MechanicsRow kind = entry.value;
    const int num_rows = mechanics.num_rows(kind), width = 10 * tree.tree.num_bodies;
    const std::size_t size = static_cast<std::size_t>(kStates) * num_rows * width;
    // what no body turns stays zero
    const DeviceArray d_rows(std::vector<double>(size, 0.0));
    ASSERT_TRUE(run_threads("mechanics_kernel", kStates,
                            {bytes_of(d_tree.address()), bytes_of(d_base.address()), bytes_of(kind),
                             bytes_of(d_states.address()), bytes_of(memory.address()),
                             bytes_of(d_rows.address()), bytes_of(num_rows), bytes_of(kStates)}))
        << entry.name;
    EXPECT_TRUE(findings().take().empty()) << entry.name;
    const std::vector<double> numbers = d_rows.read<double>(size);
    std::vector<double> expected(static_cast<std::size_t>(kStates) * num_rows *
                                 mechanics.num_parameters());
    ASSERT_TRUE(
        mechanics.put_rows(kind, {view(0), view(n), view(2 * n)}, 0, kStates, expected.data())
            .ok());
    const int num_parameters = mechanics.num_parameters();
    double largest = 0, difference = 0;
    for (const double number : expected) largest = std::max(largest, std::abs(number));
    for (int row = 0; row < kStates * num_rows; ++row)
      for (int body = 0; body < tree.tree.num_bodies; ++body)
        for (int k = 0; k < 10; ++k) {
          const int first = tables.first_parameter[static_cast<std::size_t>(body)];
          if (first < 0) continue;
          const double ours = numbers[static_cast<std::size_t>(row * width + 10 * body + k)];
          ASSERT_TRUE(std::isfinite(ours));
          difference = std::max(
              difference,
              std::abs(ours -
                       expected[static_cast<std::size_t>(row * num_parameters + first + k)]));
        }
    ASSERT_GT(largest, 0) << entry.name;
    EXPECT_LE(difference, 1e-13 * largest) << entry.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, RowsOnDevice, ::testing::Range(0, 6));

}  // namespace
}  // namespace heft::device_on_host
