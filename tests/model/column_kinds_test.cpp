// The table of column kinds equals the set that the schema of results allows; a kind added by a
// program passes through configuration, setup, menu and layout like a built-in one.
#include "heft/model/parameter_layout.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/column_specs.hpp"
#include "heft/setup/setup.hpp"
#include "host/identification/select/menu.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

/// All lists `enum` of the properties `kind` of a JSON schema that hold a name.
void find_enums(const nlohmann::json& schema, const std::string& name,
                std::vector<std::vector<std::string>>& found) {
  if (schema.is_object() && schema.contains("kind") && schema["kind"].is_object() &&
      schema["kind"].contains("enum")) {
    const auto names = schema["kind"]["enum"].get<std::vector<std::string>>();
    if (std::ranges::find(names, name) != names.end()) found.push_back(names);
  }
  if (!schema.is_structured()) return;
  for (const auto& part : schema) find_enums(part, name, found);
}

TEST(ColumnKinds, AreThoseThatTheSchemaOfResultsAllows) {
  std::ifstream file(HEFT_RESULT_SCHEMA);
  ASSERT_TRUE(file) << HEFT_RESULT_SCHEMA;
  std::vector<std::vector<std::string>> enums;
  find_enums(nlohmann::json::parse(file), "viscous", enums);
  ASSERT_EQ(enums.size(), 1u);
  EXPECT_EQ(enums.front(), column_kind_names(column_kinds()));
}

TEST(ColumnKinds, HaveUnitsUnlessAnExpressionGivesThem) {
  for (const ColumnKind& kind : column_kinds()) {
    EXPECT_EQ(std::string(kind.angular_unit).empty(), kind.is_expression) << kind.name;
    EXPECT_EQ(std::string(kind.linear_unit).empty(), kind.is_expression) << kind.name;
    EXPECT_EQ(kind.has_width, kind.default_width > 0) << kind.name;
    EXPECT_EQ(find_column_kind(column_kinds(), kind.name), &kind) << kind.name;
  }
}

class Toy : public ::testing::Test {
 protected:
  Toy() : kinds_(column_kinds().begin(), column_kinds().end()) {
    kinds_.push_back({.name = "toy",
                      .effect = ColumnEffect::dry_friction,
                      .feature = core::Feature::sign_velocity,
                      .angular_unit = "N m",
                      .linear_unit = "N",
                      .is_nonnegative = true,
                      .has_width = true,
                      .default_width = 0.25,
                      .place_in_menu = 3});
    oracle::RandomRobotOptions options;
    options.min_bodies = options.max_bodies = 4;
    robot_ = oracle::random_robot(options, 3);
  }

  std::vector<ColumnKind> kinds_;
  Robot robot_;
};

TEST_F(Toy, IsReadAndWrittenLikeABuiltInKind) {
  const YAML::Node plain = YAML::Load("[toy]"), wide = YAML::Load("[toy: {tanh_width: 0.5}]");
  const auto specs = config::read_column_specs(plain, "arm.yaml", kinds_);
  ASSERT_TRUE(specs.ok()) << specs.error().message();
  EXPECT_EQ(specs->front().kind, "toy");
  EXPECT_EQ(specs->front().tanh_width, 0.25);
  const auto of_width = config::read_column_specs(wide, "arm.yaml", kinds_);
  ASSERT_TRUE(of_width.ok()) << of_width.error().message();
  EXPECT_EQ(config::write_column_specs(*of_width, kinds_).dump(),
            R"([{"toy":{"tanh_width":0.5}}])");
  EXPECT_FALSE(config::read_column_specs(plain, "arm.yaml").ok());
}

TEST_F(Toy, BecomesAColumnOfEveryJoint) {
  const auto model = make_model(
      robot_,
      {.columns = {{.kind = "toy", .tanh_width = 0.5}, {.kind = "viscous"}}, .kinds = kinds_});
  ASSERT_TRUE(model.ok()) << model.error().message();
  const ParameterLayout& layout = model->plan->layout;
  ASSERT_EQ(layout.num_columns(), 2 * robot_.num_coordinates());
  for (int k = 0; k < robot_.num_coordinates(); ++k) {
    const Column& column = layout.columns[static_cast<std::size_t>(k)];
    const Coordinate& joint = robot_.coordinates[static_cast<std::size_t>(k)];
    EXPECT_EQ(column.name, "toy " + joint.name);
    EXPECT_EQ(column.effect, ColumnEffect::dry_friction);
    EXPECT_EQ(column.unit, joint.is_angle ? "N m" : "N");
    EXPECT_TRUE(column.nonnegative);
    ASSERT_EQ(column.terms.size(), 1u);
    EXPECT_EQ(column.terms.front().feature, core::Feature::tanh_velocity);
    EXPECT_EQ(column.terms.front().width, 0.5);
  }
  EXPECT_EQ(layout.columns.back().effect, ColumnEffect::damping);
}

TEST_F(Toy, JoinsTheMenuOfItsTable) {
  const std::vector<ColumnSpec> columns = ModelOptions().columns;
  const auto has_toy = [](const std::vector<select::MenuItem>& menu) {
    return std::ranges::any_of(menu, [](const auto& item) { return item.name == "toy"; });
  };
  EXPECT_TRUE(has_toy(select::column_menu(columns, {}, robot_, kinds_)));
  EXPECT_FALSE(has_toy(select::column_menu(columns, {}, robot_)));
}

TEST_F(Toy, IsAnErrorWithoutItsTable) {
  const auto model = make_model(robot_, {.columns = {{.kind = "toy"}}});
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().what.find("'toy'"), std::string::npos) << model.error().message();
}

}  // namespace
}  // namespace heft
