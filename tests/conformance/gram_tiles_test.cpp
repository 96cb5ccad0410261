// The kernels' tile map, executed on the host: its tiles compute exactly the sums that the moments
// need from given columns, each once, for any panels, units and rounds; and the warps that compute
// its rows.
#include "kernels/moments/gram_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "heft/core/regressor.hpp"
#include "heft/rows/backend.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using cuda::GramTiles;

PlanPtr chain(int num_joints, bool floating_base) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = num_joints;
  options.floating_base = floating_base;
  Robot robot = oracle::random_robot(options, 3);
  for (std::size_t b = 0; b < robot.bodies.size(); ++b)
    robot.bodies[b].parent = static_cast<int>(b) - 1;
  return *make_regressor_plan(robot, default_channels(robot), {});
}

/// As the kernels read them.
std::vector<int> sums_of_entry(const GramTiles& map, std::int64_t entry) {
  std::vector<int> sums;
  const std::int64_t list = entry / cuda::kLanes;
  for (std::int64_t i = map.list_begin[list] + entry % cuda::kLanes; i < map.list_begin[list + 1];
       i += cuda::kLanes)
    if (map.entry_sums[i] != cuda::kNoSum) sums.push_back(map.entry_sums[i]);
  return sums;
}

/// No sum is two entries', and no unit reaches beyond the slab.
void expect_every_product_once(const GramTiles& map) {
  std::vector<int> uses(static_cast<std::size_t>(map.view().num_sums()), 0);
  ASSERT_EQ(static_cast<std::int64_t>(map.list_begin.size()),
            (map.packed_size + cuda::kLanes - 1) / cuda::kLanes + 1);
  ASSERT_EQ(static_cast<int>(map.units.size()), map.view().first_unit(map.num_rounds, 0));
  for (std::int64_t entry = 0; entry < map.packed_size; ++entry)
    for (const int sum : sums_of_entry(map, entry)) ++uses[sum];
  EXPECT_LE(*std::max_element(uses.begin(), uses.end()), 1);
  int num_tiles = 0;
  for (const cuda::TileUnit& unit : map.units) {
    if (unit.num_rows == 0) continue;
    EXPECT_EQ(unit.first_tile, num_tiles);
    for (int n = 0; n < cuda::kWideRight; ++n)
      for (int m = 0; m < cuda::kWideRight; ++m) {
        if (!unit.has(m, n)) continue;
        const int tile = unit.first_tile + cuda::TileUnit::wide_tile(unit.is_diagonal(), m, n);
        if (map.is_wide) {
          EXPECT_GE(tile, num_tiles);
        }
        num_tiles = map.is_wide ? tile + 1 : num_tiles + 1;
      }
    EXPECT_GE(std::min(unit.left, unit.right), 0);
    EXPECT_LE(unit.left + (unit.num_rows - 1) * unit.left_step + unit.left_width, map.num_columns);
    EXPECT_LE(unit.right + (unit.num_rows - 1) * unit.right_step + unit.right_width,
              map.num_columns);
    const int right = map.is_wide ? cuda::kWideRight : 2;
    const int left = map.is_wide && !unit.is_diagonal() ? cuda::kWideLeft : right;
    EXPECT_LE(unit.left_width, left * cuda::kTile);
    EXPECT_LE(unit.right_width, right * cuda::kTile);
  }
  EXPECT_EQ(num_tiles, map.num_tiles);
}

TEST(GramTiles, UseEverySumAtMostOnceAndStayInTheSlab) {
  for (const int num_joints : {1, 7, 36, 64})
    for (const bool is_summed : {false, true}) {
      const PlanPtr plan = chain(num_joints, num_joints == 36);
      const Result<GramTiles> map = cuda::make_gram_tiles(plan->view(), is_summed, 8);
      ASSERT_TRUE(map.ok()) << map.error().message();
      expect_every_product_once(*map);
      const Result<GramTiles> rows = cuda::make_row_tiles(plan->view());
      ASSERT_TRUE(rows.ok()) << rows.error().message();
      expect_every_product_once(*rows);
    }
}

TEST(GramTiles, OfRowsPerChannelCoverEveryTriangleOnce) {
  const PlanPtr plan = chain(5, true);
  for (const GramTiles& map :
       {*cuda::make_row_tiles(plan->view()), *cuda::make_gram_tiles(plan->view(), false, 8)})
    for (std::int64_t entry = 0; entry < map.packed_size; ++entry)
      EXPECT_EQ(sums_of_entry(map, entry).size(), 1u);
}

/// Few warps make the rows of small robots; the sums of an arm stay in registers; those of many
/// joints take turns, summed over rows of panels.
TEST(GramTiles, FitTheSizeOfTheRobot) {
  EXPECT_EQ(cuda::make_gram_tiles(chain(1, false)->view(), true, 8)->num_shares, 1);
  for (const bool is_summed : {false, true}) {
    const GramTiles arm = *cuda::make_gram_tiles(chain(7, false)->view(), is_summed, 8);
    EXPECT_EQ(arm.num_shares, cuda::kWarps);
    EXPECT_EQ(arm.num_rounds, 1);
  }
  const GramTiles large = *cuda::make_gram_tiles(chain(64, false)->view(), true, 8);
  EXPECT_GT(large.num_rounds, 1);
  EXPECT_TRUE(std::any_of(large.units.begin(), large.units.end(),
                          [](const cuda::TileUnit& unit) { return unit.num_rows > 1; }));
}

/// Strips of columns that a unit reads for one of its rows.
int num_strips(const cuda::TileUnit& unit) {
  return cuda::TileUnit::num_strips(unit.right_width) +
         (unit.is_diagonal() ? 0 : cuda::TileUnit::num_strips(unit.left_width));
}

