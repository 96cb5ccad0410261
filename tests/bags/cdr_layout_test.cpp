// Messages whose layout repeats are read without decoding them again: the numbers must be those of
// a decoder that has seen no other message.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bags/decoder.hpp"
#include "base/random_stream.hpp"

namespace heft::bags {
namespace {

constexpr const char* kJointState = R"(Header header
string[] name
float64[] position
float32[] effort
uint8 mode
================================================================================
MSG: std_msgs/Header
int32 sec
uint32 nanosec
string frame_id
)";

/// Writes CDR of little-endian machines, version 1.
class Writer {
 public:
  template <class Number>
  Writer& put(Number value) {
    bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto* raw = reinterpret_cast<const char*>(&value);
    bytes_.append(raw, sizeof value);
    return *this;
  }
  Writer& text(const std::string& value) {
    put(static_cast<std::uint32_t>(value.size() + 1));
    bytes_.append(value.c_str(), value.size() + 1);
    return *this;
  }
  std::string message() const { return std::string("\0\1\0\0", 4) + bytes_; }

 private:
  std::string bytes_;
};

struct State {
  std::string frame;
  std::vector<std::string> names;
  std::size_t num_efforts;
};

std::string message_of(const State& state, RandomStream& random) {
  Writer writer;
  writer.put(std::int32_t{7}).put(static_cast<std::uint32_t>(random.uniform(0, 1e9)));
  writer.text(state.frame).put(static_cast<std::uint32_t>(state.names.size()));
  for (const std::string& name : state.names) writer.text(name);
  writer.put(static_cast<std::uint32_t>(state.names.size()));
  for (std::size_t k = 0; k < state.names.size(); ++k) writer.put(random.uniform(-3, 3));
  writer.put(static_cast<std::uint32_t>(state.num_efforts));
  for (std::size_t k = 0; k < state.num_efforts; ++k)
    writer.put(static_cast<float>(random.uniform(-3, 3)));
  return writer.put(std::uint8_t{3}).message();
}

std::unique_ptr<Decoder> decoder_of(const std::vector<std::string>& messages) {
  const Topic topic{.name = "/joint_states",
                    .type = "test_msgs/msg/State",
                    .encoding = "cdr",
                    .schema_encoding = "ros2msg",
                    .schema = kJointState};
  auto decoder = Decoder::make(topic);
  EXPECT_TRUE(decoder) << decoder.error().message();
  for (const std::string& message : messages) EXPECT_TRUE((*decoder)->discover(message));
  std::vector<int> all;
  for (std::size_t k = 0; k < (*decoder)->leaves().size(); ++k)
    if (k % 3 != 2) all.push_back(static_cast<int>(k));  // runs of numbers, with holes
  (*decoder)->select(all);
  return std::move(*decoder);
}

std::vector<std::uint64_t> numbers_of(Decoder& decoder, const std::string& message) {
  std::vector<double> numbers(decoder.leaves().size(), 123);
  EXPECT_TRUE(decoder.read(message, numbers.data()));
  std::vector<std::uint64_t> bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

// Frames of equal length, names in another order, and efforts that lack make messages that differ
// in one of the bytes that decide where numbers lie.
TEST(CdrLayout, GivesTheNumbersOfADecoderWithoutMemory) {
  const std::vector<State> states = {{"base", {"hip", "toe"}, 2}, {"base", {"toe", "hip"}, 2},
                                     {"bass", {"hip", "toe"}, 2}, {"base", {"hip", "toe"}, 0},
                                     {"bas", {"hip", "toe"}, 2},  {"base", {"hip"}, 4}};
  RandomStream random(5);
  std::vector<std::string> first;
  for (const State& state : states) first.push_back(message_of(state, random));
  const auto decoder = decoder_of(first);
  std::size_t repeats = 0;
  for (int k = 0; k < 400; ++k) {
    const auto state = static_cast<std::size_t>(random.uniform(0, 1) * 5.999);
    for (int again = 0; again < 1 + k % 4; ++again, ++repeats) {
      const std::string message = message_of(states[state], random);
      ASSERT_EQ(numbers_of(*decoder, message), numbers_of(*decoder_of(first), message)) << state;
      ASSERT_EQ(decoder->labels(), states[state].names);
    }
  }
  EXPECT_GT(repeats, 900);
}

TEST(CdrLayout, RefusesATruncatedMessageAfterWholeOnes) {
  RandomStream random(5);
  const State state{"base", {"hip", "toe"}, 2};
  const std::string message = message_of(state, random);
  const auto decoder = decoder_of({message});
  std::vector<double> numbers(decoder->leaves().size());
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(decoder->read(message, numbers.data()));
  EXPECT_FALSE(decoder->read(message.substr(0, message.size() - 9), numbers.data()));
  EXPECT_TRUE(decoder->read(message, numbers.data()));
}

}  // namespace
}  // namespace heft::bags
