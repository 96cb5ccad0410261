// Another cutoff of the motion leaves the torques and the rows outside of a dead band as they are.
#include "identify/motion_cutoff.hpp"

#include <gtest/gtest.h>

namespace heft {
namespace {

TEST(MotionCutoff, LeavesTorquesAndRowsAsTheyAre) {
  ConditioningOptions options{.lowpass_hz = 8};
  options.dead_band = {0.1};
  const ConditioningOptions twice = with_motion_cutoff(options, 16);
  EXPECT_EQ(twice.lowpass_hz, 16);
  EXPECT_EQ(twice.torque_cutoff_hz(), 8);
  EXPECT_EQ(twice.dead_band_lowpass_hz, 8);
  const ConditioningOptions again = with_motion_cutoff(twice, 32);
  EXPECT_EQ(again.torque_cutoff_hz(), 8);
  EXPECT_EQ(again.dead_band_lowpass_hz, 8);
}

}  // namespace
}  // namespace heft
