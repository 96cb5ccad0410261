// Samples of the planar arm to lines: the rate, states, errors, and snapshots.
#include "watch_stream/watch_stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/watch_stream/identified_arm.hpp"

namespace heft {
namespace {

using Json = nlohmann::json;

/// Lines of the samples from `first` to `last`.
std::vector<Json> push(WatchStream& stream, int first, int last) {
  WatchedArm arm;
  std::vector<Json> all;
  for (int k = 0; k < last; ++k) {
    const ArmSample sample = arm.next();
    if (k < first) continue;
    const auto lines = stream.push(sample.time, sample.q, sample.tau);
    EXPECT_TRUE(lines);
    for (const WatchLine& line : *lines) all.push_back(Json::parse(line.text));
  }
  return all;
}

TEST(WatchStream, TellsTheRateAndStatesEverySecond) {
  auto stream = *WatchStream::make(identified_arm(), {});
  EXPECT_TRUE(push(stream, 0, 19).empty());
  EXPECT_EQ(stream.watcher(), nullptr);
  const auto lines = push(stream, 19, 1000);
  EXPECT_DOUBLE_EQ(stream.watcher()->options().rate_hz, kRate);
  ASSERT_EQ(lines.size(), 4u);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(lines[k]["type"], "state");
    EXPECT_DOUBLE_EQ(lines[k]["t"], (250.0 * static_cast<double>(k + 1) - 1) / kRate);
  }
  const auto last = *stream.finish();
  ASSERT_EQ(last.size(), 1u);
  EXPECT_TRUE(Json::parse(last[0].text)["certified"]);
  EXPECT_TRUE(stream.is_certified());
  EXPECT_EQ(stream.sample_times().count, 1000);
}

TEST(WatchStream, TellsTheRateFromRoundedTimesAndWithoutStalls) {
  auto stream = *WatchStream::make(identified_arm(), {});
  WatchedArm arm;
  for (int k = 0; k < 1000; ++k) {
    const ArmSample sample = arm.next();
    // 300 Hz in milliseconds, and a second is missing
    const double time = std::round(1e3 * k / 300.0) / 1e3 + (k < 7 ? 0 : 1);
    const auto lines = stream.push(time, sample.q, sample.tau);
    ASSERT_TRUE(lines);
    for (const WatchLine& line : *lines)
      EXPECT_TRUE(line.type == WatchLine::Type::state ||
                  line.what.starts_with("samples are missing"))
          << line.text;
  }
  EXPECT_NEAR(stream.watcher()->options().rate_hz, 300, 6);
}

TEST(WatchStream, RefusesTimesInMilliseconds) {
  auto stream = *WatchStream::make(identified_arm(), {});
  WatchedArm arm;
  for (int k = 0; k < 19; ++k) {
    const ArmSample sample = arm.next();
    ASSERT_TRUE(stream.push(1e3 * sample.time, sample.q, sample.tau));
  }
  const ArmSample sample = arm.next();
  const auto lines = stream.push(1e3 * sample.time, sample.q, sample.tau);
  ASSERT_FALSE(lines);
  EXPECT_NE(lines.error().remedy.find("log.time_unit"), std::string::npos);
}

TEST(WatchStream, ComplainsOnceAboutManyDamagedLines) {
  auto stream = *WatchStream::make(identified_arm(), {});
  const auto lines = stream.complain("half a line");
  ASSERT_EQ(lines.size(), 1u);
  const Json json = Json::parse(lines[0].text);
  EXPECT_EQ(json["type"], "error");
  EXPECT_EQ(json["what"], "half a line");
  for (const char* key :
       {"t", "size", "interval", "onset_s", "error_relative", "age_ms", "latency_us"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  for (int k = 1; k < 1000; ++k) EXPECT_TRUE(stream.complain("half a line").empty());
  EXPECT_EQ(stream.complain("half a line").size(), 1u);
}

TEST(WatchStream, GoesOnFromASnapshot) {
  const auto path = std::filesystem::temp_directory_path() / "heft-watch-stream-test.bin";
  std::filesystem::remove(path);
  const WatchStreamOptions options{.every = 500, .snapshot = path.string()};
  auto whole = *WatchStream::make(identified_arm(), {.every = 500});
  const auto expected = push(whole, 0, 2000);
  auto first = *WatchStream::make(identified_arm(), options);
  push(first, 0, 1000);
  ASSERT_TRUE(first.finish());
  auto second = *WatchStream::make(identified_arm(), options);
  const auto lines = push(second, 1000, 2000);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines.back()["error_relative"], expected.back()["error_relative"]);
  const auto other =
      WatchStream::make(identified_arm(), {.forget_s = 60, .snapshot = path.string()});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().where, path.string());
  std::filesystem::remove(path);
}

TEST(WatchStream, RefusesModelsThatItDoesNotSupport) {
  IdentifiedModel floating = identified_arm(), wrenches = identified_arm(),
                  contacts = identified_arm(), known = identified_arm();
  floating.model =
      make_setup(*read_robot_text("planar.urdf", kWatchedArm, "",
                                  {.floating_base = true, .gravity = {0, -kGravity, 0}}))
          ->model;
  wrenches.configuration.wrenches.push_back({.name = "tool", .frame = "lower"});
  contacts.configuration.contacts.push_back({.frame = "lower"});
  known.configuration.known_torque["elbow"] = "0.1 * q_elbow";
  for (const auto& [model, words] :
       {std::pair(&floating, "a moving base"), std::pair(&wrenches, "measured wrenches"),
        std::pair(&contacts, "contacts"), std::pair(&known, "known torques")}) {
    const auto made = WatchStream::make(*model, {});
    ASSERT_FALSE(made) << words;
    EXPECT_NE(made.error().what.find(words), std::string::npos) << made.error().what;
    EXPECT_FALSE(made.error().remedy.empty());
  }
}

TEST(WatchStream, RefusesOptionsAndTimesThatMakeNoSense) {
  EXPECT_EQ(WatchStream::make(identified_arm(), {.forget_s = -1}).error().where, "forget");
  EXPECT_EQ(WatchStream::make(identified_arm(), {.every = -1}).error().where, "every");
  auto stream = *WatchStream::make(identified_arm(), {.source = "a pipe"});
  EXPECT_EQ(stream.finish().error().where, "a pipe");
  auto still = *WatchStream::make(identified_arm(), {.source = "a pipe"});
  const double zero[2] = {0, 0};
  for (int k = 0; k < 19; ++k) EXPECT_TRUE(still.push(1, zero, zero));
  EXPECT_EQ(still.push(1, zero, zero).error().where, "a pipe");
}

}  // namespace
}  // namespace heft
