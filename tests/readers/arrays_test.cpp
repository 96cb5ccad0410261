// Arrays in memory as a log: read in place in any order; inconsistent ones are rejected.
#include "heft/log/arrays.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using testing::HasSubstr;
using RowMajor = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Eigen::Index kArrayRows = 900;

class ArraysTest : public testing::Test {
 protected:
  ArraysTest() {
    time_ = Eigen::ArrayXd::LinSpaced(kArrayRows, 0, 0.005 * (kArrayRows - 1));
    position_.resize(kArrayRows, 2);
    position_ << (3 * time_).sin(), (2 * time_).cos();
    torque_ = 4 * position_;
  }

  static std::string refusal(const Log& log) {
    const auto source = log.open({});
    return source.ok() ? "no error" : source.error().message();
  }

  ConditioningRun run_{arm_of({"joint_1", "joint_2"})};
  Eigen::ArrayXd time_;
  Eigen::ArrayXXd position_, torque_;
};

TEST_F(ArraysTest, ARobotsUsualLogNeedsNoNames) {
  run_.options.filter = FilterKind::none;
  run_.options.trim = 1;
  const Conditioned log = run_(array_log("memory", time_, position_, torque_));
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_EQ(log.summary->path, "memory");
  EXPECT_TRUE((log.all(&Samples::position) == position_.middleRows(1, kArrayRows - 2)).all());
  EXPECT_TRUE((log.all(&Samples::torque) == torque_.middleRows(1, kArrayRows - 2)).all());
  EXPECT_TRUE((log.all(&Samples::weight) == 1).all());
}

TEST_F(ArraysTest, VelocityAndAccelerationAreTakenIfGiven) {
  run_.options.velocity = VelocitySource::logged;
  const Eigen::ArrayXXd velocity = Eigen::ArrayXXd::Constant(kArrayRows, 2, 7);
  const Eigen::ArrayXXd acceleration = Eigen::ArrayXXd::Constant(kArrayRows, 2, 9);
  const Conditioned log =
      run_(array_log("memory", time_, position_, torque_, velocity, acceleration));
  ASSERT_TRUE(log.ok()) << log.error();
  EXPECT_LE((log.all(&Samples::velocity) - 7).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-12);
  EXPECT_LE((log.all(&Samples::acceleration) - 9).abs().maxCoeff<Eigen::PropagateNaN>(), 1e-12);
  EXPECT_FALSE(run_(array_log("memory", time_, position_, torque_)).ok());
}

TEST_F(ArraysTest, NumbersAreReadWhereTheyLieInAnyOrder) {
  const Conditioned expected = run_(array_log("memory", time_, position_, torque_));
  const RowMajor by_rows = position_;
  expect_same_samples(run_(array_log("memory", time_, by_rows, torque_)), expected);
  Eigen::ArrayXXd all(kArrayRows, 5);
  all << time_, position_, torque_;
  const RowMajor all_by_rows = all;
  const auto part = [](const auto& array, Eigen::Index first, Eigen::Index count) {
    return ArrayView(&array(0, first), array.rows(), count, array.rowStride(), array.colStride());
  };
  expect_same_samples(run_(array_log("memory", part(all, 0, 1), part(all, 1, 2), part(all, 3, 2))),
                      expected);
  expect_same_samples(run_(array_log("memory", part(all_by_rows, 0, 1), part(all_by_rows, 1, 2),
                                     part(all_by_rows, 3, 2))),
                      expected);
  const Eigen::Map<const Eigen::ArrayXXd> map(all.data() + kArrayRows, kArrayRows, 2);
  const std::vector<double> times(time_.begin(), time_.end());
  expect_same_samples(run_(array_log("memory", times, map, torque_)), expected);
}

TEST_F(ArraysTest, BlocksPointIntoTheArrays) {
  auto source = array_log("memory", time_, position_, torque_).open({});
  ASSERT_TRUE(source.ok());
  ASSERT_TRUE((*source)->select({{0, 2}}).ok());
  ColumnBlock block;
  for (Eigen::Index row = 0; row < kArrayRows; row += static_cast<Eigen::Index>(block.num_rows)) {
    const auto found = (*source)->next(block);
    ASSERT_TRUE(found.ok() && *found);
    EXPECT_EQ(block.columns[0].first, &time_[row]);
    EXPECT_EQ(block.columns[1].first, &position_(row, 1));
    EXPECT_TRUE(block.numbers.empty());
  }
}

TEST_F(ArraysTest, TheOwnerLivesAsLongAsTheLogAndItsSources) {
  const auto owner = std::make_shared<Eigen::ArrayXXd>(position_);
  {
    Result<SourcePtr> source = Error{};
    {
      const Log log = array_log("memory", time_, *owner, torque_, {}, {}, owner);
      source = log.open({});
      EXPECT_GT(owner.use_count(), 2);
    }
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(ArraysTest, EqualArraysHaveOneDigestAndOthersAnother) {
  const auto digest = [](const Log& log) {
    auto source = log.open({});
    return source.ok() ? *(*source)->sha256() : "";
  };
  const RowMajor by_rows = position_;
  const std::string own = digest(array_log("memory", time_, position_, torque_));
  EXPECT_EQ(own.size(), 64u);
  EXPECT_EQ(digest(array_log("elsewhere", time_, by_rows, torque_)), own);
  position_(kArrayRows - 1, 1) = std::nextafter(position_(kArrayRows - 1, 1), 2);
  EXPECT_NE(digest(array_log("memory", time_, position_, torque_)), own);
}

TEST_F(ArraysTest, RefusesArraysOfDifferentLengths) {
  const Eigen::ArrayXXd shorter = torque_.topRows(kArrayRows - 1);
  EXPECT_THAT(refusal(array_log("memory", time_, position_, shorter)),
              HasSubstr("memory: tau1: has 899 rows, but the time column 't' has 900"));
  const Eigen::ArrayXd none;
  EXPECT_THAT(refusal(array_log("memory", none, position_, torque_)),
              HasSubstr("memory: has no rows"));
  EXPECT_THAT(refusal(array_log("memory", position_, position_, torque_)),
              HasSubstr("2 time columns"));
  EXPECT_THAT(refusal(array_log("memory", std::vector<ArrayGroup>{})),
              HasSubstr("memory: has no columns"));
  EXPECT_THAT(refusal(array_log("memory", {{"", time_, {{{"q1"}, position_}}}})),
              HasSubstr("1 names for 2 columns"));
  EXPECT_THAT(refusal(array_log("memory", {{"", time_, {{{"q1", "t"}, position_}}}})),
              HasSubstr("two columns are named 't'"));
  const Conditioned one_joint = run_(array_log("memory", time_, time_, torque_));
  EXPECT_THAT(one_joint.error(), HasSubstr("memory: no column 'q2' for the position of 'joint_2'"));
}

}  // namespace
}  // namespace heft
