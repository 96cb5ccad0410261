// White noise of columns: its size under motion and impacts, and logs with more of it.
#include "readers/column_noise.hpp"

#include <cmath>

#include "tests/conditioning/log_test_support.hpp"
#include "tests/oracle/motion.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

std::vector<double> noisy_motion(double deviation, int size) {
  const Eigen::VectorXd noise = oracle::Random(3).normal_vector(size);
  std::vector<double> signal;
  for (int i = 0; i < size; ++i)
    signal.push_back(std::sin(0.02 * i) + (i % 400 < 40 ? 5 * std::sin(1.0 * i) : 0) +
                     deviation * noise[i]);
  return signal;
}

TEST(WhiteNoise, IsFoundUnderMotionAndImpacts) {
  for (const double deviation : {1e-3, 0.05, 2.0})
    EXPECT_NEAR(white_noise(noisy_motion(deviation, 5000)) / deviation, 1, 0.1) << deviation;
  EXPECT_LT(white_noise(noisy_motion(0, 5000)), 1e-6);
  EXPECT_EQ(white_noise(noisy_motion(1, 300)), 0);  // too few rows
}

class NoisyLog : public LogTest {
 protected:
  static std::vector<std::vector<double>> columns_of(const Log& log) {
    std::vector<std::vector<double>> columns(3);
    auto source = log.open(LogFormat());
    EXPECT_TRUE(source.ok());
    EXPECT_TRUE((*source)->select({{0, 1, 2}}).ok());
    for (ColumnBlock block;;) {
      const auto found = (*source)->next(block);
      EXPECT_TRUE(found.ok());
      if (!found || !*found) break;
      for (std::size_t c = 0; c < 3; ++c)
        for (std::int64_t row = 0; row < block.num_rows; ++row)
          columns[c].push_back(block.columns[c][row]);
    }
    return columns;
  }
};

TEST_F(NoisyLog, HasTheSameNoiseWithBothSigns) {
  std::string text = "t,gyro,tau\n";
  const std::vector<double> signal = noisy_motion(0.1, 5000);
  for (int i = 0; i < 5000; ++i)
    text += std::to_string(0.002 * i) + "," + std::to_string(signal[static_cast<std::size_t>(i)]) +
            ",7\n";
  const Log log = write(text);
  const auto noise = noise_of_columns(log, {}, {"gyro", "missing"}, 5000);
  ASSERT_TRUE(noise.ok()) << noise.error().message();
  ASSERT_EQ(noise->size(), 1U);
  EXPECT_NEAR(noise->at("gyro"), 0.1, 0.01);
  const auto plain = columns_of(log), above = columns_of(with_noise(log, *noise, 1)),
             below = columns_of(with_noise(log, *noise, -1));
  ASSERT_EQ(above[1].size(), 5000U);
  double square = 0;
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_NEAR(above[1][i] + below[1][i], 2 * plain[1][i], 1e-12);
    square += std::pow(above[1][i] - plain[1][i], 2);
  }
  EXPECT_NEAR(std::sqrt(square / 5000), noise->at("gyro"), 0.005);
  EXPECT_EQ(above[0], plain[0]);
  EXPECT_EQ(above[2], plain[2]);
}

}  // namespace
}  // namespace heft
