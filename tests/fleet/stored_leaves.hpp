// Leaves of short logs in a store, for tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "leaf.hpp"
#include "tests/fuzz/small_robot.hpp"

namespace heft {

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
    add_log("a", 0.3);
    add_log("b", 1.7);
  }
  ~StoredLeaves() override { std::filesystem::remove_all(folder_); }

  std::string path_of(const std::string& name) const { return folder_ + "/" + name + ".csv"; }

  void add_log(const std::string& name, double phase, int num_rows = 1500) {
    write_log(path_of(name), phase, num_rows);
    rows_.push_back({.robot_id = "x", .robot = folder_ + "/crane.urdf", .log = path_of(name)});
    keys_.push_back(sha256_of(name));
    sha256_.push_back(sha256_of(*read_file_whole(path_of(name), 1 << 24)));
  }

  static void write_log(const std::string& path, double phase, int num_rows = 1500) {
    std::ofstream log(path);
    log.precision(17);
    log << "t,q_swing,q_lift,tau_swing,tau_lift\n";
    for (int k = 0; k < num_rows; ++k) {
      const double t = 0.01 * k, swing = std::sin(2 * t + phase), lift = 0.3 * std::cos(3 * t);
      log << t << ',' << swing << ',' << lift << ',' << 20 * std::cos(swing) - 4 * swing << ','
          << 10 + 2 * std::sin(5 * t + phase) << '\n';
    }
  }

  /// All leaves, made and stored.
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

}  // namespace heft
