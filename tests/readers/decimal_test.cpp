// Plain decimals compared with the C library, which rounds to the nearest double; other text must
// be left alone.
#include "host/data/readers/decimal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <random>
#include <string>

namespace heft {
namespace {

constexpr double kPoison = -12345.678;

/// The text between others that look like parts of it.
bool parse(const std::string& text, double& value) {
  const std::string around = "9.9999999999999999," + text + ",8.8888888888888888";
  const char* begin = around.data() + 19;
  value = kPoison;
  return parse_plain_decimal(begin, begin + text.size(), value);
}

TEST(DecimalTest, ReadsTheNearestDouble) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 200'000; ++trial) {
    const int num_digits = 1 + static_cast<int>(random() % 15);
    std::string text;
    for (int k = 0; k < num_digits; ++k) text += static_cast<char>('0' + random() % 10);
    if (random() % 4 != 0) text.insert(random() % (text.size() + 1), ".");
    if (random() % 2 == 0) text.insert(0, "-");
    double value;
    ASSERT_TRUE(parse(text, value)) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value),
              std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)))
        << text;
  }
}

TEST(DecimalTest, LeavesAllElseToOthers) {
  for (const std::string text : {"",
                                 "-",
                                 ".",
                                 "-.",
                                 "+1",
                                 "1e5",
                                 "1E5",
                                 "nan",
                                 "inf",
                                 "1.2.3",
                                 "1..2",
                                 "--1",
                                 "1-",
                                 " 1",
                                 "1 ",
                                 "0x1",
                                 "1,5",
                                 "\"1\"",
                                 "1:",
                                 "1/2",
                                 "\x80",
                                 "\xff",
                                 "1\xb0",
                                 "1234567890123456",
                                 "0.1234567890123456",
                                 "12345678.12345678",
                                 "a.bcdefg",
                                 "n/a"}) {
    double value;
    EXPECT_FALSE(parse(text, value)) << text;
    EXPECT_EQ(value, kPoison) << text;
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (byte >= '0' && byte <= '9') continue;
    for (const char* form : {"{}", "12{}", "{}34", "1.{}5"}) {
      const std::string text = fmt::format(fmt::runtime(form), static_cast<char>(byte));
      const bool number = text == "-34" || (byte == '.' && (text == "12." || text == ".34"));
      double value;
      EXPECT_EQ(parse(text, value), number) << form << " " << byte;
    }
  }
}

}  // namespace
}  // namespace heft
