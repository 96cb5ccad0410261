// Batches of payloads: each has the result that it has alone.
#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "heft/payload/payload.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

struct Grasps {
  std::vector<WrenchSamples> samples;
  std::vector<PayloadShape> shapes;
  std::vector<PayloadTask> tasks;

  Grasps() {
    RandomStream random(5);
    PayloadPriorOptions box;
    box.primitive = {PayloadPrimitive::Kind::box, {0.15, 0.15, 0.2}};
    box.pose = *pose_of({0, 0, 0.07, 0, 0, 0}, "");
    shapes = {*read_payload_shape({}), *read_payload_shape(box)};
    for (int k = 0; k < 40; ++k) {
      Record record = shaken(1 + 0.05 * k);
      if (k % 5 == 0) record.time *= 0.5;  // another rate
      if (k == 17) record.wrench = -record.wrench;
      for (Eigen::Index i = 0; i < record.wrench.size(); ++i)
        record.wrench.data()[i] += 0.05 * random.normal();
      samples.push_back(samples_of(record));
    }
    for (std::size_t k = 0; k < samples.size(); ++k) tasks.push_back({&samples[k], &shapes[k % 2]});
  }
};

TEST(PayloadBatch, EachIsAsIfItWereAlone) {
  const Grasps grasps;
  for (const int threads : {1, 3}) {
    const auto answers = weigh_batch(grasps.tasks, {}, threads);
    ASSERT_TRUE(answers.ok()) << answers.error().message();
    ASSERT_EQ(answers->size(), grasps.tasks.size());
    for (std::size_t k = 0; k < answers->size(); ++k) {
      const PayloadAnswer& answer = (*answers)[k];
      const auto alone =
          fit_payload(grasps.samples[k], {}, *grasps.tasks[k].shape, PayloadMethod::automatic);
      EXPECT_EQ(alone.ok(), answer.failure.empty()) << k;
      EXPECT_EQ(k == 17, !answer.failure.empty()) << k << answer.failure;
      if (!alone) continue;
      EXPECT_EQ(alone->parameters, answer.parameters) << k;
      EXPECT_TRUE(answer.certificate && answer.certificate->certified && answer.is_possible) << k;
      EXPECT_NEAR(answer.parameters[0], truth_of()[0], 0.05 * truth_of()[0]) << k;
    }
  }
}

TEST(PayloadBatch, RefusesInvalidTasksAndStops) {
  const Grasps grasps;
  EXPECT_FALSE(weigh_batch({{nullptr, &grasps.shapes[0]}}, {}).ok());
  EXPECT_FALSE(weigh_batch(grasps.tasks, {}, 0).ok());
  const auto stopped =
      weigh_batch(grasps.tasks, {}, 1, [](const std::string&, double) { return false; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_TRUE(stopped.error().is_stop);
  EXPECT_TRUE(weigh_batch({}, {})->empty());
}

}  // namespace
}  // namespace heft