int num_tiles(const cuda::TileUnit& unit) {
  int count = 0;
  for (int n = 0; n < cuda::kWideRight; ++n)
    for (int m = 0; m < cuda::kWideRight; ++m) count += unit.has(m, n);
  return count;
}

/// No warp has much more to do than another: at most a unit's products.
TEST(GramTiles, WarpsHaveEqualWork) {
  for (const bool is_floating : {false, true}) {
    const GramTiles map =
        *cuda::make_gram_tiles(chain(is_floating ? 20 : 7, is_floating)->view(), true, 8);
    EXPECT_EQ(map.is_wide, is_floating);
    int least = std::numeric_limits<int>::max(), most = 0, of_unit = 3;
    for (int warp = 0; warp < cuda::kWarps; ++warp) {
      int tiles = 0;
      for (int round = 0; round < map.num_rounds; ++round)
        for (int k = 0; k < map.view().num_units(); ++k) {
          const cuda::TileUnit& unit = map.units[map.view().first_unit(round, warp) + k];
          tiles += unit.num_rows * num_tiles(unit);
          if (is_floating) of_unit = std::max(of_unit, unit.num_rows * num_tiles(unit));
        }
      least = std::min(least, tiles), most = std::max(most, tiles);
    }
    EXPECT_LE(most - least, of_unit);
  }
}

/// Rows of equal columns, those of a floating base, have common tiles; a strip is read for several
/// tiles.
TEST(GramTiles, OfFloatingBasesAreSummedOverRows) {
  const PlanPtr plan = chain(20, true);
  const GramTiles summed = *cuda::make_gram_tiles(plan->view(), true, 8),
                  per_channel = *cuda::make_gram_tiles(plan->view(), false, 8);
  EXPECT_EQ(summed.num_columns, per_channel.num_columns);
  EXPECT_LT(summed.num_tiles, per_channel.num_tiles);
  std::vector<int> tile_rows, strips;
  for (const GramTiles* map : {&summed, &per_channel}) {
    tile_rows.push_back(0), strips.push_back(0);
    for (const cuda::TileUnit& unit : map->units)
      tile_rows.back() += unit.num_rows * num_tiles(unit),
          strips.back() += unit.num_rows * num_strips(unit);
  }
  EXPECT_EQ(tile_rows[0], tile_rows[1]);
  for (const int k : {0, 1}) EXPECT_LT(2 * strips[k], tile_rows[k]);
}

TEST(GramTiles, MoreProductsThanCanBeNumberedAreAnError) {
  const PlanPtr plan = chain(2, false);
  core::TreeView tree = plan->view();
  for (const std::int64_t size : {std::int64_t{1} << 31, std::int64_t{1} << 40}) {
    tree.packed_size = size;
    for (const Result<GramTiles>& map :
         {cuda::make_gram_tiles(tree, false, 8), cuda::make_row_tiles(tree)}) {
      ASSERT_FALSE(map.ok());
      EXPECT_NE(map.error().what.find(std::to_string(size)), std::string::npos) << map.error().what;
      EXPECT_FALSE(map.error().remedy.empty());
    }
  }
}

/// Lanes that go to shared memory together, for numbers of fp64 sixteen, of fp32 all and for four
/// of fp32 eight, meet no bank twice.
TEST(GramTiles, LanesReadDifferentBanks) {
  constexpr int kBank = 4, kNumBanks = 32;
  const auto expect_banks_apart = [&](int num_lanes, int bytes, const auto& byte_of_lane) {
    std::vector<int> uses(kNumBanks, 0);
    for (int lane = 0; lane < num_lanes; ++lane)
      for (int k = 0; k < bytes; k += kBank) ++uses[(byte_of_lane(lane) + k) / kBank % kNumBanks];
    EXPECT_EQ(*std::max_element(uses.begin(), uses.end()), 1);
  };
  for (const int first : {0, 16})
    expect_banks_apart(16, 8, [&](int lane) {
      return 8 * ((first + lane) / 4 * cuda::kSlabStride + (first + lane) % 4);
    });
  expect_banks_apart(cuda::kLanes, 4,
                     [](int lane) { return 4 * (lane / 4 * cuda::kSlabStride + lane % 4); });
  expect_banks_apart(8, 16, [](int row) { return 4 * row * cuda::kSlabStride; });
}

/// Every channel is in one share, with all its rows.
TEST(RowShares, HaveEveryRowOnce) {
  for (const bool floating_base : {false, true}) {
    const PlanPtr plan = chain(9, floating_base);
    const core::TreeView tree = plan->view();
    const GramTiles map = *cuda::make_gram_tiles(tree, false, 8);
    std::vector<int> uses(static_cast<std::size_t>(tree.num_channels), 0);
    std::size_t num_rows = 0;
    for (const cuda::RowShare& share : cuda::share_rows(tree, map.columns, 4)) {
      for (const int channel : share.channels) ++uses[channel];
      num_rows += share.rows.size();
    }
    EXPECT_EQ(uses, std::vector<int>(uses.size(), 1));
    EXPECT_EQ(num_rows, static_cast<std::size_t>(tree.num_rows));
  }
}

/// A chain needs one motion, a weight and a screw a channel, however many bodies it has.
TEST(RowShares, NeedAWorkspaceOfTheDepthOfTheTree) {
  for (const int num_joints : {1, 7, 20}) {
    const PlanPtr plan = chain(num_joints, false);
    const core::TreeView tree = plan->view();
    const GramTiles map = *cuda::make_gram_tiles(tree, false, 8);
    const int size = cuda::share_rows(tree, map.columns, 1).front().workspace_size;
    EXPECT_EQ(size, core::WorkspaceLayout::kMotionSize + 7 * tree.num_channels);
  }
}

}  // namespace
}  // namespace heft
