// Leaves with the logs that are kept from them to the answer: all of a robot's, in the order of its
// keys, or none; and stretches, which the store has of long logs only.
#include "leaf.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "tests/fuzz/small_robot.hpp"

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

/// A robot of two joints with logs of a few seconds, in a store of its own.
class StoredLeaves : public testing::Test {
 protected:
  StoredLeaves()
      : folder_(testing::TempDir() + "heft_leaves_" + std::to_string(::getpid())),
        setups_([](const std::string&) { return Configuration(); }) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/crane.urdf") << fuzz::kSmallRobot;
    robot_ = *setups_.of(folder_ + "/crane.urdf", "");
    store_.emplace(*FleetStore::open(folder_ + "/store", StoreUse::make));
    for (const std::string name : {"a", "b"}) {
      write_log(path_of(name), name == "a" ? 0.3 : 1.7);
      rows_.push_back({.robot_id = "x", .robot = folder_ + "/crane.urdf", .log = path_of(name)});
      keys_.push_back(sha256_of(name));
      sha256_.push_back(sha256_of(*read_file_whole(path_of(name), 1 << 24)));
    }
  }
  ~StoredLeaves() override { std::filesystem::remove_all(folder_); }

  std::string path_of(const std::string& name) const { return folder_ + "/" + name + ".csv"; }

  static void write_log(const std::string& path, double phase) {
    std::ofstream log(path);
    log.precision(17);
    log << "t,q_swing,q_lift,tau_swing,tau_lift\n";
    for (int k = 0; k < 1500; ++k) {
      const double t = 0.01 * k, swing = std::sin(2 * t + phase), lift = 0.3 * std::cos(3 * t);
      log << t << ',' << swing << ',' << lift << ',' << 20 * std::cos(swing) - 4 * swing << ','
          << 10 + 2 * std::sin(5 * t + phase) << '\n';
    }
  }

  /// Both leaves, made and stored.
  MadeLeaves stored() {
    MadeLeaves made;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      auto leaf = make_leaf(rows_[k], sha256_[k], 1e6, *robot_, *store_, {});
      EXPECT_TRUE(leaf) << leaf.error().message();
      EXPECT_TRUE(store_->put(FleetStore::Kind::leaf, keys_[k], leaf->temporary));
      made.emplace(keys_[k], std::move(*leaf));
    }
    return made;
  }

  Result<TrainingData> data_of(MadeLeaves made) {
    return training_data_of(rows_, keys_, std::move(made), *robot_, *store_, {});
  }

  const std::string folder_;
  RobotSetups setups_;
  std::shared_ptr<const RobotSetup> robot_;
  std::optional<FleetStore> store_;
  std::vector<FleetRow> rows_;
  std::vector<std::string> keys_, sha256_;
};

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
