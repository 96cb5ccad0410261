// What one torque or one component of the base wrench reveals, compared with the SVD of that
// channel's rows.
#include <gtest/gtest.h>

#include "tests/observe/sampled.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

void expect_channels_agree(const Robot& robot, std::uint64_t seed) {
  const Result<Observability> observed = observe(robot);
  ASSERT_TRUE(observed.ok()) << observed.error().message();
  const int num_channels = oracle::num_channels(robot);
  ASSERT_EQ(observed->channels.size(), static_cast<std::size_t>(num_channels));

  const int num_samples = 2 * observed->num_parameters() + 20;
  const Eigen::MatrixXd Y = sampled::regressor(robot, {}, num_samples, seed);
  for (int c = 0; c < num_channels; ++c) {
    const Eigen::MatrixXd rows = Y(Eigen::seqN(c, num_samples, num_channels), Eigen::all);
    const ChannelObservability& channel = observed->channels[c];
    const sampled::Rank rank = sampled::numerical_rank(rows, 1e-9);
    EXPECT_EQ(channel.identifiable.size(), static_cast<std::size_t>(rank.rank))
        << robot.name << " " << channel.channel << ", gap " << rank.gap;

    // every row of the channel is a sum of its combinations, weighted by its entries at their base
    // parameters
    std::vector<int> pivots;
    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(channel.identifiable.size(), rows.cols());
    for (std::size_t i = 0; i < channel.identifiable.size(); ++i) {
      pivots.push_back(channel.identifiable[i].front().parameter);
      for (const Term& term : channel.identifiable[i]) R(i, term.parameter) = term.coefficient;
    }
    const Eigen::MatrixXd rebuilt = rows(Eigen::all, pivots) * R;
    EXPECT_LE((rows - rebuilt).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(), 1e-7)
        << robot.name << " " << channel.channel;
  }
}

TEST(Channels, FixedBase) {
  oracle::RandomRobotOptions robots;
  robots.max_bodies = 5;
  robots.random_gravity = true;
  for (int seed = 0; seed < 20; ++seed)
    expect_channels_agree(oracle::random_robot(robots, seed), seed);
}

TEST(Channels, FloatingBase) {
  oracle::RandomRobotOptions robots;
  robots.max_bodies = 3;
  robots.floating_base = true;
  for (int seed = 100; seed < 110; ++seed)
    expect_channels_agree(oracle::random_robot(robots, seed), seed);
}

TEST(Channels, MimicJoints) {
  oracle::RandomRobotOptions robots;
  robots.max_bodies = 4;
  robots.mimics = 0.5;
  for (int seed = 200; seed < 210; ++seed)
    expect_channels_agree(oracle::random_robot(robots, seed), seed);
}

}  // namespace
}  // namespace heft
