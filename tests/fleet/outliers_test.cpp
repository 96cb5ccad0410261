// Outliers of handwritten records.
#include "outliers.hpp"

#include <gtest/gtest.h>

namespace heft {
namespace {

using Records = std::vector<std::optional<AnswerRecord>>;

RecordedQuantity quantity(const std::string& name, double value, const std::string& unit,
                          double half_width) {
  return {name, value, unit, std::array<double, 2>{value - half_width, value + half_width}};
}

AnswerRecord record(double mass, double friction, double half_width = 0.01) {
  return {.model = "arm",
          .held_out = 0.01,
          .masses = {quantity("tool", mass, "kg", half_width)},
          .columns = {quantity("viscous j1", friction, "N m s/rad", half_width)}};
}

Records population() {
  Records records;
  for (int k = -4; k <= 4; ++k) records.push_back(record(1 + 0.1 * k, 2 + 0.1 * k));
  return records;
}

TEST(FleetOutliers, AreMeasuredByTheMedianDeviation) {
  Records records = population();
  records.push_back(record(2.6, 2));
  const auto found = outliers_of(records);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].robot, 9u);
  EXPECT_EQ(found[0].quantity, "mass of tool");
  // of 0.6, 0.7 .. 1.4, 2.6: the median is 1.05; deviations .05 .05 .15 .15 .25 .25 .35 .35
  // .45 1.55: theirs is 0.25
  EXPECT_NEAR(found[0].median, 1.05, 1e-12);
  EXPECT_NEAR(found[0].sigma, 1.55 / (1.482602218505602 * 0.25), 1e-9);
  EXPECT_EQ(words_of(found[0], "417"),
            "robot 417: mass of tool 4.2 sigma above the population median (2.6 against 1.05 kg)");
}

TEST(FleetOutliers, NeedAnIntervalThatIsSure) {
  Records records = population();
  records.push_back(record(2.6, 2, 2));
  EXPECT_TRUE(outliers_of(records).empty());
  records.back()->masses[0].interval.reset();
  EXPECT_TRUE(outliers_of(records).empty());
}

TEST(FleetOutliers, NeedAPopulation) {
  Records records = {record(1, 2), record(1, 2), record(9, 2), {}};
  EXPECT_TRUE(outliers_of(records).empty());
  records = population();
  records.push_back(record(2.6, 2));
  records.back()->model = "another model";
  EXPECT_TRUE(outliers_of(records).empty());
}

}  // namespace
}  // namespace heft
