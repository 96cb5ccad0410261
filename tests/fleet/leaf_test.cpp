// Leaves with the logs that are kept from them to the answer: all of a robot's, in the order of its
// keys, or none; and stretches, which the store has of long logs only.
#include "leaf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/fleet/stored_leaves.hpp"

namespace heft {
namespace {

ConditionedLog log_of(const std::string& name) {
  return {.summary = {.path = name}, .bytes = 100};
}

MadeLeaves two_leaves() {
  MadeLeaves made;
  made.emplace("b", MadeLeaf{.log = log_of("b.csv")});
  made.emplace("a", MadeLeaf{.log = log_of("a.csv")});
  return made;
}

TEST(KeptLogs, ComeInTheOrderOfTheKeys) {
  MadeLeaves made = two_leaves();
  const std::vector<ConditionedLog> logs = take_logs({"b", "a"}, made);
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0].summary.path, "b.csv");
  EXPECT_EQ(logs[1].summary.path, "a.csv");
  EXPECT_TRUE(take_logs({"b", "a"}, made).empty()) << "they are taken once";
}

TEST(KeptLogs, AreAllOrNone) {
  MadeLeaves made = two_leaves();
  EXPECT_TRUE(take_logs({"a", "c"}, made).empty()) << "a leaf that was not made";
  made = two_leaves();
  made.at("b").log.reset();
  EXPECT_TRUE(take_logs({"a", "b"}, made).empty()) << "a log that was too large";
  made = two_leaves();
  EXPECT_TRUE(take_logs({"a", "b", "a"}, made).empty()) << "a leaf twice";
}

void expect_same(const TrainingData& a, const TrainingData& b) {
  EXPECT_EQ(a.moments.packed, b.moments.packed);
  ASSERT_EQ(a.stretches.size(), b.stretches.size());
  ASSERT_GE(a.stretches.size(), 24u);
  for (std::size_t k = 0; k < a.stretches.size(); ++k) {
    EXPECT_EQ(a.stretches[k].moments.packed, b.stretches[k].moments.packed) << k;
    EXPECT_EQ(a.stretches[k].num_samples, b.stretches[k].num_samples) << k;
  }
}

TEST_F(StoredLeaves, OfShortLogsTakeLessSpaceThanStretches) {
  const MadeLeaves made = stored();
  for (const std::string& key : keys_) {
    const auto bytes = std::filesystem::file_size(store_->path(FleetStore::Kind::leaf, key));
    const TrainingData& data = made.at(key).data;
    EXPECT_LT(bytes, 8 * data.stretches.size() * data.moments.packed.size()) << key;
    const auto read = read_moments_file(store_->path(FleetStore::Kind::leaf, key));
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->is_compact());
    EXPECT_EQ(read->moments.packed, data.moments.packed);
  }
}

TEST_F(StoredLeaves, GetTheirStretchesFromTheLogsToTheBit) {
  const auto at_once = data_of(stored());
  ASSERT_TRUE(at_once) << at_once.error().message();
  const auto later = data_of({});
  ASSERT_TRUE(later) << later.error().message();
  expect_same(*later, *at_once);
}

TEST_F(StoredLeaves, ReadEachLogOnceForStretchesAndSamples) {
  const auto at_once = data_of(stored());
  MadeLeaves made;
  ASSERT_TRUE(add_stretches(rows_, keys_, made, *robot_, *store_, {}));
  for (const FleetRow& row : rows_) std::filesystem::remove(row.log);
  EXPECT_EQ(take_logs(keys_, made).size(), 2u) << "samples of both logs";
  const auto later = data_of(std::move(made));
  ASSERT_TRUE(later) << later.error().message();
  expect_same(*later, *at_once);
  EXPECT_FALSE(data_of({})) << "the store alone lacks stretches";
}

TEST_F(StoredLeaves, AreSummedInTheOrderOfTheirRows) {
  const auto data = data_of(stored());
  ASSERT_TRUE(data) << data.error().message();
  ASSERT_EQ(data->logs.size(), rows_.size());
  EXPECT_GT(keys_[0], keys_[1]) << "keys in order would prove nothing";
  for (std::size_t k = 0; k < rows_.size(); ++k) EXPECT_EQ(data->logs[k].path, rows_[k].log);
}

TEST_F(StoredLeaves, OfAChangedLogAreAnError) {
  stored();
  write_log(path_of("b"), 2.5);
  MadeLeaves made;
  const auto added = add_stretches(rows_, keys_, made, *robot_, *store_, {});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().where, path_of("b"));
  EXPECT_EQ(added.error().what, "changed while it was read");
}

TEST_F(StoredLeaves, OfLongLogsHaveStretches) {
  // 48 stretches against an eighth of ten numbers a sample
  const double num_stretches = robot_->most_stretches;
  EXPECT_EQ(num_stretches, 48);
  const auto least = static_cast<std::int64_t>(
      std::ceil(48 * 8 * static_cast<double>(robot_->setup.plan().packed_size) / 10));
  EXPECT_TRUE(keeps_stretches({.num_samples = least}, *robot_));
  EXPECT_FALSE(keeps_stretches({.num_samples = least - 1}, *robot_));
}

}  // namespace
}  // namespace heft
