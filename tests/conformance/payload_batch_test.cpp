// Batches of payloads by an executor with a device, real or emulated on the host: the CPU's
// results, certified.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/random_stream.hpp"
#include "heft/executor/executor.hpp"
#include "heft/payload/payload.hpp"
#include "kernels/batch_cuda.hpp"
#include "tests/conformance/device_on_host.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

class PayloadsOnDevice : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::shared_ptr<DeviceBatchSolver> device;
    if (std::string(GetParam()) == "host") {
      device = std::make_shared<testing::HostBatchSolver>();
    } else if (auto cuda = make_cuda_batch_solver()) {
      device = std::move(*cuda);
    } else if (std::getenv("HEFT_REQUIRE_GPU")) {
      FAIL() << cuda.error().message();
    } else {
      GTEST_SKIP() << cuda.error().message();
    }
    executor_ = std::make_unique<Executor>(nullptr, device, 1);
    PayloadPriorOptions box;
    box.primitive = {PayloadPrimitive::Kind::box, {0.15, 0.15, 0.2}};
    box.pose = *pose_of({0, 0, 0.07, 0, 0, 0}, "");
    PayloadPriorOptions too_small = box;
    too_small.primitive->size *= 0.3;  // so that it is held less firmly
    shapes_ = {*read_payload_shape({}), *read_payload_shape(box), *read_payload_shape(too_small)};
    RandomStream random(5);
    for (int k = 0; k < 24; ++k) {
      Record record = shaken(1.5 + 0.05 * k);
      if (k == 7) record.wrench = -record.wrench;  // no mass above zero
      for (Eigen::Index i = 0; i < record.wrench.rows(); ++i)
        for (Eigen::Index c = 0; c < 6; ++c)
          record.wrench(i, c) += (c < 3 ? 0.05 : 0.001) * random.normal();  // shows what is too
                                                                            // small
      samples_.push_back(samples_of(record));
    }
    for (std::size_t k = 0; k < samples_.size(); ++k)
      tasks_.push_back({&samples_[k], &shapes_[k % 3]});
  }

  std::unique_ptr<Executor> executor_;
  std::vector<PayloadShape> shapes_;
  std::vector<WrenchSamples> samples_;
  std::vector<PayloadTask> tasks_;
};

TEST_P(PayloadsOnDevice, AnswersAreThoseOfTheCpuAndCertified) {
  const auto here = weigh_batch(tasks_, {}), there = weigh_batch(tasks_, {}, *executor_);
  ASSERT_TRUE(there.ok()) << there.error().message();
  ASSERT_EQ(there->size(), tasks_.size());
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    const PayloadAnswer &cpu = (*here)[k], &device = (*there)[k];
    EXPECT_EQ(cpu.failure, device.failure) << k;
    EXPECT_EQ(k == 7, !device.failure.empty()) << k;
    if (k == 7) continue;
    EXPECT_TRUE(device.certificate && device.certificate->certified && device.is_possible) << k;
    // the last problem is about the answer of the first, which is known to a gap of 1e-10
    EXPECT_NEAR(*device.objective, *cpu.objective, 1e-7 * *cpu.objective) << k;
    EXPECT_LE((device.parameters - cpu.parameters).norm(), 1e-5 * cpu.parameters.norm()) << k;
    EXPECT_NEAR(device.parameters[0], truth_of()[0], 0.05 * truth_of()[0]) << k;
  }
  std::int64_t by_device = 0, all = 0;
  for (const SolveCount& count : executor_->solved()) {
    EXPECT_EQ(count.purpose, "payloads");
    all += count.problems;
    if (count.by.find("cpu") == std::string::npos) by_device += count.problems;
  }
  EXPECT_GT(all,
            8 + 2 * 15);  // one without a shape, two with one, and more of those that are too small
  EXPECT_EQ(by_device, all);
}

TEST_P(PayloadsOnDevice, LimitsAndThreadsAreKeptTo) {
  PayloadOptions options;
  options.limits.known_mass = 1.5;  // 0.2 kg above the truth
  const auto here = weigh_batch(tasks_, options),
             there = weigh_batch(tasks_, options, *executor_, 3);
  ASSERT_TRUE(there.ok()) << there.error().message();
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    const PayloadAnswer& device = (*there)[k];
    EXPECT_EQ((*here)[k].failure, device.failure) << k;
    if (!device.failure.empty()) continue;
    EXPECT_NEAR(device.parameters[0], 1.5, 1e-9) << k;
    EXPECT_LE((device.parameters - (*here)[k].parameters).norm(), 1e-5 * device.parameters.norm())
        << k;
  }
  const auto stopped =
      weigh_batch(tasks_, {}, *executor_, 1, [](const std::string&, double) { return false; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_TRUE(stopped.error().is_stop);
  EXPECT_FALSE(weigh_batch({{nullptr, &shapes_[0]}}, {}, *executor_).ok());
  EXPECT_FALSE(weigh_batch(tasks_, {}, *executor_, 0).ok());
}

INSTANTIATE_TEST_SUITE_P(Devices, PayloadsOnDevice, ::testing::Values("host", "cuda"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace heft
