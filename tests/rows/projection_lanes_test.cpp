// Projectors of every instruction set compared with the pseudoinverse, and their products with
// dense ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/widest.hpp"
#include "host/dynamics/rows/projection_kernels.hpp"
#include "linalg/factorizations.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

std::vector<const projection::Kernels*> all_kernels() {
  std::vector<const projection::Kernels*> all = {&projection::kBaselineKernels};
  if (processor_has_avx2()) all.push_back(&projection::kAvx2Kernels);
  if (processor_has_avx512()) all.push_back(&projection::kAvx512Kernels);
  return all;
}

class ProjectionLanes : public ::testing::TestWithParam<int> {
 protected:
  static constexpr int kChannels = 13, kDirections = 7, kSamples = kSignalLanes;
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  ProjectionLanes() : random_(static_cast<std::uint64_t>(GetParam())) {
    for (double& s : noise_) s = std::exp(random_.normal());
    for (Eigen::MatrixXd& D : directions_) {
      D = Eigen::MatrixXd::NullaryExpr(kChannels, kDirections, [this] { return random_.normal(); });
      D.col(3).setZero();  // does not act
      D.col(5) = D.col(1) - 2 * D.col(4);
    }
  }

  /// S N S^-1 of every sample by a set of kernels.
  std::vector<double> projectors(const projection::Kernels& kernels) const {
    std::vector<double> packed(kDirections * kChannels * kSignalLanes);
    for (int i = 0; i < kSamples; ++i)
      for (int k = 0; k < kDirections; ++k)
        for (int c = 0; c < kChannels; ++c)
          packed[(k * kChannels + c) * kSignalLanes + i] = directions_[i](c, k);
    std::vector<double> made(kSamples * kChannels * kChannels, kNaN);
    kernels.make_projectors(packed.data(), kChannels, kDirections, noise_.data(), made.data());
    return made;
  }

  Eigen::MatrixXd expected_projector(int sample) const {
    const Eigen::MatrixXd& D = directions_[sample];
    const Eigen::MatrixXd inverse = D.completeOrthogonalDecomposition().pseudoInverse();
    const Eigen::Map<const Eigen::VectorXd> s(noise_.data(), kChannels);
    return s.asDiagonal() * (Eigen::MatrixXd::Identity(kChannels, kChannels) - D * inverse) *
           s.cwiseInverse().asDiagonal();
  }

  oracle::Random random_;
  std::vector<double> noise_ = std::vector<double>(kChannels);
  std::vector<Eigen::MatrixXd> directions_ = std::vector<Eigen::MatrixXd>(kSamples);
};

TEST_P(ProjectionLanes, MakeProjectors) {
  for (const projection::Kernels* kernels : all_kernels()) {
    const std::vector<double> made = projectors(*kernels);
    for (int i = 0; i < kSamples; ++i) {
      const Eigen::Map<const Eigen::MatrixXd> M(made.data() + i * kChannels * kChannels, kChannels,
                                                kChannels);
      const Eigen::MatrixXd expected = expected_projector(i);
      EXPECT_LE((M - expected).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
                1e-11 * expected.cwiseAbs().maxCoeff());
    }
  }
}

TEST_P(ProjectionLanes, ProjectTheColumnsOfSomeChannels) {
  const std::vector<int> sources = {0, 4, 5, 11};
  std::vector<double> given(sources.size() * kSamples * kSignalLanes);
  for (double& value : given) value = random_.normal();
  std::vector<unsigned char> acts(kSamples, 1);
  acts[2] = 0;
  for (const projection::Kernels* kernels : all_kernels()) {
    const std::vector<double> made = projectors(*kernels);
    std::vector<double> projected(kChannels * kSamples * kSignalLanes, kNaN);
    constexpr std::ptrdiff_t kStride = kSamples * kSignalLanes;
    kernels->project({made.data(), acts.data(), kChannels, kSamples, given.data(), kStride,
                      sources.data(), static_cast<int>(sources.size()), projected.data(), kStride});
    for (int i = 0; i < kSamples; ++i) {
      Eigen::MatrixXd values = Eigen::MatrixXd::Zero(kChannels, kSignalLanes);
      for (std::size_t s = 0; s < sources.size(); ++s)
        for (int lane = 0; lane < kSignalLanes; ++lane)
          values(sources[s], lane) = given[(s * kSamples + i) * kSignalLanes + lane];
      const Eigen::MatrixXd expected = acts[i] == 0 ? values : expected_projector(i) * values;
      for (int c = 0; c < kChannels; ++c)
        for (int lane = 0; lane < kSignalLanes; ++lane)
          EXPECT_NEAR(projected[(c * kSamples + i) * kSignalLanes + lane], expected(c, lane),
                      acts[i] == 0 ? 0 : 1e-11 * expected.cwiseAbs().maxCoeff());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ProjectionLanes, ::testing::Range(1, 5));

}  // namespace
}  // namespace heft
