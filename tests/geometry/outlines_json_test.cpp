// Outlines as the page reads them: decoded according to RFC 4648, they equal the input.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "geometry/outlines_json.hpp"
#include "tests/oracle/random.hpp"

namespace heft {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  // RFC 4648, section 10
  const std::pair<const char*, const char*> kExamples[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kExamples) EXPECT_EQ(base64(bytes), text);
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

/// Unsigned numbers of `width` bytes, little endian.
std::vector<unsigned> decoded(const std::string& text, int width) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned> bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) >= 8) bytes.push_back(bits >> (count -= 8) & 255);
  }
  std::vector<unsigned> numbers;
  for (std::size_t k = 0; k + width <= bytes.size(); k += width) {
    numbers.push_back(0);
    for (int i = 0; i < width; ++i) numbers.back() |= bytes[k + i] << 8 * i;
  }
  return numbers;
}

void expect_read_back(const Outline& outline, int index_width) {
  Outlines outlines;
  outlines.bodies = {Outline{}, outline};
  outlines.missing = {"a \"link\""};
  const auto json = nlohmann::json::parse(outlines_json(outlines));
  EXPECT_TRUE(json["bodies"][0].is_null());
  EXPECT_EQ(json["missing"][0], "a \"link\"");
  const auto& drawn = json["bodies"][1];
  const std::vector<unsigned> vertices = decoded(drawn["vertices"], 2),
                              faces = decoded(drawn["faces"], index_width);
  ASSERT_EQ(static_cast<Eigen::Index>(vertices.size()), outline.vertices.size());
  ASSERT_EQ(static_cast<Eigen::Index>(faces.size()), outline.faces.size());
  for (Eigen::Index k = 0; k < outline.vertices.size(); ++k) {
    const double step = drawn["step"][k % 3], low = drawn["low"][k % 3];
    ASSERT_NEAR(low + step * vertices[k], outline.vertices.data()[k], 0.51 * step + 1e-6);
  }
  for (Eigen::Index k = 0; k < outline.faces.size(); ++k)
    ASSERT_EQ(static_cast<int>(faces[k]), outline.faces.data()[k]);
}

TEST(OutlinesJson, IsReadBackWithinHalfAStep) {
  for (const int count : {3, 60, 70'002}) {
    oracle::Random random(count);
    Outline outline;
    outline.vertices.resize(3, count);
    for (float& value : outline.vertices.reshaped())
      value = static_cast<float>(random.uniform(-1, 3));
    outline.vertices.row(2).setConstant(0.25f);  // flat
    outline.faces =
        Eigen::VectorXi::LinSpaced(count, 0, count - 1).reverse().reshaped(3, count / 3);
    expect_read_back(outline, count > 65536 ? 4 : 2);
  }
}

}  // namespace
}  // namespace heft
