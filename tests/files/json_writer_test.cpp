// The writer of large documents against the library's own: the same bytes.
#include "files/json_writer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>

namespace heft {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const auto& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

Json document() {
  Json numbers = Json::array();
  std::mt19937_64 random(3);
  for (int k = 0; k < 2000; ++k) {
    numbers.push_back(std::bit_cast<double>(random()));  // of any size, some not finite
    numbers.push_back(static_cast<double>(random() % 100000) / 1000);
  }
  for (const double x : {0.0, -0.0, 1.0, 1e15, 1e16, 1e-5, 5e-324, 0.1 + 0.2}) numbers.push_back(x);
  return {{"z", numbers},
          {"integers",
           {0, -7, std::numeric_limits<std::int64_t>::min(),
            std::numeric_limits<std::uint64_t>::max()}},
          {"texts",
           {"", "plain", "a \"quoted\" one", "back\\slash", "line\nand tab\t", "\x01\x1f", "\x7f",
            "\xc3\xa9", "cut short \xc3", "\xff in between \xff", "/ and é"}},
          {"key \"of\" \xff", {{"b", nullptr}, {"a", true}, {"c", Json::object()}}},
          {"empty", Json::array()},
          {"deep", {{{{"b", {false}}, {"a", {{"y", 1}, {"x", 2}}}}}}}};
}

TEST(JsonWriter, IsThatOfTheLibrary) {
  for (const int indent : {-1, 0, 1, 2}) {
    EXPECT_EQ(json_text(document(), {.indent = indent}), dumped(document(), indent)) << indent;
    for (const Json& value : document()["texts"])
      EXPECT_EQ(json_text(value, {.indent = indent}), dumped(value, indent));
  }
  EXPECT_EQ(json_text(Json()), "null");
  EXPECT_EQ(json_text(Json::object(), {.indent = 2}), "{}");
}

TEST(JsonWriter, SortsKeysAtEveryLevel) {
  EXPECT_EQ(json_text(document(), {.sorts_keys = true}), dumped(nlohmann::json(document()), -1));
}

TEST(JsonWriter, ReplacesTextsButNoKeys) {
  const Json value{{"log.csv", {"log.csv", "as it is", 3}}};
  const JsonForm form{.text_of = [](const std::string& text) {
    return text == "log.csv" ? std::string("a \"digest\"") : text;
  }};
  EXPECT_EQ(json_text(value, form), R"({"log.csv":["a \"digest\"","as it is",3]})");
}

TEST(JsonWriter, ObjectsAreThoseOfTheLibrary) {
  const std::string name = "link 1";
  Json moved = {1, 2};
  EXPECT_EQ(
      json_object({{"name", name},
                   {"mass", 1.5},
                   {"rank", 3},
                   {"none", nullptr},
                   {"list", std::move(moved)}}),
      (Json{{"name", "link 1"}, {"mass", 1.5}, {"rank", 3}, {"none", nullptr}, {"list", {1, 2}}}));
  EXPECT_EQ(json_object({}), Json::object());
}

}  // namespace
}  // namespace heft
