// What a fleet stores of a handwritten result.json, and that it reads back what it wrote.
#include "answer_record.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "history.hpp"
#include "tests/oracle/random.hpp"

namespace heft {
namespace {

using Json = nlohmann::ordered_json;

Json body(const std::string& name, double mass, double reference_mass) {
  return {{"name", name},
          {"parameters", {{"m", mass}, {"mcx", 0.5}}},
          {"prior", {{"m", reference_mass}, {"mcx", 0}}}};
}

Json result() {
  return {
      {"status", "certified"},
      {"verdict", {{"level", "amber"}}},
      {"training", {{"overall_relative", 0.02}}},
      {"validation", {{"overall_relative", 0.03}}},
      {"doubts",
       {{{"id", "payload"}, {"severity", "serious"}, {"accepted", false}, {"words", "heavier"}},
        {{"id", "joint-zero"}, {"severity", "serious"}, {"accepted", true}, {"words", "turned"}},
        {{"id", "torque-trend"}, {"severity", "minor"}, {"accepted", false}, {"words", "rises"}}}},
      {"bodies", {body("arm", 4.25, 4), body("tool", 1.5, 1)}},
      {"columns", {{{"name", "viscous j1"}, {"value", 0.1}, {"unit", "N m s/rad"}}}},
      {"uncertainty",
       {{"parameters",
         {{{"name", "arm.m"}, {"interval", Json()}},
          {{"name", "tool.m"}, {"interval", {1.25, 1.75}}},
          {{"name", "tool.mcx"}, {"interval", {0, 1}}},
          {{"name", "viscous j1"}, {"interval", {0.05, 0.15}}}}}}}};
}

TEST(FleetAnswerRecord, KeepsTheComparedQuantities) {
  const AnswerRecord record = AnswerRecord::of(result(), "abc");
  EXPECT_EQ(record.digest, "abc");
  EXPECT_EQ(record.verdict, "amber");
  EXPECT_TRUE(record.is_certified);
  EXPECT_EQ(record.training, 0.02);
  EXPECT_EQ(record.held_out, 0.03);
  ASSERT_EQ(record.doubts.size(), 3u);
  EXPECT_TRUE(record.doubts[0].is_open);
  EXPECT_FALSE(record.doubts[1].is_open);  // accepted
  EXPECT_FALSE(record.doubts[2].is_open);  // minor
  ASSERT_EQ(record.masses.size(), 2u);
  EXPECT_EQ(record.masses[0].value, 4.25);
  EXPECT_FALSE(record.masses[0].interval);
  EXPECT_EQ(record.masses[1].interval, (std::array{1.25, 1.75}));
  ASSERT_EQ(record.columns.size(), 1u);
  EXPECT_EQ(record.columns[0].unit, "N m s/rad");
  EXPECT_EQ(record.columns[0].interval, (std::array{0.05, 0.15}));
}

TEST(FleetAnswerRecord, OfAnAnswerWithoutCertificateIntervalsOrHeldOutLogs) {
  Json least = result();
  least["status"] = "not certified";
  least.erase("uncertainty"), least.erase("validation");
  const AnswerRecord record = AnswerRecord::of(least, "abc");
  EXPECT_FALSE(record.is_certified);
  EXPECT_FALSE(record.held_out);
  EXPECT_EQ(record.masses[1].value, 1.5);
  EXPECT_FALSE(record.masses[1].interval);
}

TEST(FleetAnswerRecord, DropsIntervalsWithoutEnds) {
  Json open = result();
  open["uncertainty"]["parameters"][1]["interval"] = {1.25, Json()};
  const AnswerRecord record = AnswerRecord::of(open, "abc");
  EXPECT_FALSE(record.masses[1].interval);
  EXPECT_TRUE(AnswerRecord::from_text(record.text()));
}

TEST(FleetAnswerRecord, ChangesAreToldDayByDay) {
  AnswerRecord record{
      .masses = {{"arm", 4, "kg", std::array{3.9, 4.1}}, {"tool", 1, "kg", std::array{0.9, 1.1}}},
      .columns = {{"viscous j1", 0.2, "N m s/rad", std::array{0.1, 0.3}}}};
  record.days = {{"2026-11-01", {{"arm", 4}, {"tool", 1}}, {{"viscous j1", 0.2}}},
                 {"2026-11-02", {{"arm", 4}, {"tool", 1.6}}, {{"viscous j1", 0.9}}},
                 {"2026-11-03", {{"arm", 5}, {"tool", 1.6}}, {{"viscous j1", 0.9}}}};
  const std::vector<std::string> told = {"mass of tool rose from 1 to 1.6 kg on 2026-11-02",
                                         "viscous j1 rose from 0.2 to 0.9 N m s/rad on 2026-11-02",
                                         "mass of arm rose from 4 to 5 kg on 2026-11-03"};
  EXPECT_EQ(changes_in(record), told);

  // the intervals of the days themselves, which the change between them does not widen
  record.masses[0].interval = record.masses[1].interval = std::array{0.0, 9.0};
  record.columns[0].interval = std::nullopt;
  EXPECT_EQ(changes_in(record), std::vector<std::string>());
  for (RecordedDay& day : record.days) {
    day.mass_widths = {{"arm", 0.4}, {"tool", 0.31}};
    day.column_widths = {{"viscous j1", 0.1}};
  }
  EXPECT_EQ(changes_in(record), (std::vector<std::string>{told[1], told[2]}));
}

// Days of robots whose values differ by normal numbers of `scale` times what the intervals claim;
// one robot in ten changed by a hundred times as much.
std::vector<std::optional<AnswerRecord>> robots_with_days(int count, double scale) {
  oracle::Random random(count);
  std::vector<std::optional<AnswerRecord>> records(1);  // a robot without an answer
  for (int r = 0; r < count; ++r) {
    AnswerRecord record{.masses = {{"arm", 4, "kg", std::nullopt}}};
    for (int day = 0; day < 4; ++day) {
      const double change = r % 10 == 9 && day > 1 ? 100 * scale : 0;
      record.days.push_back({.date = "2026-11-0" + std::to_string(day + 1),
                             .masses = {{"arm", 4 + scale * random.normal() + change}},
                             .columns = {{"viscous j1", scale * random.normal()}},
                             .mass_widths = {{"arm", 1.96}},
                             .column_widths = {{"viscous j1", 1.96}}});
    }
    records.push_back(record);
  }
  return records;
}

TEST(FleetAnswerRecord, DaysOfAllRobotsCalibrateIntervals) {
  EXPECT_FALSE(day_differences(robots_with_days(7, 1)));
  const auto as_claimed = day_differences(robots_with_days(200, 1));
  ASSERT_TRUE(as_claimed);
  EXPECT_EQ(as_claimed->num_robots, 200U);
  EXPECT_EQ(as_claimed->num_differences, 1200U);
  EXPECT_NEAR(as_claimed->ratio, 1, 0.1);
  const auto records = robots_with_days(200, 3);
  const auto larger = day_differences(records);
  ASSERT_TRUE(larger);
  EXPECT_NEAR(larger->widened_by, 3, 0.3);
  // the change of one robot in ten is told, the scatter of the others is not
  std::size_t num_told = 0;
  for (const auto& record : records)
    if (record) num_told += changes_in(*record, larger->widened_by).size();
  EXPECT_GE(num_told, 20U);
  EXPECT_LE(num_told, 40U);  // 400 without the factor
}

TEST(FleetAnswerRecord, RobotsOfOneModelShareBodiesReferencesAndColumns) {
  const std::string model = AnswerRecord::of(result(), "").model;
  Json heavier = result(), other_reference = result(), other_column = result();
  heavier["bodies"][1]["parameters"]["m"] = 7;
  EXPECT_EQ(AnswerRecord::of(heavier, "").model, model);
  other_reference["bodies"][1]["prior"]["m"] = 7;
  EXPECT_NE(AnswerRecord::of(other_reference, "").model, model);
  Json other_body = result();
  other_body["bodies"][0]["name"] = "link";
  EXPECT_NE(AnswerRecord::of(other_body, "").model, model);
  other_column["columns"][0]["name"] = "coulomb j1";
  EXPECT_NE(AnswerRecord::of(other_column, "").model, model);
}

TEST(FleetAnswerRecord, IsReadAsItWasWritten) {
  AnswerRecord record = AnswerRecord::of(result(), "abc");
  record.held_out.reset();
  record.days = {{"2026-11-01", {{"arm", 1.0 / 3}}, {{"viscous j1", 0.1}}},
                 {"2026-11-02", {{"arm", 0.5}}, {}}};
  record.population = RecordedPopulation{.robots = 9, .released = {{"tool", 1e-7}}};
  record.doubts[1].words = "of two\nlines, 3 4 5";
  record.columns[0].value = -std::numeric_limits<double>::denorm_min();
  const auto read = AnswerRecord::from_text(record.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), record.text());
  EXPECT_EQ(read->digest, "abc");
  EXPECT_EQ(read->model, record.model);
  EXPECT_EQ(read->verdict, "amber");
  EXPECT_TRUE(read->is_certified);
  EXPECT_EQ(read->training, 0.02);
  ASSERT_EQ(read->doubts.size(), 3u);
  EXPECT_EQ(read->doubts[0].words, "heavier");
  EXPECT_TRUE(read->doubts[0].is_open);
  ASSERT_EQ(read->masses.size(), 2u);
  EXPECT_FALSE(read->masses[0].interval);
  EXPECT_EQ(read->masses[1].interval, (std::array{1.25, 1.75}));
  ASSERT_EQ(read->columns.size(), 1u);
  EXPECT_EQ(read->columns[0].unit, "N m s/rad");
  EXPECT_EQ(read->columns[0].value, record.columns[0].value);
  EXPECT_EQ(read->doubts[1].words, record.doubts[1].words);
  ASSERT_EQ(read->days.size(), 2u);
  EXPECT_EQ(read->days[0].columns.at("viscous j1"), 0.1);
  EXPECT_EQ(read->days[0].masses.at("arm"), 1.0 / 3);
  ASSERT_TRUE(read->population);
  ASSERT_EQ(read->population->released.size(), 1u);
  EXPECT_EQ(read->population->released[0].group, "tool");
  EXPECT_FALSE(read->held_out);
}

TEST(FleetAnswerRecord, OfAnotherKindIsNone) {
  const std::string text = AnswerRecord::of(result(), "abc").text(), schema = kAnswerSchema;
  ASSERT_TRUE(AnswerRecord::from_text(text));
  std::string older = text;
  older.replace(older.find(schema), schema.size(), schema.substr(0, schema.size() - 1) + "2");
  EXPECT_FALSE(AnswerRecord::from_text(older));
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(AnswerRecord::from_text(text.substr(0, size))) << size;
  EXPECT_FALSE(AnswerRecord::from_text(text + " "));
}

/// Whatever a byte becomes, reading ends, and asks for no more memory than the text is long.
TEST(FleetAnswerRecord, OfADamagedTextReadingEnds) {
  const std::string text = AnswerRecord::of(result(), "abc").text();
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char other : {'9', '-', ' ', 'e', '\n'}) {
      std::string damaged = text;
      damaged[at] = other;
      (void)AnswerRecord::from_text(damaged);
    }
}

}  // namespace
}  // namespace heft
