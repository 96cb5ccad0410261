// Profiles of kernels with instructions, sectors and wavefronts counted by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/device_on_host/block/profile.hpp"
#include "tests/device_on_host/kernel_run.hpp"

namespace heft::device_on_host {

const Module& module_counted();

namespace {

using nlohmann::json;

constexpr std::uint32_t kThreads = 64;

/// The file that is written after `times` launches of `kernel`.
json profile_of(const std::string& kernel, std::uint32_t num_blocks = 1, int times = 1) {
  Profile profile;
  const DeviceArray data(std::vector<double>(8 * kThreads * num_blocks, 1.0));
  for (int k = 0; k < times; ++k)
    EXPECT_TRUE(run_kernel(module_counted(), kernel, {num_blocks}, {kThreads}, {data.address()},
                           {.profile = &profile}));
  EXPECT_TRUE(findings().take().empty());
  const std::string path = ::testing::TempDir() + "profile.json";
  profile.write(path);
  return json::parse(std::ifstream(path));
}

json sectors(int requests, int bytes, int count) {
  return {{"requests", requests}, {"bytes", bytes}, {"sectors", count}};
}
json wavefronts(int requests, int bytes, int count, int least) {
  return {
      {"requests", requests}, {"bytes", bytes}, {"wavefronts", count}, {"least_wavefronts", least}};
}

TEST(Profile, CountsAdjacentAccesses) {
  const json file = profile_of("side_by_side", 2, 3);
  EXPECT_EQ(file["format"], 1);
  ASSERT_EQ(file["launches"].size(), 3u);
  const json& launch = file["launches"][0];
  EXPECT_EQ(launch["kernel"], "side_by_side");
  EXPECT_EQ(launch["grid"], json({2, 1, 1}));
  EXPECT_EQ(launch["block"], json({64, 1, 1}));
  EXPECT_EQ(launch["blocks"], 2);
  EXPECT_EQ(launch["threads"], 128);
  // four warps of 32 doubles: 256 bytes, eight sectors each
  EXPECT_EQ(launch["global"]["load"], sectors(4, 1024, 32));
  EXPECT_EQ(launch["global"]["store"], sectors(4, 1024, 32));
  EXPECT_EQ(launch["distinct_sectors"], json({{"read", 32}, {"written", 32}, {"read_first", 32}}));
  EXPECT_EQ(launch["opcodes"]["add.f64"], json({{"thread", 128}, {"warp", 4}}));
  EXPECT_EQ(launch["classes"]["fp64"], json({{"thread", 128}, {"warp", 4}}));
  EXPECT_EQ(launch["classes"]["integer"], json({{"thread", 384}, {"warp", 12}}));
  EXPECT_EQ(launch["classes"]["load_global"], json({{"thread", 128}, {"warp", 4}}));
  EXPECT_EQ(launch["barriers"], 0);
  // of a PTX that says no lines of sources
  EXPECT_EQ(launch["places"], json({{"",
                                     {{"global", sectors(8, 2048, 64)},
                                      {"shared", wavefronts(0, 0, 0, 0)},
                                      {"local", sectors(0, 0, 0)}}}}));
  const json& sum = file["kernels"]["side_by_side"];
  EXPECT_EQ(sum["launches"], 3);
  EXPECT_EQ(sum["global"]["load"], sectors(12, 3072, 96));
  EXPECT_EQ(sum["classes"]["fp64"], json({{"thread", 384}, {"warp", 12}}));
}

TEST(Profile, CountsSectorsOfScatteredAccesses) {
  const json launch = profile_of("apart")["launches"][0];
  EXPECT_EQ(launch["global"]["load"], sectors(2, 512, 64));
  EXPECT_EQ(launch["global"]["store"], sectors(2, 512, 64));
  EXPECT_EQ(launch["classes"]["load_global"], json({{"thread", 64}, {"warp", 2}}));
  EXPECT_EQ(launch["classes"]["store_global"], json({{"thread", 64}, {"warp", 2}}));
}

/// Two warps each: floats side by side take one pass, 32 of one bank 32, doubles two by halves; the
/// same word one.
TEST(Profile, CountsPassesThroughBanks) {
  const json launch = profile_of("banks")["launches"][0];
  EXPECT_EQ(launch["shared"]["store"],
            wavefronts(6, 64 * (4 + 4 + 8), 2 * (1 + 32 + 2), 2 * (1 + 1 + 2)));
  EXPECT_EQ(launch["shared"]["load"], wavefronts(2, 64 * 4, 2, 2));
  EXPECT_EQ(launch["barriers"], 6);
}

TEST(Profile, CountsAWarpAsLongAsItsLongestLane) {
  const json launch = profile_of("uneven")["launches"][0];
  EXPECT_EQ(launch["opcodes"]["add.f64"], json({{"thread", 63 * 64 / 2}, {"warp", 31 + 63}}));
  EXPECT_EQ(launch["classes"]["fp64"], json({{"thread", 63 * 64 / 2}, {"warp", 31 + 63}}));
}

}  // namespace
}  // namespace heft::device_on_host
