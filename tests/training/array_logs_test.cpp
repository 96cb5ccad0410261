// Training data and results from arrays in memory equal those from a file of the same numbers, to
// the last bit.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "heft/identify/identify.hpp"
#include "heft/log/arrays.hpp"
#include "tests/fuzz/small_robot.hpp"

namespace heft {
namespace {

/// A log of the small robot that excites it: t, two positions, two torques.
Eigen::ArrayXXd small_log(double phase) {
  Eigen::ArrayXXd log(12'000, 5);
  const Eigen::ArrayXd t =
      Eigen::ArrayXd::LinSpaced(log.rows(), 0, 0.004 * static_cast<double>(log.rows() - 1));
  log << t, (2 * t + phase).sin() + 0.4 * (5.1 * t).cos(),
      0.3 * (3 * t).cos() + 0.2 * (7.3 * t + phase).sin(), 20 * (2 * t + phase).cos(),
      10 + (3 * t).sin();
  return log;
}

class ArrayLogsTest : public testing::Test {
 protected:
  ArrayLogsTest()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("heft_array_logs_{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~ArrayLogsTest() override { std::filesystem::remove_all(folder_); }

  Log file(const Eigen::ArrayXXd& log, const std::string& name) const {
    const std::string path = (folder_ / name).string();
    std::ofstream stream(path);
    stream << "t,q1,q2,tau1,tau2\n";
    for (Eigen::Index i = 0; i < log.rows(); ++i)
      stream << fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", log(i, 0), log(i, 1),
                            log(i, 2), log(i, 3), log(i, 4));
    return path;
  }
  static Log arrays(const Eigen::ArrayXXd& log, const std::string& name) {
    const auto columns = [&](Eigen::Index first, Eigen::Index count) {
      return ArrayView(&log(0, first), log.rows(), count, 1, log.rows());
    };
    return array_log(name, columns(0, 1), columns(1, 2), columns(3, 2));
  }

  std::filesystem::path folder_;
  const heft::Setup setup_ = *make_setup(fuzz::small_robot());
  const Eigen::ArrayXXd one_ = small_log(0), two_ = small_log(0.7), held_out_ = small_log(1.1);
};

TEST_F(ArrayLogsTest, TheirMomentsAreThoseOfFiles) {
  const auto files = gather_training_data(setup_, {file(one_, "one.csv"), file(two_, "two.csv")});
  const auto memory = gather_training_data(setup_, {arrays(one_, "one"), arrays(two_, "two")});
  ASSERT_TRUE(files) << files.error().message();
  ASSERT_TRUE(memory) << memory.error().message();
  EXPECT_EQ(memory->moments.packed, files->moments.packed);
  EXPECT_EQ(memory->moments.num_rows, files->moments.num_rows);
  EXPECT_EQ(memory->stretches.size(), files->stretches.size());
  ASSERT_EQ(memory->logs.size(), 2u);
  EXPECT_EQ(memory->logs[1].path, "two");
  EXPECT_EQ(memory->logs[1].num_samples, files->logs[1].num_samples);
}

TEST_F(ArrayLogsTest, ResultsAndHeldOutErrorsMatch) {
  IdentifyRequest request{.setup = setup_};
  request.estimation.uncertainty.bootstrap = 0;
  request.training_logs = {file(one_, "one.csv")};
  request.validation_logs = {file(held_out_, "held_out.csv")};
  const auto files = identify(request);
  request.training_logs = {arrays(one_, "one")};
  request.validation_logs = {arrays(held_out_, "held out")};
  const auto memory = identify(request);
  ASSERT_TRUE(files) << files.error().message();
  ASSERT_TRUE(memory) << memory.error().message();
  EXPECT_EQ(memory->answer().parameters, files->answer().parameters);
  ASSERT_TRUE(memory->answer().validation);
  EXPECT_EQ(memory->answer().validation->overall_relative,
            files->answer().validation->overall_relative);
  EXPECT_EQ(memory->second_pass.validation_logs[0].path, "held out");
}

}  // namespace
}  // namespace heft
