// The kernels' tile map, executed on the host: the sums that its tiles make of given columns are those that the moments
// need, each once, whatever the panels, the length of a stage and the batches.
#include "kernels/moments/gram_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heft/backend.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using cuda::GramTiles;

PlanPtr chain(int num_joints, bool floating_base) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = num_joints;
  options.floating_base = floating_base;
  const Robot robot = oracle::random_robot(options, 3);
  return *make_regressor_plan(robot, default_channels(robot), {});
}

/// Sums over tiles that read the slab's columns through their batch: how often each entry gets each pair of columns.
void expect_every_product_once(const GramTiles& map) {
  std::vector<int> uses(map.tiles.size() * cuda::kTileSums, 0);
  ASSERT_EQ(static_cast<std::int64_t>(map.entry_begin.size()), map.packed_size + 1);
  for (const int sum : map.entry_sums) ++uses[sum];
  EXPECT_LE(*std::max_element(uses.begin(), uses.end()), 1);
  int next_tile = 0;
  for (const cuda::GramBatch& batch : map.batches) {
    EXPECT_EQ(batch.first_tile, next_tile);
    next_tile += batch.num_tiles;
    EXPECT_EQ(batch.num_columns % cuda::kQuad, 0);
    EXPECT_LE(batch.num_columns * map.stage * 8, cuda::kStageBytes);
    const int num_quads = batch.num_columns / cuda::kQuad;
    for (int t = batch.first_tile; t < next_tile; ++t) {
      const cuda::QuadTile& tile = map.tiles[t];
      EXPECT_LT(tile.left + (tile.num_rows - 1) * tile.left_step, num_quads);
      EXPECT_LT(tile.right + (tile.num_rows - 1) * tile.right_step, num_quads);
    }
  }
  EXPECT_EQ(next_tile, static_cast<int>(map.tiles.size()));
}

TEST(GramTiles, UseEverySumAtMostOnceAndStayInTheStage) {
  for (const int num_joints : {1, 7, 36, 64})
    for (const bool is_summed : {false, true}) {
      const PlanPtr plan = chain(num_joints, num_joints == 36);
      const Result<GramTiles> map = cuda::make_gram_tiles(plan->view(), is_summed, 8);
      ASSERT_TRUE(map.ok()) << map.error().message();
      expect_every_product_once(*map);
      const Result<GramTiles> rows = cuda::make_row_tiles(plan->view(), 8);
      ASSERT_TRUE(rows.ok()) << rows.error().message();
      expect_every_product_once(*rows);
    }
}

TEST(GramTiles, OfGivenRowsCoverEveryTriangle) {
  const PlanPtr plan = chain(5, true);
  const GramTiles map = *cuda::make_row_tiles(plan->view(), 8);
  for (std::int64_t entry = 0; entry < map.packed_size; ++entry)
    EXPECT_EQ(map.entry_begin[entry + 1] - map.entry_begin[entry], 1);
}

TEST(GramTiles, LargeRobotsAreCutIntoBatchesAndSmallOnesShareTheirTiles) {
  const GramTiles large = *cuda::make_gram_tiles(chain(64, false)->view(), true, 8);
  EXPECT_GT(large.batches.size(), 1u);
  EXPECT_EQ(large.num_shares, 1);
  const GramTiles small = *cuda::make_gram_tiles(chain(1, false)->view(), true, 8);
  EXPECT_EQ(small.batches.size(), 1u);
  EXPECT_GT(small.num_shares, 1);
  EXPECT_EQ(small.stage % small.num_shares, 0);
}

TEST(GramTiles, MoreProductsThanCanBeNumberedAreAnError) {
  const PlanPtr plan = chain(2, false);
  core::TreeView tree = plan->view();
  for (const std::int64_t size : {std::int64_t{1} << 31, std::int64_t{1} << 40}) {
    tree.packed_size = size;
    for (const Result<GramTiles>& map :
         {cuda::make_gram_tiles(tree, false, 8), cuda::make_row_tiles(tree, 8)}) {
      ASSERT_FALSE(map.ok());
      EXPECT_NE(map.error().what.find(std::to_string(size)), std::string::npos) << map.error().what;
      EXPECT_FALSE(map.error().remedy.empty());
    }
  }
}

/// Every place of the stage is used once, and the quarters of a warp, which go to shared memory one after the other, meet
/// no bank twice when they take quads side by side.
template <class Real>
void expect_places_apart(int stage) {
  constexpr int kUnits = cuda::kQuad / cuda::kUnit<Real>, kQuads = 12;
  std::vector<int> uses(static_cast<std::size_t>(kQuads * kUnits * stage), 0);
  for (int unit = 0; unit < kQuads * kUnits; ++unit)
    for (int sample = 0; sample < stage; ++sample) ++uses[cuda::stage_place<Real>(stage, unit, sample)];
  for (const int use : uses) EXPECT_EQ(use, 1);
  constexpr int kLanes = 8;  // of 16 bytes each: all 32 banks
  for (int sample = 0; stage >= kLanes && sample < stage; ++sample)
    for (int first = 0; first + kLanes <= kQuads; ++first) {
      std::vector<int> banks(kLanes, 0);
      for (int lane = 0; lane < kLanes; ++lane)
        ++banks[cuda::stage_place<Real>(stage, (first + lane) * kUnits, sample) % kLanes];
      EXPECT_EQ(*std::max_element(banks.begin(), banks.end()), 1) << stage << ' ' << sample << ' ' << first;
    }
}

TEST(GramTiles, QuadsSideBySideLieInDifferentBanks) {
  for (int stage = 1; stage <= 128; stage *= 2) {
    expect_places_apart<double>(stage);
    expect_places_apart<float>(stage);
  }
}

}  // namespace
}  // namespace heft
