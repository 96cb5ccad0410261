// Numbers from messages with JSON encoding.
#include <gtest/gtest.h>

#include <cmath>

#include "bags/decoder.hpp"

namespace heft::bags {
namespace {

TEST(JsonDecoder, NamesElementsByTheArrayOfNamesBesideThem) {
  const Topic topic{.name = "/joint_states", .encoding = "json", .schema_encoding = "jsonschema"};
  const auto decoder = Decoder::make(topic);
  ASSERT_TRUE(decoder) << decoder.error().message();
  ASSERT_TRUE((*decoder)->discover(R"({"name": ["hip", "knee"], "position": [0.5, -2]})"));
  std::vector<std::string> names;
  for (const Path& path : (*decoder)->leaves()) names.push_back(path_text(path));
  EXPECT_EQ(names, (std::vector<std::string>{"position.hip", "position.knee"}));

  (*decoder)->select({1, 0});
  double numbers[2];
  // in another order of joints
  ASSERT_TRUE((*decoder)->read(R"({"name": ["knee", "hip"], "position": [7, 3]})", numbers));
  EXPECT_EQ(numbers[0], 7);
  EXPECT_EQ(numbers[1], 3);
  ASSERT_TRUE((*decoder)->read(R"({"name": ["hip"], "position": [4]})", numbers));
  EXPECT_TRUE(std::isnan(numbers[0]));
  EXPECT_EQ(numbers[1], 4);
}

TEST(JsonDecoder, RefusesValuesOtherThanObjects) {
  const auto decoder = Decoder::make({.name = "/x", .encoding = "json"});
  ASSERT_TRUE(decoder);
  for (const char* wrong : {"", "3", "[1]", R"({"a": )"})
    EXPECT_FALSE((*decoder)->discover(wrong)) << wrong;
}

}  // namespace
}  // namespace heft::bags
