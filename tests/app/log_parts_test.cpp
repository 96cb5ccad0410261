// Which rows of training logs are used, and which are held out.
#include "app/log_parts.hpp"

#include <gtest/gtest.h>

#include "heft/log/arrays.hpp"

namespace heft {
namespace {

TEST(HeldOutShare, IsAPercentageAndNothingOfAPath) {
  EXPECT_EQ(app::held_out_share("40%").value().value(), 0.4);
  EXPECT_EQ(app::held_out_share("12.5 %").value().value(), 0.125);
  EXPECT_FALSE(app::held_out_share("validate.csv").value());
  EXPECT_FALSE(app::held_out_share("").value());
}

TEST(HeldOutShare, IsBetweenNoneAndAll) {
  for (const char* wrong : {"0%", "-3%", "100%", "nan%"})
    EXPECT_FALSE(app::held_out_share(wrong)) << wrong;
}

TEST(PartsOfLogs, HoldOutTheEndOfEachLog) {
  const std::vector<double> time = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, zero(time.size(), 0);
  const Log log = array_log("run", time, zero, zero);
  const LogFormat format;
  const auto split = app::split_logs({log}, {.held_out_share = 0.4}, format);
  ASSERT_TRUE(split) << split.error().message();
  ASSERT_EQ(split->training.size(), 1u);
  ASSERT_EQ(split->held_out.size(), 1u);
  EXPECT_EQ(split->held_out.front().part().from_s, 6);
  EXPECT_LT(split->training.front().part().to_s, 6);
  EXPECT_FALSE(split->training.front().part().overlaps(split->held_out.front().part()));
}

TEST(PartsOfLogs, NeedAStartBeforeTheirEnd) {
  const auto split = app::split_logs({}, {.start_s = 3, .end_s = 3}, {});
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().where, "--start-s");
}

}  // namespace
}  // namespace heft
