// The tiles of every instruction set: each has a function, no sum is stored twice, and every column
// is multiplied by its torque.
#include "executor/gram_program.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "executor/kernels.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/robot.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

/// Constant columns, `count` of them, of the first channel: they widen its tail.
std::vector<Column> columns_of_first_channel(int count) {
  std::vector<Column> columns(count);
  for (int i = 0; i < count; ++i) {
    columns[i].name = "c" + std::to_string(i);
    columns[i].terms = {{.channel = 0, .feature = core::Feature::one}};
  }
  return columns;
}

/// Every pair is in one group, with others of its left columns and rows and a slice that fits the
/// first-level cache.
void expect_groups(const cpu::GramProgram& program) {
  int next = 0;
  for (const cpu::GramGroup& group : program.groups) {
    EXPECT_EQ(group.first_pair, next);
    next = group.end_pair;
    ASSERT_LT(group.first_pair, group.end_pair);
    EXPECT_GE(group.max_packs, 8);
    const cpu::GramPair& first = program.pairs.at(group.first_pair);
    for (int i = group.first_pair; i < group.end_pair; ++i) {
      const cpu::GramPair& pair = program.pairs.at(i);
      EXPECT_EQ(pair.left.begin, first.left.begin);
      EXPECT_EQ(pair.left.column, first.left.column);
      EXPECT_EQ(pair.num_rows, first.num_rows);
      EXPECT_LE(group.max_packs, pair.max_packs);
      EXPECT_LT(pair.first_tile, pair.end_tile);
    }
  }
  EXPECT_EQ(next, static_cast<int>(program.pairs.size()));
}

/// Every place once, the first of each packed entry by the entry.
void expect_sorted(const cpu::GramProgram& program) {
  std::multiset<std::pair<int, int>> places, sorted;
  for (const cpu::SumPlace& place : program.places) places.emplace(place.packed, place.sum);
  ASSERT_EQ(std::ssize(program.first_sums), program.packed_size);
  for (int packed = 0; packed < program.packed_size; ++packed)
    if (const int sum = program.first_sums[packed]; sum != program.num_sums)
      sorted.emplace(packed, sum);
  for (const cpu::SumPlace& place : program.other_places) sorted.emplace(place.packed, place.sum);
  EXPECT_EQ(sorted, places);
}

void expect_whole(const core::TreeView& tree, bool is_summed, const cpu::TileSet& set) {
  const cpu::GramProgram program = cpu::make_gram_program(tree, is_summed, set);
  for (const cpu::GramTile& tile : program.tiles) EXPECT_NE(tile.function, nullptr);
  expect_groups(program);
  std::vector<int> uses(program.num_sums, 0);
  std::vector<bool> is_reached(program.packed_size, false);
  for (const cpu::SumPlace& place : program.places) {
    ++uses.at(place.sum);
    is_reached.at(place.packed) = true;
  }
  for (const int count : uses) EXPECT_LE(count, 1);
  expect_sorted(program);
  for (std::int64_t c = 0, begin = 0; !is_summed && c < tree.num_channels; ++c) {
    const int tau = tree.channels[c].width - 1;  // every column of a channel meets its torque
    for (int i = 0; i <= tau; ++i)
      EXPECT_TRUE(is_reached[begin + core::packed_index(tau + 1, i, tau)])
          << "channel " << c << " column " << i;
    begin += core::packed_triangle(tau + 1);
  }
}

/// Programs are made for every set of this processor's family, whether it can run them or not.
constexpr const cpu::LaneKernels* kLaneKernels[] = {
#if defined(__x86_64__)
    &cpu::kAvx512Kernels, &cpu::kAvx2Kernels,
#endif
    &cpu::kBaselineKernels};

TEST(GramProgram, HasAFunctionForEveryTileAndAPlaceForEveryProductWithTheTorque) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Robot robot =
        oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2 == 0), seed);
    const std::vector<Channel> channels = default_channels(robot);
    const auto plan =
        make_regressor_plan(robot, channels, columns_of_first_channel(static_cast<int>(seed) % 13));
    ASSERT_TRUE(plan.ok()) << plan.error().message();
    for (const cpu::LaneKernels* kernels : kLaneKernels)
      for (const cpu::TileSet& set : kernels->tiles)
        for (const bool is_summed : {false, true}) expect_whole((*plan)->view(), is_summed, set);
  }
}

}  // namespace
}  // namespace heft
