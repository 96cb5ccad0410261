// Sums by cuBLAS (bench/device), the reference for the speed of fused ones: equal to the CPU's for
// parts and transfers of any length, with errors for unsupported input. orders_test and faults_test
// include them.
#include <gtest/gtest.h>

#include "bench/device/device_bench.hpp"
#include "heft/executor/executor.hpp"
#include "tests/device_on_host/robotic_work.hpp"

namespace heft {
namespace {

using testing::RoboticPtr;

/// Two jobs on one robot, per channel in chunks and summed, from the middle of the log on.
class PlainForm : public ::testing::Test {
 protected:
  const RoboticPtr robotic_ = testing::everything(3, true, 300, 7);
  const AccumulateOptions summed_ = testing::summed(*robotic_, core::Precision::fp64);
  const AccumulateOptions single_{.precision = core::Precision::fp32};
  const AccumulateJob per_channel_{robotic_->plan.get(), &robotic_->data.samples, 0, 300, 128};
  const AccumulateJob all_channels_{
      robotic_->plan.get(), &robotic_->data.samples, 20, 280, 1 << 20, &summed_};

  static std::vector<std::vector<double>> sums(Backend& backend,
                                               std::span<const AccumulateJob> jobs) {
    std::vector<std::vector<double>> partials(jobs.size());
    const auto done = backend.accumulate(jobs, partials);
    EXPECT_TRUE(done.ok()) << done.error().message();
    return partials;
  }
};

TEST_F(PlainForm, GivesTheSameSums) {
  const std::vector<AccumulateJob> jobs{per_channel_, all_channels_};
  const auto expected = sums(**make_backend({.kind = BackendKind::cpu, .threads = 1}), jobs);
  for (const PlainFormOptions& options : {PlainFormOptions{},
                                          {.part_bytes = 1},
                                          {.part_bytes = 100'000, .transfer_bytes = 1},
                                          {.part_bytes = 100'000, .transfer_bytes = 500'000}}) {
    auto backend = make_plain_form(options);
    ASSERT_TRUE(backend.ok()) << backend.error().message();
    for (int run = 0; run < 2; ++run) {
      const auto actual = sums(**backend, jobs);
      for (std::size_t j = 0; j < jobs.size(); ++j) {
        const auto size = static_cast<Eigen::Index>(expected[j].size());
        ASSERT_EQ(actual[j].size(), expected[j].size());
        const Eigen::Map<const Eigen::VectorXd> a(actual[j].data(), size),
            e(expected[j].data(), size);
        EXPECT_LE((a - e).norm(), 1e-13 * e.norm()) << j << ", parts of " << options.part_bytes;
      }
    }
  }
}

TEST_F(PlainForm, RefusesUnsuitableProblems) {
  auto backend = std::move(*make_plain_form());
  AccumulateJob single = per_channel_, moving = per_channel_;
  single.options = &single_;
  const GeneratedMotion motion = testing::fourier_motion(*robotic_, 3, 300);
  moving.samples = nullptr, moving.motion = &motion;
  for (const AccumulateJob& job : {single, moving}) {
    std::vector<std::vector<double>> partials(2);
    const std::vector<AccumulateJob> jobs{per_channel_, job};  // beside one that it knows, too
    const auto refused = backend->accumulate(jobs, partials);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().where, "backend cuda");
    EXPECT_EQ(refused.error().what,
              "the plain form takes samples and sums them in double precision");
    EXPECT_EQ(refused.error().remedy, "take the fused form");
  }
  std::vector<RowArray> rows;
  const auto refused = backend->evaluate_rows(*robotic_->plan, robotic_->data.samples, rows);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what, "the plain form makes sums of samples and nothing else");
}

}  // namespace
}  // namespace heft
