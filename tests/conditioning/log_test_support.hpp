// Small logs for the tests of conditioning: an arm by joint names, files in their own folder, and a
// sink that joins the blocks.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "heft/log/log.hpp"

namespace heft {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A robot of which a log reader knows no more than the names of its joints, and one channel per
/// joint.
inline Robot arm_of(const std::vector<std::string>& joints) {
  Robot robot;
  for (const std::string& joint : joints) robot.coordinates.push_back({.name = joint});
  return robot;
}

inline std::vector<Channel> joint_channels(const Robot& robot) {
  std::vector<Channel> channels;
  for (int k = 0; k < robot.num_coordinates(); ++k)
    channels.push_back({.name = robot.coordinates[k].name, .unit = "N m", .coordinate = k});
  return channels;
}

/// A folder that goes with the test, and files in it.
class LogTest : public ::testing::Test {
 protected:
  LogTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("heft_{}_{}_{}", getpid(), test->test_suite_name(), test->name());
    std::filesystem::create_directories(folder_);
  }
  ~LogTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& text, const std::string& name = "log.csv") const {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  std::filesystem::path folder_;
};

/// "t,q1,..": a table of `num_rows` rows with the functions of the row number as columns, 17
/// digits.
inline std::string table(const std::string& header, int num_rows,
                         const std::vector<std::function<double(int)>>& columns) {
  std::string text = header + "\n";
  for (int row = 0; row < num_rows; ++row) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      text += fmt::format("{}{:.17g}", k == 0 ? "" : ",", columns[k](row));
    text += "\n";
  }
  return text;
}

/// What condition_log said and emitted.
struct Conditioned {
  Result<LogSummary> summary;
  std::vector<int> segments;    ///< of each block
  std::vector<Samples> blocks;  ///< as they came

  bool ok() const { return summary.ok(); }
  std::string error() const { return summary.ok() ? "no error" : summary.error().message(); }
  long long dropped(const std::string& reason) const {
    const auto it = summary->dropped.find(reason);
    return it == summary->dropped.end() ? 0 : it->second;
  }

  /// A member of all blocks, one below the other.
  Eigen::ArrayXXd all(Eigen::ArrayXXd Samples::* member) const {
    Eigen::Index rows = 0;
    for (const Samples& block : blocks) rows += (block.*member).rows();
    Eigen::ArrayXXd joined(rows, blocks.empty() ? 0 : (blocks.front().*member).cols());
    rows = 0;
    for (const Samples& block : blocks) {
      joined.middleRows(rows, (block.*member).rows()) = block.*member;
      rows += (block.*member).rows();
    }
    return joined;
  }
  Eigen::ArrayXd time() const {
    std::vector<double> times;
    for (const Samples& block : blocks)
      times.insert(times.end(), block.time.begin(), block.time.end());
    return Eigen::Map<Eigen::ArrayXd>(times.data(), static_cast<Eigen::Index>(times.size()));
  }
};

/// All samples of one are those of the other, to the last bit.
inline void expect_same_samples(const Conditioned& one, const Conditioned& other) {
  ASSERT_TRUE(one.ok()) << one.error();
  ASSERT_TRUE(other.ok()) << other.error();
  EXPECT_EQ(one.segments, other.segments);
  EXPECT_EQ(one.summary->dropped, other.summary->dropped);
  EXPECT_EQ(one.summary->num_rows, other.summary->num_rows);
  ASSERT_EQ(one.time().size(), other.time().size());
  EXPECT_TRUE((one.time() == other.time()).all());
  for (const SampleArray& array : kSampleArrays) {
    const Eigen::ArrayXXd first = one.all(array.member), second = other.all(array.member);
    ASSERT_EQ(first.rows(), second.rows()) << array.name;
    ASSERT_EQ(first.cols(), second.cols()) << array.name;
    EXPECT_TRUE((first == second).all()) << array.name;
  }
}

struct ConditioningRun {
  Robot robot;
  std::vector<Channel> channels = joint_channels(robot);
  LogFormat format;
  ConditioningOptions options;
  DerivedSignals derived;
  std::size_t read_size = std::size_t{1} << 18;

  LogReading reading() const { return {robot, channels, format, options, derived}; }

  Conditioned operator()(const std::string& path) const {
    return (*this)(Log(path, [&](const LogFormat&) { return open_file(path, format, read_size); }));
  }
  Conditioned operator()(const Log& log) const {
    Conditioned out{Error{}, {}, {}};
    out.summary =
        condition_log(log, reading(), [&](int segment, const Samples& block) -> Result<Done> {
          out.segments.push_back(segment);
          out.blocks.push_back(block);
          return Done{};
        });
    return out;
  }
};

}  // namespace heft
