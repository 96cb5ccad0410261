// What a search may add: families that exclude each other, and no option that the model already
// has.
#include "host/identification/select/menu.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/oracle/random_robot.hpp"

namespace heft::select {
namespace {

const MenuItem& item_named(const std::vector<MenuItem>& menu, const std::string& name) {
  const auto found = std::find_if(menu.begin(), menu.end(),
                                  [&](const MenuItem& item) { return item.name == name; });
  EXPECT_NE(found, menu.end()) << name;
  return *found;
}

class Menu : public ::testing::Test {
 protected:
  Menu() {
    oracle::RandomRobotOptions options;
    options.min_bodies = options.max_bodies = 4;
    robot_ = oracle::random_robot(options, 3);
  }

  Robot robot_;
  std::vector<ColumnSpec> columns_ = ModelOptions().columns;
  SelectionOptions options_;
};

TEST_F(Menu, AnotherSharpnessTakesThePlaceOfCoulombFriction) {
  const std::vector<MenuItem> menu = column_menu(columns_, options_, robot_);
  const std::vector<ColumnSpec> sharp = with_item(columns_, item_named(menu, "coulomb 0.01"));
  ASSERT_EQ(sharp.size(), columns_.size());
  EXPECT_TRUE(std::none_of(sharp.begin(), sharp.end(),
                           [](const ColumnSpec& c) { return c.kind == "coulomb"; }));
  // and another one that of the first, while other families stay
  const std::vector<ColumnSpec> blunt = with_item(sharp, item_named(menu, "coulomb 0.2"));
  EXPECT_EQ(blunt.size(), sharp.size());
  EXPECT_TRUE(contains(blunt, item_named(menu, "coulomb 0.2")));
  EXPECT_FALSE(contains(blunt, item_named(menu, "coulomb 0.01")));
  const std::vector<ColumnSpec> more = with_item(blunt, item_named(menu, "square-root friction"));
  EXPECT_EQ(more.size(), blunt.size() + 1);
}

TEST_F(Menu, OffersNothingThatTheModelHas) {
  columns_.push_back({.kind = "spring"});
  for (const MenuItem& item : column_menu(columns_, options_, robot_))
    EXPECT_NE(item.name, "spring");
}

TEST_F(Menu, HasTheUsersCandidatesAndOnlyTheseOnRequest) {
  ColumnSpec own{.kind = "expression", .name = "cable", .unit = "N m"};
  own.each_joint = "q^3";
  options_.candidates = {own};
  EXPECT_EQ(item_named(column_menu(columns_, options_, robot_), "cable").specs.front().each_joint,
            "q^3");
  options_.menu = MenuChoice::none;
  EXPECT_EQ(column_menu(columns_, options_, robot_).size(), 1u);
}

TEST_F(Menu, KnowsWhichUnknownsMayBeNegative) {
  const std::vector<MenuItem> menu = column_menu(columns_, options_, robot_);
  for (const char* name : {"square-root friction", "load-dependent friction 0.01", "maxwell",
                           "dahl", "backdrive", "reflected_inertia"})
    EXPECT_FALSE(has_free_sign(item_named(menu, name), column_kinds())) << name;
  for (const char* name :
       {"spring", "cosine", "stribeck 0.1", "asymmetric viscous friction", "neighbor friction"})
    EXPECT_TRUE(has_free_sign(item_named(menu, name), column_kinds())) << name;
}

TEST_F(Menu, EveryItemExpandsForTheRobot) {
  const std::vector<Channel> channels = default_channels(robot_);
  for (const MenuItem& item : column_menu(columns_, options_, robot_)) {
    const auto columns = make_columns(robot_, channels, {.columns = with_item(columns_, item)});
    ASSERT_TRUE(columns.ok()) << item.name << ": " << columns.error().message();
    for (const Column& column : *columns) EXPECT_FALSE(column.unit.empty()) << column.name;
  }
}

}  // namespace
}  // namespace heft::select
