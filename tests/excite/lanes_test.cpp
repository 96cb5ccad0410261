// The kernels of every instruction set of this machine, compared with dense matrices in Eigen and
// the C library; a block of samples is a part of the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"
#include "branched.hpp"
#include "heft/executor/executor.hpp"
#include "host/applications/excite/beliefs.hpp"
#include "host/applications/excite/kernels.hpp"

namespace heft::excite {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Lanes : public testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    const std::vector<InstructionSet> sets = available_instruction_sets();
    if (std::find(sets.begin(), sets.end(), GetParam()) == sets.end())
      GTEST_SKIP() << "not of this processor";
  }
  static const Kernels& kernels() {
    if (GetParam() == InstructionSet::avx512) return kAvx512Kernels;
    return GetParam() == InstructionSet::avx2 ? kAvx2Kernels : kBaselineKernels;
  }
  MatrixXd noise(Index rows, Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return random_.normal(); });
  }

  RandomStream random_{7};
};

TEST_P(Lanes, ProductsAreThoseOfMatrices) {
  const Index count = 2 * kernels().group, stride = 3 * kernels().group;
  for (const int width : {1, 3, 6, 7, 13}) {
    MatrixXd y = noise(stride, width), z = noise(stride, width);
    const MatrixXd before = z, Y = y.topRows(count), factor = noise(width, width), Z = Y * factor;
    const ChannelColumns of_y{y.data(), stride, width}, of_z{z.data(), stride, width};
    RowMajor gram = RowMajor::Constant(width, width, 2);
    kernels().gram(of_y, count, gram.data());
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j)
        EXPECT_NEAR(gram(i, j), j <= i ? 2 + Y.col(i).dot(Y.col(j)) : 2,
                    1e-12 * static_cast<double>(count));
    const RowMajor rows = factor;
    kernels().times(of_y, count, rows.data(), of_z);
    EXPECT_LT((z.topRows(count) - Z).cwiseAbs().maxCoeff(), 1e-13 * width);
    EXPECT_EQ(z.bottomRows(stride - count), before.bottomRows(stride - count));

    const VectorXd weights = noise(width, 1), by = noise(count, 1);
    VectorXd sum = VectorXd::Constant(count, NAN);
    kernels().weighted(of_y, count, weights.data(), sum.data());
    EXPECT_LT((sum - Y * weights).cwiseAbs().maxCoeff(), 1e-13 * width);
    kernels().product(of_y, count, of_z, sum.data());
    EXPECT_LT((sum - Y.cwiseProduct(Z).rowwise().sum()).cwiseAbs().maxCoeff(), 1e-12 * width);
    kernels().add_weighted(of_z, count, weights.data(), by.data());
    EXPECT_LT((z.topRows(count) - Z - by * weights.transpose()).cwiseAbs().maxCoeff(),
              1e-13 * width);
    kernels().add_product(of_z, count, of_y, by.data());
    EXPECT_LT((z.topRows(count) - Z - by * weights.transpose() - by.asDiagonal() * Y)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-12 * width);
  }
}

TEST_P(Lanes, MotionsAreSumsOfTheirFunctions) {
  constexpr int kWidth = 3, kSamples = 11, kRows = 8;
  for (const int n : {1, 4, 9}) {
    const int padded = (n + kernels().lanes - 1) / kernels().lanes * kernels().lanes;
    std::vector<int> first;
    MatrixXd functions = MatrixXd::Zero(kSamples, kRows);
    const RowMajor phi = noise(kSamples, kWidth);
    for (int s = 0; s < kSamples; ++s) {
      first.push_back(s * (kRows - kWidth) / (kSamples - 1));
      functions.block(s, first.back(), 1, kWidth) = phi.row(s);
    }
    const BasisColumns basis{first.data(), phi.data(), kWidth, kSamples};
    RowMajor C = RowMajor::Zero(kRows, padded);
    C.leftCols(n) = noise(kRows, n);
    MatrixXd values = MatrixXd::Constant(kSamples + 2, n, 5);
    kernels().move(basis, C.data(), n, values.data(), kSamples + 2);
    EXPECT_LT((values.topRows(kSamples) - functions * C.leftCols(n)).cwiseAbs().maxCoeff(),
              1e-14 * 10);
    EXPECT_EQ(values.bottomRows(2), MatrixXd::Constant(2, n, 5));
    const MatrixXd by = noise(kSamples + 2, n);
    RowMajor slope = C;
    kernels().move_back(basis, by.data(), kSamples + 2, n, slope.data());
    EXPECT_LT((slope.leftCols(n) - C.leftCols(n) - functions.transpose() * by.topRows(kSamples))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-14 * 10);
  }
}

/// Friction of every joint at velocities of any size, by the C library's tangent.
TEST_P(Lanes, FrictionIsTheTangent) {
  const Robot robot = branched();
  BeliefOptions options;
  options.columns = {{.kind = "viscous"}, {.kind = "coulomb", .tanh_width = 0.03}};
  const auto plan = make_excitation_plan(robot, options);
  ASSERT_TRUE(plan);
  const Index n = robot.num_coordinates(), samples = 16 * kernels().group;
  ArrayXXd motion = ArrayXXd::Zero(samples, 3 * n);
  for (Index s = 0; s < samples; ++s)
    for (Index k = 0; k < n; ++k)
      motion(s, n + k) = (s % 2 == 0 ? 1 : -1) * std::pow(10, random_.uniform(-12, 4));
  motion(3, n) = 0;
  motion(5, n + 1) = 0.03 * 20;
  std::vector<int> first{0};
  for (const std::vector<int>& columns : (*plan)->channel_columns)
    first.push_back(first.back() + static_cast<int>(columns.size()));
  ArrayXXd rows = ArrayXXd::Zero(samples, first.back());
  const MotionColumns columns{
      motion.data(), motion.data() + samples * n, motion.data() + 2 * samples * n, samples, {}};
  kernels().rows((*plan)->view(), columns, {rows.data(), samples, first.data()}, samples);
  int tangents = 0;
  for (const core::FeatureEntry& entry : (*plan)->features) {
    if (entry.feature != core::Feature::tanh_velocity) continue;
    ++tangents;
    for (Index s = 0; s < samples; ++s) {
      const double x = motion(s, n + entry.source) / 0.03;
      EXPECT_NEAR(rows(s, first[entry.channel] + entry.column), std::tanh(x), 4e-16) << x;
    }
  }
  EXPECT_EQ(tangents, n);
}

INSTANTIATE_TEST_SUITE_P(Sets, Lanes,
                         testing::Values(InstructionSet::avx512, InstructionSet::avx2,
                                         InstructionSet::baseline),
                         [](const auto& each) { return std::string(name(each.param)); });

}  // namespace
}  // namespace heft::excite
