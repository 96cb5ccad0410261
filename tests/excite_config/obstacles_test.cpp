// Obstacles from YAML.
#include "excite_config/obstacles.hpp"

#include <gtest/gtest.h>

namespace heft {
namespace {

TEST(Obstacles, AreReadByTheirNames) {
  const auto obstacles = obstacles_from_yaml(
      "obstacles:\n"
      "  - {name: table, box: [1.2, 0.8, 0.04], position: [0.6, 0, -0.02]}\n"
      "  - {name: ball, sphere: {radius: 0.1}, position: [0, 0.6, 0.8]}\n",
      "scene.yaml");
  ASSERT_TRUE(obstacles) << obstacles.error().message();
  ASSERT_EQ(obstacles->size(), 2u);
  EXPECT_EQ((*obstacles)[0].name, "table");
  EXPECT_EQ((*obstacles)[1].name, "ball");
}

TEST(Obstacles, HaveOneShapeANameOfTheirOwnAndPositiveSizes) {
  for (const char* wrong :
       {"obstacles: [{name: a, position: [0, 0, 0]}]",
        "obstacles: [{name: a, box: [1, 1, 1], sphere: {radius: 1}}]",
        "obstacles: [{name: a, box: [1, 0, 1]}]", "obstacles: [{box: [1, 1, 1]}]",
        "obstacles: [{name: a, box: [1, 1, 1]}, {name: a, box: [1, 1, 1]}]"}) {
    const auto obstacles = obstacles_from_yaml(wrong, "scene.yaml");
    ASSERT_FALSE(obstacles) << wrong;
    EXPECT_EQ(obstacles.error().where.rfind("scene.yaml", 0), 0u) << obstacles.error().where;
  }
}

}  // namespace
}  // namespace heft
